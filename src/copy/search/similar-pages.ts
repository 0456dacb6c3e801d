/**
 * Finds pages about the same subject as a page of the copy. In: the URL of the page. Out: a query of its strongest
 * terms, and which results are left out: the page itself, and pages with nearly the same text.
 */
import { OrbweaverError } from '../../core/errors.ts';
import type { Query } from '../../search/query/query.ts';
import type { FeedbackPage } from '../../search/rank/feedback.ts';
import type { SearchIndex } from '../../search/search-index.ts';
import { similarQuery } from '../../search/similar/strong-terms.ts';
import type { Store, UrlRecord } from '../../store/contract.ts';
import { findUrl, recordOf } from '../find-url.ts';
import type { FoundPage } from './page-source.ts';
import type { PassageReader } from './read-passage.ts';

export interface SimilarSearch {
  readonly query: Query;
  /** The text of the page: its words count as much as they fill of it. */
  readonly feedback: readonly FeedbackPage[];
  isLeftOut(page: FoundPage): boolean;
}

export async function similarTo(
  address: string,
  { store, index, passages }: { store: Store; index: SearchIndex; passages: PassageReader },
): Promise<SimilarSearch> {
  const { url, record: found } = await findUrl(store, address);
  const record = await originalOf(store, found);
  if (record === null || record.capture === null || record.state !== 'fetched') {
    throw new OrbweaverError(
      'ERR_NOT_IN_COPY',
      `${url}: the copy has no page to compare with; orbweaver explain says why`,
    );
  }
  const { title, language } = record;
  const blocks = await passages.blocks(record);
  return {
    query: similarQuery(index.strongTerms({ title, blocks, language })),
    feedback: [{ blocks, language, score: 1 }],
    isLeftOut: (page) => isSame(record, page),
  };
}

/** The text of a duplicate is that of its original, which is the page that a search shows. */
async function originalOf(store: Store, record: UrlRecord | null): Promise<UrlRecord | null> {
  if (record === null || record.duplicateOf === null) return record;
  return recordOf(store, record.duplicateOf);
}

function isSame({ url, nearDuplicateOf }: UrlRecord, { archived, nearDuplicateOf: other }: FoundPage): boolean {
  if (archived.url === url || archived.url === nearDuplicateOf) return true;
  return other !== null && (other === url || other === nearDuplicateOf);
}
