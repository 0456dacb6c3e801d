/**
 * Finds the response that a copy had for a URL at a time. In: a URL and a time. Out: the response, after redirects of
 * that time; or why there is none.
 *
 * What always holds: at most 20 redirects, and all of them inside the copy. A picture, style sheet or other file
 * that was fetched only after the time is found, too, because a crawl fetches it after the page that shows it. A page
 * is not.
 */
import { recordOf } from '../../copy/find-url.ts';
import { responseAt } from '../../copy/response-at.ts';
import type { BodySizes } from '../../crawl/place/body-limits.ts';
import type { Where } from '../../crawl/place/crawl-place.ts';
import { isContent, LATEST_MS, newestCaptures, type PageCopy, readRecord } from '../../crawl/place/read-archived.ts';
import { headerValue } from '../../fetch/outcome.ts';
import type { CaptureRecord, Store } from '../../store/contract.ts';
import type { UrlNormalizer } from '../../url/normalize.ts';
import { shownAs } from './shown-types.ts';

const MAX_HOPS = 20;

export interface CopyToShow {
  readonly store: Store;
  readonly where: Where;
  readonly sizes: BodySizes;
  readonly normalizer: UrlNormalizer;
}

export interface FoundResponse {
  /** The URL of the response, after redirects. */
  readonly url: string;
  readonly page: PageCopy;
}

export interface NoResponse {
  readonly url: string;
  readonly missing: 'unknown' | 'later' | 'too-many-redirects';
  /** The time of the first later response; null if there is none. */
  readonly laterMs: number | null;
}

export async function findResponse(copy: CopyToShow, asked: string, atMs: number): Promise<FoundResponse | NoResponse> {
  let url = asked;
  for (let hop = 0; hop <= MAX_HOPS; hop++) {
    const { store, where, sizes } = copy;
    const then = await responseAt(store, url, atMs);
    if (then !== null) {
      const page = await readRecord(where, url, then, sizes, store);
      const target = redirectOf(copy, url, page);
      if (target === null) return { url, page };
      url = target;
      continue;
    }
    const later = await firstAfter(store, url);
    if (later !== null && isAsset(later)) return { url, page: await readRecord(where, url, later, sizes, store) };
    if (later !== null) return { url, missing: 'later', laterMs: later.fetchedAtMs };
    const standIn = (await recordOf(store, url))?.standIn ?? null;
    if (standIn === null || standIn === url) return { url, missing: 'unknown', laterMs: null };
    url = standIn;
  }
  return { url, missing: 'too-many-redirects', laterMs: null };
}

function redirectOf({ normalizer }: CopyToShow, url: string, { record, capture }: PageCopy): string | null {
  if (record.status < 300 || record.status > 399) return null;
  const location = headerValue(capture.rawHeaders, 'location');
  return location === '' ? null : normalizer.resolver(url)(location);
}

/** The oldest content of a URL that the copy had only later. */
async function firstAfter(store: Store, url: string): Promise<CaptureRecord | null> {
  const captures = await newestCaptures(store, url, LATEST_MS, LATEST_MS, (some) => isContent(some) && !some.damage);
  return captures.at(-1) ?? null;
}

function isAsset({ contentType }: CaptureRecord): boolean {
  const { as, type } = shownAs(contentType.toLowerCase());
  return type === 'image/svg+xml' || !['page', 'text', 'download'].includes(as);
}
