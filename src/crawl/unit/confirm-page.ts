/**
 * Finds the response that a visit found unchanged, for its revisit record (`--revisits`). In: a URL. Out: the newest
 * response with content: its place, time and payload; null if the store has none.
 *
 * What always holds: the result is a record with its own payload. If the newest response is a revisit record itself,
 * the result is the record to which it refers.
 */
import { type ArchiveDir, readRefersTo } from '../../archive/warc-reader.ts';
import type { ConfirmedCapture } from '../../archive/warc-writer.ts';
import { OrbweaverError } from '../../core/errors.ts';
import type { CaptureRecord } from '../../store/contract.ts';
import { ArchiveFolders } from '../place/archive-folders.ts';
import { isContent, LATEST_MS, newestCaptures } from '../place/read-archived.ts';
import type { ArchivedCopy } from './change/change-judge.ts';

/** Finds the response of a URL that a visit found unchanged. */
export type ConfirmPage = (url: string) => Promise<ConfirmedCapture | null>;

export function confirmPageOf({ place, places }: ArchivedCopy): ConfirmPage {
  const { folderOf } = new ArchiveFolders(place);
  return async (url) => {
    const [capture] = await newestCaptures(places, url, LATEST_MS, 1, isContent);
    if (capture === undefined) return null;
    return capture.revisit ? referredToBy(capture, folderOf) : { ...capture, url, recordId: null };
  };
}

/** Null if the revisit record cannot be read here, for example because its file is on another machine. */
async function referredToBy(capture: CaptureRecord, folderOf: ArchiveDir): Promise<ConfirmedCapture | null> {
  try {
    const refersTo = await readRefersTo(folderOf, capture);
    return refersTo && { ...refersTo, payloadDigest: capture.payloadDigest };
  } catch (error) {
    if (error instanceof OrbweaverError) return null;
    throw error;
  }
}
