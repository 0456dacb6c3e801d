/**
 * Finds the URL that a model names. What a copy knows about a URL without a page is told in fixed words, because the
 * sentences for people quote the web.
 */
import { findUrl } from '../../copy/find-url.ts';
import { collectUrlFacts } from '../../copy/url-facts.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { REASONS } from '../../core/reasons.ts';
import type { Store, UrlRecord } from '../../store/contract.ts';
import type { TextRow } from './arguments.ts';
import { ToolRefusal } from './tool.ts';

export const URL_ARGUMENT = {
  kind: 'text',
  about: 'the URL of a page in the copy, as search and page_links return it',
  most: 4_000,
  isRequired: true,
} as const satisfies TextRow;

export async function requireUrl(store: Store, text: string): Promise<UrlRecord> {
  const { record } = await findUrl(store, text).catch(asRefusal);
  if (record !== null) return record;
  const { keptOutBy } = await collectUrlFacts(store, text);
  const why = keptOutBy === null ? 'no page of the copy links to it' : `the rules leave it out (${keptOutBy})`;
  throw new ToolRefusal(
    'ERR_UNKNOWN_URL',
    `The copy does not know this URL: ${why}. Find pages with search or page_links.`,
  );
}

/** Why a known URL has no page, and the time of its last version, if it had one. */
export function withoutPage({ state, reason, capture }: UrlRecord, lastMs: number | null = null): ToolRefusal {
  const status = capture === null ? '' : ` Its last response has status ${capture.status}.`;
  const why = reason === null ? '' : ` Reason: ${REASONS[reason]} (${reason}).`;
  const how = state === 'waiting' ? 'It is known from a link and was not fetched yet.' : `Its state is "${state}".`;
  const last = lastMs === null ? '' : ` Its last version can be read with at = ${new Date(lastMs).toISOString()}.`;
  return new ToolRefusal('ERR_NOT_IN_COPY', `The copy has no page for this URL now. ${how}${why}${status}${last}`);
}

function asRefusal(error: unknown): never {
  if (error instanceof OrbweaverError && error.code === 'ERR_BAD_URL') {
    throw new ToolRefusal(
      'ERR_BAD_URL',
      'The url is not an http or https URL; write it like https://example.com/page.',
    );
  }
  throw error;
}
