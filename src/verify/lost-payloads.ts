/**
 * Finds revisits whose payload can no longer be read. A revisit has no payload of its own; it refers to a response
 * with the same payload. In: payloads whose records are damaged. Out: the revisits without a readable payload. What
 * always holds: a revisit counts as lost only after a normal read has failed, also with any sound copy of the
 * payload that the store knows.
 */
import { fileReferredTo, readCapture } from '../archive/warc-reader.ts';
import { OrbweaverError } from '../core/errors.ts';
import type { CaptureFacts, CapturePlace, Store } from '../store/contract.ts';
import { type Found, isoTime } from './findings.ts';

export type PayloadStore = Pick<Store, 'capturesWith' | 'captureFacts' | 'capturesIn' | 'revisitsAlone'>;
/** Returns the folder of a file, or null if the file is on another machine. */
export type FolderOf = (file: string) => string | null;

const DIGESTS_AT_ONCE = 500;
/** Maximum number of revisits to check whose payload the store does not know. More have never been seen. */
const MAX_LONE_REVISITS = 10_000;

export async function* revisitsWithout(
  store: PayloadStore,
  folderOf: FolderOf,
  payloads: readonly string[],
): AsyncGenerator<Found, void, void> {
  const digests = [...new Set(payloads)];
  for (let from = 0; from < digests.length; from += DIGESTS_AT_ONCE) {
    const some = await store.capturesWith(digests.slice(from, from + DIGESTS_AT_ONCE));
    for (const captures of Map.groupBy(some, ({ capture }) => capture.payloadDigest).values()) {
      const revisits = captures.filter(({ capture }) => capture.revisit);
      if (revisits.length === 0) continue;
      const copy = await soundCopy(folderOf, captures);
      for (const revisit of revisits) if (!(await isReadable(folderOf, revisit.capture, copy))) yield lost(revisit);
    }
  }
}

/**
 * Finds lost revisits of payloads that no capture in the store has. The response with the payload was
 * refused, so only the archive has it.
 */
export async function* revisitsAlone(store: PayloadStore, folderOf: FolderOf): AsyncGenerator<Found, void, void> {
  for (const place of await store.revisitsAlone(MAX_LONE_REVISITS)) {
    if (await isReadable(folderOf, place, null)) continue;
    const [captures] = await store.capturesIn([place.file]);
    const i = captures?.offsets.indexOf(place.offset) ?? -1;
    if (i < 0) continue;
    const [facts] = await store.captureFacts([{ id: captures!.ids[i]!, timeMs: captures!.timesMs[i]! }]);
    if (facts) yield lost(facts);
  }
}

/**
 * True if a revisit and its payload can be read: from the record that it refers to, or from
 * a copy that the store knows.
 */
export async function isReadable(folderOf: FolderOf, place: CapturePlace, copy: CapturePlace | null): Promise<boolean> {
  if (folderOf(place.file) === null) return true;
  let isElsewhere = false;
  const folder = (file: string): string => {
    const found = folderOf(file);
    if (found === null) isElsewhere = true;
    return found ?? '.';
  };
  try {
    await readCapture(folder, place, async () => copy);
    return true;
  } catch (error) {
    if (!(error instanceof OrbweaverError) || error.code !== 'ERR_ARCHIVE') throw error;
    if (isElsewhere) return true;
    return !(await isOwnRecordSound(folder, place));
  }
}

/** A revisit whose own record is damaged is reported as a damaged record. */
async function isOwnRecordSound(folder: (file: string) => string, place: CapturePlace): Promise<boolean> {
  return (await fileReferredTo(folder, place)) !== null;
}

async function soundCopy(folderOf: FolderOf, captures: readonly CaptureFacts[]): Promise<CapturePlace | null> {
  for (const { capture } of captures) {
    const folder = capture.revisit ? null : folderOf(capture.file);
    if (folder === null) continue;
    if ((await readCapture(folder, capture).catch(() => null)) !== null) return capture;
  }
  return null;
}

function lost({ id, timeMs, url, capture }: CaptureFacts): Found {
  const { file, offset, payloadDigest, damage } = capture;
  const problem = `its payload ${payloadDigest} cannot be read any more`;
  return {
    finding: { kind: 'lost-payload', problem, file, offset, bytes: null, url, fetchedAt: isoTime(timeMs), captures: 1 },
    damaged: [{ id, timeMs }],
    payloads: [],
    marked: damage === undefined ? 0 : 1,
  };
}
