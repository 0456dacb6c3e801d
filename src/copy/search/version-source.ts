/**
 * The stored versions of pages that a search finds: those of one time, or all. In: a query. Out: hits, each with the
 * time of its version.
 *
 * What always holds: a version that the copy has dropped is not found, also before the index has followed.
 */
import { OrbweaverError } from '../../core/errors.ts';
import { readIndexStatus } from '../../crawl/following/search/index-status.ts';
import { versionIndexDir } from '../../crawl/following/search/search-follower.ts';
import type { CrawlPlace } from '../../crawl/place/crawl-place.ts';
import { DROPPED_NOTE } from '../../crawl/retention/retain.ts';
import type { Query } from '../../search/query/query.ts';
import { type SearchAnswer, type SearchHit, SearchIndex, type SearchRequest } from '../../search/search-index.ts';
import { leaveOutCopies } from '../../search/versions/leave-out-copies.ts';
import { type FoundVersion, STILL_CURRENT } from '../../search/versions/version-table.ts';
import type { CaptureRecord, Store } from '../../store/contract.ts';
import { hostOf } from '../../url/host.ts';
import { urlKeyHex } from '../../url/key.ts';
import { type FoundPage, linkedUrls, type PageSource } from './page-source.ts';

export interface ResultVersions {
  /** The time until which the shown version was current; null if it still is. */
  readonly untilMs: number | null;
  /** The matching versions of the page, the newest first: only if all versions are searched. */
  readonly matching: readonly VersionTimes[];
}

export interface VersionTimes {
  readonly fromMs: number;
  readonly untilMs: number | null;
}

const RECORDS_AT_ONCE = 500;

export class StoredVersions implements PageSource {
  readonly index: SearchIndex;
  readonly behind: number;
  readonly #store: Store;
  readonly #isAll: boolean;
  readonly #versions: ReadonlyMap<number, FoundVersion>;

  private constructor(
    store: Store,
    index: SearchIndex,
    { behind, isAll, versions }: { behind: number; isAll: boolean; versions: readonly FoundVersion[] },
  ) {
    this.#store = store;
    this.index = index;
    this.behind = behind;
    this.#isAll = isAll;
    this.#versions = new Map(versions.map((version) => [version.id, version]));
  }

  /** `atMs`: the versions of this time; null for all. `again`: the flags that name the crawl in another command. */
  static async open(
    store: Store,
    place: CrawlPlace,
    atMs: number | null,
    again = `--dir ${place.dir}`,
  ): Promise<StoredVersions> {
    const dir = versionIndexDir(place);
    const status = await readIndexStatus(store, { ...place, dir });
    const index = status === null ? null : SearchIndex.open(dir);
    if (status === null || index === null) {
      const next = `make it with: orbweaver index --versions ${again}`;
      throw new OrbweaverError('ERR_NO_INDEX', `the copy in ${place.dir} has no index of its versions; ${next}`);
    }
    const { found, dropped } = index.versions(atMs);
    const mayBeDropped = dropped !== (await store.note(DROPPED_NOTE));
    const kept = mayBeDropped ? await stillStored(store, found) : found;
    return new StoredVersions(store, index, {
      behind: status.behind,
      isAll: atMs === null,
      versions: leaveOutCopies(kept, atMs),
    });
  }

  get pages(): number {
    return this.#versions.size;
  }

  search(request: SearchRequest): SearchAnswer {
    const versions = [...this.#versions.values()];
    return this.index.search({ ...request, versions, groupsVersions: this.#isAll });
  }

  async pagesOf(hits: readonly SearchHit[]): Promise<(FoundPage | null)[]> {
    return Promise.all(hits.map((hit) => this.#pageOf(hit)));
  }

  async #pageOf({ url, urlId: id, versions = [] }: SearchHit): Promise<FoundPage | null> {
    const version = this.#versions.get(id);
    if (version === undefined) return null;
    const capture = await captureOf(this.#store, url, version);
    if (capture === null) return null;
    const matching = versions.map((other) => timesOf(this.#versions.get(other)!));
    matching.sort((a, b) => b.fromMs - a.fromMs);
    const { fromMs: fetchedAtMs, untilMs } = timesOf(version);
    const archived = { url, host: hostOf(url), capture };
    return { archived, title: null, fetchedAtMs, versions: { untilMs, matching }, nearDuplicateOf: null };
  }

  /** The links in the own content of each version. The links of templates are stored only as they are now. */
  async linkSources(query: Query): Promise<Map<string, ReadonlySet<number>>> {
    const sources = new Map<string, ReadonlySet<number>>();
    for (const url of linkedUrls(query)) {
      const record = await this.#store.explain(hostOf(url), urlKeyHex(url));
      if (record !== null) sources.set(url, this.index.versionsLinkingTo(record.id));
    }
    return sources;
  }

  close(): void {
    this.index.close();
  }
}

/** The newest version of a page always stays, so only earlier ones are looked for. */
async function stillStored(store: Store, versions: readonly FoundVersion[]): Promise<FoundVersion[]> {
  const earlier = versions.filter(({ untilMs }) => untilMs !== STILL_CURRENT);
  const ids = [...new Set(earlier.map(({ urlId }) => urlId))];
  const urls = new Map<number, string>();
  for (let at = 0; at < ids.length; at += RECORDS_AT_ONCE) {
    for (const { id, url } of await store.records(ids.slice(at, at + RECORDS_AT_ONCE))) urls.set(id, url);
  }
  const dropped = new Set<FoundVersion>();
  for (const version of earlier) {
    const url = urls.get(version.urlId);
    if (url === undefined || (await captureOf(store, url, version)) === null) dropped.add(version);
  }
  return versions.filter((version) => !dropped.has(version));
}

async function captureOf(store: Store, url: string, version: FoundVersion): Promise<CaptureRecord | null> {
  const [capture] = await store.capturesOf(hostOf(url), urlKeyHex(url), version.fromMs, 1);
  return capture?.fetchedAtMs === version.fromMs && capture.payloadDigest === version.payload ? capture : null;
}

function timesOf({ fromMs, untilMs }: FoundVersion): VersionTimes {
  return { fromMs, untilMs: untilMs === STILL_CURRENT ? null : untilMs };
}
