/** The URL that somebody writes, as the crawl knows it (`again` names the crawl in a next command); and what is said where it has no page of it. */
import { OrbweaverError } from '../core/errors.ts';
import { findUrl } from '../crawl/find-url.ts';
import { tellUrl } from '../crawl/url-story.ts';
import type { Store, UrlRecord } from '../store/contract.ts';
import { stateSentences, unknownSentences } from './url-sentences.ts';

export async function theKnownUrl(
  store: Store,
  again: string,
  text: string,
): Promise<{ url: string; record: UrlRecord }> {
  const { url, record } = await findUrl(store, text);
  if (record !== null) return { url, record };
  const [sentence] = unknownSentences(await tellUrl(store, text));
  throw new OrbweaverError('ERR_UNKNOWN_URL', `${url}: ${sentence} ${moreAbout(url, again)}`);
}

export function neverFetched(record: UrlRecord, again: string): OrbweaverError {
  const { url } = record;
  return new OrbweaverError('ERR_NOT_IN_COPY', `${url}: ${stateSentences(record).join(' ')} ${moreAbout(url, again)}`);
}

function moreAbout(url: string, again: string): string {
  return `See: orbweaver explain ${url} ${again}`;
}
