/**
 * Reads pages from the copy. In: a URL in normal form and a time. Out: the newest archived exchange that
 * began no later than this time, with its body decoded; null if there is none. Redirects and errors are
 * exchanges too, and no redirect is followed.
 *
 * What always holds: the bytes are the bytes that the store committed for this URL. Otherwise the result is an
 * ERR_ARCHIVE that names the place, or an ERR_ELSEWHERE that names the machine that has the file. A body with a damaged
 * content coding is decoded as far as possible and marked. Files that another process rewrites meanwhile (retain.ts)
 * are no problem; an exchange that was dropped is an ERR_NOT_IN_COPY.
 */
import { type Capture, readCapture } from '../../archive/warc-reader.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { safeText } from '../../core/safe-text.ts';
import type { DecodedBody } from '../../fetch/body/decode-body.ts';
import { keepDecoded } from '../../fetch/body/gunzip.ts';
import { headerValue } from '../../fetch/outcome.ts';
import type { CaptureRecord, Store } from '../../store/contract.ts';
import { hostOf } from '../../url/host.ts';
import { urlKeyHex } from '../../url/key.ts';
import { ArchiveFolders } from './archive-folders.ts';
import { type BodySizes, decodeArchived } from './body-limits.ts';
import type { Where } from './crawl-place.ts';
import { keptOptions } from './data-folder.ts';
import { readStoreAt } from './open-store.ts';

/** A time to read at that means the newest exchange. */
export const LATEST_MS = Number.MAX_SAFE_INTEGER;

export interface PageCopy {
  readonly record: CaptureRecord;
  /** The exchange as archived. Its body still has its content coding. */
  readonly capture: Capture;
  /** The body without its content coding. The charset is not decoded here. */
  readonly body: Buffer;
  /** Why the body could not be decoded completely. */
  readonly fault: DecodedBody['fault'];
}

/** The methods of the store that find the place of a capture. */
export type PlaceStore = Pick<Store, 'capturesOf' | 'payloadPlace' | 'archivePlaces'>;
type AskStore = <T>(question: (store: PlaceStore) => Promise<T>) => Promise<T>;

export async function readCopy(
  store: PlaceStore & Pick<Store, 'note'>,
  where: Where,
  url: string,
  atMs: number,
): Promise<PageCopy | null> {
  // A 304 says that the page is as before, so the response before it is read.
  const [content] = await newestCaptures(store, url, atMs, 1, ({ status }) => status !== 304);
  const [record] = content === undefined ? await store.capturesOf(hostOf(url), urlKeyHex(url), atMs, 1) : [content];
  if (record === undefined) return null;
  return readRecord(where, url, record, await keptOptions(store), store);
}

const MOST_TRIES = 4;
const UNREADABLE: readonly string[] = ['ERR_ARCHIVE', 'ERR_ELSEWHERE', 'ERR_NOT_IN_COPY'];

/** Whether a read failed because of one response: it is damaged, on another machine, or was dropped meanwhile. */
export function isUnreadable(error: unknown): error is OrbweaverError {
  return error instanceof OrbweaverError && UNREADABLE.includes(error.code);
}

/** True for content; false for an error, a redirect or a 304. */
export function isContent({ status }: CaptureRecord): boolean {
  return status >= 200 && status <= 299;
}

/**
 * Whether the capture says what the page was then: content, a redirect, or that the page is gone. Errors that come and
 * go (5xx, 429) are passed over, as a refresh keeps the page then.
 */
export function isTelling({ status, damage }: CaptureRecord): boolean {
  if (damage !== undefined) return false;
  return (status >= 200 && status <= 399 && status !== 304) || status === 404 || status === 410;
}

