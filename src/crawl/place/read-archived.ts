/**
 * The copy read back. In: a URL in its normal form and a time. Out: the newest exchange with it that began no later, from the
 * archive, with its body decoded; null where there is none. Redirects and errors are exchanges too and come as they are:
 * nothing is followed.
 *
 * What always holds: the bytes are those that the store committed for this URL, or it is an ERR_ARCHIVE that names the
 * place; of a file that is on another machine it is an ERR_ELSEWHERE that names that; a body whose coding is damaged gives what could be decoded and says so. That files are rewritten meanwhile by
 * another process (retain.ts) is not noticed, but that an answer is no longer kept is an ERR_NOT_IN_COPY.
 */
import { type Capture, readCapture } from '../archive/warc-reader.ts';
import { OrbweaverError } from '../core/errors.ts';
import { safeText } from '../core/safe-text.ts';
import { type DecodedBody, decodeBody } from '../fetch/decode-body.ts';
import { headerValue } from '../fetch/outcome.ts';
import type { CaptureRecord, Store } from '../store/contract.ts';
import { hostOf } from '../url/host.ts';
import { urlKeyHex } from '../url/key.ts';
import { ArchiveFolders } from './archive-folders.ts';
import type { Where } from './crawl-place.ts';
import { keptOptions } from './data-folder.ts';
import { readStoreAt } from './open-store.ts';

/** As a time to read at: the newest there is. */
export const LATEST_MS = Number.MAX_SAFE_INTEGER;

export interface PageCopy {
  readonly record: CaptureRecord;
  /** The exchange as archived; its body has its content coding still on it. */
  readonly capture: Capture;
  /** The body as the server's coding meant it: of a charset we know nothing here. */
  readonly body: Buffer;
  /** What kept the body from being decoded whole. */
  readonly fault: DecodedBody['fault'];
}

/** What is asked where something lies. */
export type PlaceStore = Pick<Store, 'capturesOf' | 'payloadPlace' | 'archivePlaces'>;
type AskStore = <T>(question: (store: PlaceStore) => Promise<T>) => Promise<T>;

export async function readCopy(
  store: PlaceStore & Pick<Store, 'note'>,
  where: Where,
  url: string,
  atMs: number,
): Promise<PageCopy | null> {
  const [record] = await store.capturesOf(hostOf(url), urlKeyHex(url), atMs, 1);
  if (record === undefined) return null;
  return readRecord(where, url, record, (await keptOptions(store)).maxBody, store);
}

/**
 * The exchange with a URL that a record of the store tells of. The record may be old: what was moved since is found, by asking the
 * store; without one at hand it is opened for the question.
 */
export async function readRecord(
  where: Where,
  url: string,
  record: CaptureRecord,
  maxBody: number,
  store: PlaceStore | null = null,
): Promise<PageCopy> {
  const ask = store === null ? askAt(where) : <T>(question: (store: PlaceStore) => Promise<T>) => question(store);
  const folders = new ArchiveFolders(where);
  const read = (place: CaptureRecord) => readPlace(folders, url, place, maxBody, ask);
  try {
    return await readOrFollow(url, record, read, ask);
  } catch (error) {
    throw (await ask((store) => folders.explain(error, store)).catch(() => null)) ?? explainDamage(error, url, record);
  }
}

/** What `verify --repair` found of it says more than that it cannot be read. */
function explainDamage(error: unknown, url: string, { damage, fetchedAtMs }: CaptureRecord): unknown {
  if (damage === undefined || !(error instanceof OrbweaverError) || error.code !== 'ERR_ARCHIVE') return error;
  const [time, foundAt] = [fetchedAtMs, damage.foundAtMs].map((ms) => new Date(ms).toISOString());
  const problem = safeText(damage.problem);
  const what = `the answer of ${url} of ${time} is damaged in the archive, as verify found on ${foundAt} (${problem})`;
  const next = 'orbweaver refresh fetches a page again whose newest answer is damaged; history lists the other answers';
  return new OrbweaverError('ERR_ARCHIVE', `${what}; ${next}`, { cause: error });
}

async function readOrFollow(
  url: string,
  record: CaptureRecord,
  read: (place: CaptureRecord) => Promise<PageCopy>,
  ask: AskStore,
): Promise<PageCopy> {
  try {
    return await read(record);
  } catch (error) {
    if (!(error instanceof OrbweaverError) || error.code !== 'ERR_ARCHIVE') throw error;
    // Another process may have rewritten the file since the store was asked; it was asked too early at most once.
    const now = await ask((store) => captureAt(store, url, record.fetchedAtMs)).catch(() => record);
    if (now === null) throw droppedSince(url, record.fetchedAtMs);
    if (now.file === record.file && now.offset === record.offset && !now.revisit) throw error;
    return read(now);
  }
}

async function readPlace(
  folders: ArchiveFolders,
  url: string,
  record: CaptureRecord,
  maxBody: number,
  ask: AskStore,
): Promise<PageCopy> {
  const findPayload = (digest: string) => ask((store) => store.payloadPlace(digest));
  const capture = await readCapture(folders.folderOf, record, findPayload);
  // The record is sound by its own digests; this holds it to be the one that was committed, not one put in its place.
  if (capture.url !== url || capture.payloadDigest !== record.payloadDigest) {
    throw new OrbweaverError('ERR_ARCHIVE', `${record.file} at ${record.offset} holds another capture than ${url}`);
  }
  const { decoded, fault } = await decodeBody(
    [capture.body],
    headerValue(capture.rawHeaders, 'content-encoding'),
    // What was stored under a larger --max-body than that of the last run is not cut to less than it is.
    Math.max(maxBody, capture.body.length),
    capture.truncated === null,
  );
  return { record, capture, body: decoded, fault };
}

async function captureAt(store: PlaceStore, url: string, fetchedAtMs: number): Promise<CaptureRecord | null> {
  const [record] = await store.capturesOf(hostOf(url), urlKeyHex(url), fetchedAtMs, 1);
  return record?.fetchedAtMs === fetchedAtMs ? record : null;
}

function droppedSince(url: string, fetchedAtMs: number): OrbweaverError {
  const time = new Date(fetchedAtMs).toISOString();
  return new OrbweaverError('ERR_NOT_IN_COPY', `the answer of ${url} of ${time} is no longer kept (--keep)`);
}

function askAt(where: Where): AskStore {
  return async (question) => {
    const store = await readStoreAt(where);
    try {
      return await question(store);
    } finally {
      await store.close();
    }
  };
}

/** When a URL was fetched, oldest first. */
export async function timesFetched(store: Pick<Store, 'capturesOf'>, url: string): Promise<number[]> {
  const captures = await store.capturesOf(hostOf(url), urlKeyHex(url), LATEST_MS, LATEST_MS);
  return captures.map(({ fetchedAtMs }) => fetchedAtMs).reverse();
}
