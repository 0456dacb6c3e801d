/**
 * Reads one stored version of a page as the search index has it. In: the record of its URL and its capture. Out: the
 * words, links and facts of the page as they were; null for a content without text for people. The template of the host
 * and the PageRank are those of today, because earlier ones are not stored.
 */
import { hash } from 'node:crypto';
import type { Template } from '../../../../content/template/template.ts';
import { headerValue } from '../../../../fetch/outcome.ts';
import type { SearchPage } from '../../../../search/search-page.ts';
import type { UrlRecord } from '../../../../store/contract.ts';
import { readRecord } from '../../../place/read-archived.ts';
import { readDirectives } from '../../../unit/read-directives.ts';
import { type LinkTargets, withIds } from '../link-targets.ts';
import type { PageIndexerParts } from '../page-indexer.ts';
import { textOf } from '../page-text.ts';
import type { PageVersion } from './versions-of.ts';

/** Half of the digits of a SHA-256 are enough to tell contents apart. */
const BODY_DIGITS = 32;

export interface VersionReading extends Pick<PageIndexerParts, 'store' | 'place' | 'options'> {
  readonly targets: LinkTargets;
  /** The product token that directives for robots may name. */
  readonly token: string;
}

export interface VersionContext {
  /** The id of the version in the index. */
  readonly id: number;
  readonly record: UrlRecord;
  readonly version: PageVersion;
  /** Whether the copy has an earlier version of the page. */
  readonly isChange: boolean;
  readonly template: Template | null;
  readonly pageRank: number;
}

export interface VersionPage {
  /** The hash of the decoded body. */
  readonly body: string;
  readonly page: SearchPage | null;
}

export async function readVersionPage(reading: VersionReading, context: VersionContext): Promise<VersionPage> {
  const { store, place, options, targets, token } = reading;
  const { id, record, version, isChange, template, pageRank } = context;
  const { url, depth } = record;
  const { capture, body } = await readRecord(place, url, version.capture, options, store);
  const digest = hash('sha256', body).slice(0, BODY_DIGITS);
  const contentType = headerValue(capture.rawHeaders, 'content-type');
  const keepHashbang = options.keepFragment === 'hashbang';
  const text = await textOf({ url, body, contentType }, { template, maxLinks: options.maxLinks, keepHashbang });
  if (text === null) return { body: digest, page: null };
  const { page, links: written, ...rest } = text;
  const links = page === null ? [] : targets.resolve(page, url, written);
  const { fromMs } = version;
  const { noindex: isNoindex } = readDirectives(capture.rawHeaders, page?.metaRobots ?? [], token, fromMs);
  const times = { fetchedAtMs: fromMs, changedAtMs: isChange ? fromMs : null };
  const facts = { urlId: id, url, depth, pageRank, isNoindex, ...times };
  return { body: digest, page: { ...rest, ...facts, links: withIds(links, await targets.find(links)) } };
}
