/**
 * Resolves what the user typed to a known URL, and builds the error for a URL without a page. `again` names the crawl
 * in the suggested next command.
 */

import { findUrl } from '../copy/find-url.ts';
import { stateSentences, unknownSentences } from '../copy/sentences/url-sentences.ts';
import { collectUrlFacts } from '../copy/url-facts.ts';
import { OrbweaverError } from '../core/errors.ts';
import type { Store, UrlRecord } from '../store/contract.ts';

export async function requireKnownUrl(
  store: Store,
  again: string,
  text: string,
): Promise<{ url: string; record: UrlRecord }> {
  const { url, record } = await findUrl(store, text);
  if (record !== null) return { url, record };
  const [sentence] = unknownSentences(await collectUrlFacts(store, text));
  throw new OrbweaverError('ERR_UNKNOWN_URL', `${url}: ${sentence} ${moreAbout(url, again)}`);
}

export function neverFetched(record: UrlRecord, again: string): OrbweaverError {
  const { url } = record;
  return new OrbweaverError('ERR_NOT_IN_COPY', `${url}: ${stateSentences(record).join(' ')} ${moreAbout(url, again)}`);
}

function moreAbout(url: string, again: string): string {
  return `See: orbweaver explain ${url} ${again}`;
}
