/** Test data for the store, with a sensible value for every field that a test does not care about. */
import { hash } from 'node:crypto';
import { PLAINEST_CODE } from '../../src/graph/link-attributes.ts';
import { linkValue } from '../../src/graph/link-list.ts';
import type {
  CaptureRecord,
  ClaimedUrl,
  CommitBatch,
  CommitReceipt,
  FoundUrl,
  HostLease,
  PageRecord,
  Store,
  UrlRecord,
  UrlResult,
} from '../../src/store/contract.ts';
import { hostOf } from '../../src/url/host.ts';
import { urlKeyHex } from '../../src/url/key.ts';

export const NOW_MS = Date.UTC(2025, 0, 1);
export const LEASE_MS = 60_000;
export const OWNER = 'first';
export const OTHER_OWNER = 'second';
export const FILE = 'a-00001.warc.gz';

export function found(url: string, more: Partial<FoundUrl> = {}): FoundUrl {
  const depth = more.depth ?? 1;
  return {
    url,
    key: urlKeyHex(url),
    host: hostOf(url),
    original: null,
    depth,
    hops: 0,
    rank: depth,
    relevance: null,
    trail: null,
    skip: null,
    pattern: null,
    ...more,
  };
}

export function page(body: string, more: Partial<PageRecord> = {}): PageRecord {
  return {
    bytes: body.length,
    wireBytes: Math.ceil(body.length / 2),
    digest: hash('sha256', body, 'hex'),
    title: `Title of ${body}`,
    language: 'en',
    canonical: null,
    noindex: false,
    relevance: null,
    ...more,
  };
}

export function capture(offset: number, more: Partial<CaptureRecord> = {}): CaptureRecord {
  return {
    fetchedAtMs: NOW_MS + offset,
    status: 200,
    contentType: 'text/html',
    payloadDigest: `sha1:${offset}`,
    file: FILE,
    offset,
    length: 100,
    revisit: false,
    ...more,
  };
}

type Claim = Parameters<Store['claim']>[0];

export function claim(store: Store, more: Partial<Claim> = {}): Promise<readonly HostLease[]> {
  return store.claim({ owner: OWNER, hosts: 100, urlsPerHost: 100, nowMs: NOW_MS, leaseMs: LEASE_MS, ...more });
}

/** Claims the only host that is ready. */
export async function claimOne(store: Store, more: Partial<Claim> = {}): Promise<HostLease> {
  const leases = await claim(store, more);
  if (leases.length !== 1) throw new Error(`${leases.length} hosts were ready, not one`);
  return leases[0]!;
}

export function resultOf(
  lease: Pick<HostLease, 'hostId'>,
  task: Pick<ClaimedUrl, 'id'> & { readonly url?: string },
  more: Partial<UrlResult>,
): UrlResult {
  return {
    id: task.id,
    url: task.url ?? '',
    hostId: lease.hostId,
    state: 'fetched',
    reason: null,
    failures: 0,
    dueAtMs: null,
    capture: null,
    page: null,
    redirectTo: null,
    standIn: null,
    knownLinks: [],
    foundLinks: [],
    knownPromises: [],
    foundAttributes: (more.foundLinks ?? []).map(() => PLAINEST_CODE),
    ...more,
  };
}

export function batchOf(results: readonly UrlResult[], more: Partial<CommitBatch> = {}): CommitBatch {
  const archive = new Map<string, number>();
  return {
    owner: OWNER,
    nowMs: NOW_MS,
    results,
    hosts: [],
    found: [],
    archive,
    patternBudget: 1_000,
    ranks: [],
    learnParameters: true,
    ...more,
  };
}

export function commit(
  store: Store,
  results: readonly UrlResult[],
  more: Partial<CommitBatch> = {},
): Promise<CommitReceipt> {
  return store.commit(batchOf(results, more));
}

export async function recordOf(store: Store, url: string): Promise<UrlRecord> {
  const record = await store.explain(hostOf(url), urlKeyHex(url));
  if (!record) throw new Error(`${url} is not known`);
  return record;
}

/** The plainest links to these ids. */
export function linksTo(ids: readonly number[]): number[] {
  return ids.map((id) => linkValue(id, PLAINEST_CODE));
}

export async function allUrls(store: Store): Promise<readonly UrlRecord[]> {
  return store.urls(0, 1_000_000);
}

/** Everything that can be read from the store: if two results are equal, the stores are equal. */
export async function everything(store: Store) {
  const captures: unknown[] = [];
  for await (const one of store.captures((url) => url)) captures.push(one);
  const urls = await allUrls(store);
  const ids = urls.map(({ id }) => id);
  return {
    urls,
    hosts: await store.hosts(0, 1_000_000),
    counts: await store.counts(),
    backlinks: await store.backlinks(ids),
    links: await Promise.all(ids.map((id) => store.linksFrom(id))),
    files: await store.archiveFiles(),
    nextReadyAtMs: await store.nextReadyAtMs(),
    visits: await store.visits(0, 1_000_000),
    changes: await store.changes(0, 1_000_000),
    sources: await store.sources(),
    captures,
  };
}
