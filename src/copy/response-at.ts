/**
 * Finds the response that the copy had for a URL at a time in the past. Errors that come and go (5xx, 429) are passed
 * over, as a refresh keeps the page then.
 */
import { isContent, isTelling, newestCaptures } from '../crawl/place/read-archived.ts';
import type { CaptureRecord, Store, UrlState } from '../store/contract.ts';

/** The newest response up to this time that says something about the page; null if there is none. */
export async function responseAt(
  store: Pick<Store, 'capturesOf'>,
  url: string,
  atMs: number,
): Promise<CaptureRecord | null> {
  const [capture] = await newestCaptures(store, url, atMs, 1, isTelling);
  return capture ?? null;
}

/** The state of the URL at the time of this response. Whether a page was a duplicate then is not stored. */
export function stateThen(capture: CaptureRecord): UrlState {
  if (isContent(capture)) return 'fetched';
  return capture.status < 400 ? 'redirect' : 'failed';
}
