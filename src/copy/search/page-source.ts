/**
 * The pages that a search finds: those of the copy as it is now (here), or stored versions (version-source.ts). In: a
 * query. Out: hits, and what is shown of each.
 *
 * What always holds: the state of the copy decides. A page that the copy does not have any more is not shown.
 */
import { OrbweaverError } from '../../core/errors.ts';
import type { CrawlPlace } from '../../crawl/place/crawl-place.ts';
import type { Query } from '../../search/query/query.ts';
import { type SearchAnswer, type SearchHit, SearchIndex, type SearchRequest } from '../../search/search-index.ts';
import type { Store, UrlRecord } from '../../store/contract.ts';
import { hostOf } from '../../url/host.ts';
import { urlKeyHex } from '../../url/key.ts';
import type { ArchivedPage } from './read-passage.ts';
import type { ResultVersions } from './version-source.ts';

export interface PageSource {
  readonly index: SearchIndex;
  /** The number of pages, or of versions, that are searched. */
  readonly pages: number;
  /** URLs with changes that the index does not have yet; 0 if that is not known. At most 10,000 are counted. */
  readonly behind: number;
  search(request: SearchRequest): SearchAnswer;
  /** By hit: the page, or null if the copy does not have it any more. */
  pagesOf(hits: readonly SearchHit[]): Promise<readonly (FoundPage | null)[]>;
  linkSources(query: Query): Promise<Map<string, ReadonlySet<number>>>;
  close(): void;
}

export interface FoundPage {
  readonly archived: ArchivedPage;
  /** Null if it must be read from the archive. */
  readonly title: string | null;
  readonly fetchedAtMs: number;
  /** Null for a page as it is now. */
  readonly versions: ResultVersions | null;
  readonly nearDuplicateOf: string | null;
}

/** More pages that link to a URL are not compared with the other words of a query. */
const MOST_LINKING = 100_000;

export class CurrentPages implements PageSource {
  readonly index: SearchIndex;
  /** The index of the copy as it is now follows within a second. */
  readonly behind = 0;
  readonly #store: Store;

  /** `again`: the flags that name the crawl in another command. */
  constructor(store: Store, { dir }: CrawlPlace, again = `--dir ${dir}`) {
    const index = SearchIndex.open(dir);
    if (index === null) {
      const message = `the copy in ${dir} has no search index; make it with: orbweaver index ${again}`;
      throw new OrbweaverError('ERR_NO_INDEX', message);
    }
    this.index = index;
    this.#store = store;
  }

  get pages(): number {
    return this.index.pages;
  }

  search(request: SearchRequest): SearchAnswer {
    return this.index.search(request);
  }

  async pagesOf(hits: readonly SearchHit[]): Promise<(FoundPage | null)[]> {
    const records = await this.#store.records(hits.map(({ urlId }) => urlId));
    const byId = new Map(records.map((record) => [record.id, record]));
    return hits.map((hit) => toFoundPage(hit, byId.get(hit.urlId)));
  }

  async linkSources(query: Query): Promise<Map<string, ReadonlySet<number>>> {
    const sources = new Map<string, ReadonlySet<number>>();
    for (const url of linkedUrls(query)) {
      const record = await this.#store.explain(hostOf(url), urlKeyHex(url));
      const links = record === null ? [] : await this.#store.linksTo(record.id, MOST_LINKING);
      sources.set(url, new Set(links.map(({ id }) => id)));
    }
    return sources;
  }

  close(): void {
    this.index.close();
  }
}

function toFoundPage({ url, fetchedAtMs }: SearchHit, record: UrlRecord | undefined): FoundPage | null {
  if (record?.url !== url || record.capture === null) return null;
  const { title, nearDuplicateOf } = record;
  return { archived: record, title, fetchedAtMs, versions: null, nearDuplicateOf };
}

/** The URLs of the `link:` filters of a query. */
export function linkedUrls(query: Query): string[] {
  switch (query.kind) {
    case 'link':
      return [query.url];
    case 'plain':
      return [...query.required, ...query.optional].flatMap(linkedUrls);
    case 'and':
    case 'or':
    case 'xor':
      return query.operands.flatMap(linkedUrls);
    case 'not':
      return linkedUrls(query.operand);
    default:
      return [];
  }
}