/** The newest `wanted` captures that are wanted, newest first. Any number of other captures may lie between them. */
export async function newestCaptures(
  store: Pick<Store, 'capturesOf'>,
  url: string,
  atMs: number,
  wanted: number,
  isWanted: (capture: CaptureRecord) => boolean,
): Promise<CaptureRecord[]> {
  const [host, key] = [hostOf(url), urlKeyHex(url)];
  for (let limit = wanted; ; limit *= 10) {
    const captures = await store.capturesOf(host, key, atMs, limit);
    const found = captures.filter(isWanted);
    if (found.length >= wanted || captures.length < limit) return found.slice(0, wanted);
  }
}

/**
 * Reads the exchange of a record of the store. The record may be old: a capture that was moved since is found by asking
 * the store. If no store is given, it is opened for that.
 */
export async function readRecord(
  where: Where,
  url: string,
  record: CaptureRecord,
  sizes: BodySizes,
  store: PlaceStore | null = null,
): Promise<PageCopy> {
  const ask = store === null ? askAt(where) : <T>(question: (store: PlaceStore) => Promise<T>) => question(store);
  const folders = new ArchiveFolders(where);
  const read = (place: CaptureRecord) => readPlace(folders, url, place, sizes, ask);
  for (let tries = 1; ; tries++) {
    try {
      return await readOrFollow(url, record, read, ask);
    } catch (error) {
      // A revisit may be in a file of one worker, and its payload in a file of another.
      if (tries < MOST_TRIES && (await ask((store) => folders.findServer(store)).catch(() => false))) continue;
      throw (
        (await ask((store) => folders.explain(error, store)).catch(() => null)) ?? explainDamage(error, url, record)
      );
    }
  }
}

/** The result of `verify --repair` explains more than a failed read. */
function explainDamage(error: unknown, url: string, { damage, fetchedAtMs }: CaptureRecord): unknown {
  if (damage === undefined || !(error instanceof OrbweaverError) || error.code !== 'ERR_ARCHIVE') return error;
  const [time, foundAt] = [fetchedAtMs, damage.foundAtMs].map((ms) => new Date(ms).toISOString());
  const problem = safeText(damage.problem);
  const what = `the response of ${url} from ${time} is damaged in the archive; verify found it on ${foundAt} (${problem})`;
  const next =
    'orbweaver refresh fetches a page again if its newest response is damaged; history lists its other responses';
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
    // Another process may have rewritten the file after the store was asked. One retry is enough.
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
  sizes: BodySizes,
  ask: AskStore,
): Promise<PageCopy> {
  const findPayload = (digest: string) => ask((store) => store.payloadPlace(digest));
  const capture = await readCapture(folders.folderOf, record, findPayload);
  // The digests of the record are valid. This check makes sure that it is the committed record, and not a substitute.
  if (capture.url !== url || capture.payloadDigest !== record.payloadDigest) {
    throw new OrbweaverError('ERR_ARCHIVE', `${record.file} at ${record.offset} does not hold the capture of ${url}`);
  }
  const { decoded, fault } = await decodeArchived(
    capture.body,
    headerValue(capture.rawHeaders, 'content-encoding'),
    sizes,
    capture.truncated === null,
  );
  return { record, capture, body: keepDecoded(decoded), fault };
}

async function captureAt(store: PlaceStore, url: string, fetchedAtMs: number): Promise<CaptureRecord | null> {
  const [record] = await store.capturesOf(hostOf(url), urlKeyHex(url), fetchedAtMs, 1);
  return record?.fetchedAtMs === fetchedAtMs ? record : null;
}

function droppedSince(url: string, fetchedAtMs: number): OrbweaverError {
  const time = new Date(fetchedAtMs).toISOString();
  return new OrbweaverError('ERR_NOT_IN_COPY', `the response of ${url} from ${time} was dropped (--keep)`);
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

/** The times at which a URL was fetched, oldest first. */
export async function timesFetched(store: Pick<Store, 'capturesOf'>, url: string): Promise<number[]> {
  const captures = await store.capturesOf(hostOf(url), urlKeyHex(url), LATEST_MS, LATEST_MS);
  return captures.map(({ fetchedAtMs }) => fetchedAtMs).reverse();
}
