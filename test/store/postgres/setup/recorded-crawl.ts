/**
 * Records the statements that a store really sends during a small crawl: seeds, claims, commits of pages with known and
 * new links, retries, visits to pages that changed, are gone or stayed the same, new ranks, lists, shares. A new
 * statement for a page cannot be forgotten here, because it is recorded with the rest.
 */
import type { TestContext } from 'node:test';
import { type CommitBatch, type HostLease, type Store, URL_STATES } from '../../../../src/store/contract.ts';
import { parseAddress } from '../../../../src/store/postgres/connection/address.ts';
import { openPostgresStore } from '../../../../src/store/postgres/postgres-store.ts';
import { testDatabase } from '../../../setup/postgres.ts';
import { capture, claim, commit, FILE, found, LEASE_MS, linksTo, NOW_MS, OWNER, page, resultOf } from '../../rows.ts';

export interface Recorded {
  readonly text: string;
  /** The values of the first time that the statement was sent. */
  readonly values: readonly unknown[];
  /** Whether the statement was sent by a transaction that promises to find its rows by an index. */
  readonly isByIndex: boolean;
}

const HOSTS = 40;
const URLS_EACH = 60;
const MANNERS = { askedAtMs: NOW_MS, delayMs: 0, blockedUntilMs: 0 };
const ROBOTS = { status: 200, body: 'User-agent: *', fetchedAtMs: NOW_MS };

export async function recordCrawl(t: TestContext) {
  const url = await testDatabase(t);
  const address = parseAddress(url);
  const recorded = new Map<string, Recorded>();
  let isRecording = false;
  const byIndex = new Set<number>();
  const debug = (connection: number, text: string, values: readonly unknown[]): void => {
    if (/^begin\b/.test(text)) byIndex.delete(connection);
    if (text.includes("set_config('enable_seqscan'")) byIndex.add(connection);
    const isByIndex = byIndex.has(connection);
    if (isRecording && !recorded.has(text)) recorded.set(text, { text, values, isByIndex });
    if (/^commit\b/.test(text)) byIndex.delete(connection);
  };
  const request = {
    address: { ...address, options: { ...address.options, debug } },
    name: 'plans',
    process: 'a',
  };
  const store = await openPostgresStore(request);
  t.after(() => store.close());
  isRecording = true;
  const urls = Array.from({ length: HOSTS * URLS_EACH }, (_, i) => found(`http://h${i % HOSTS}.test/${i}`));
  const ids = await store.seed(urls, NOW_MS);
  const leases = await claim(store, { urlsPerHost: 8 });
  const links = linksTo(ids.slice(0, 60));
  let offset = 0;
  const results = leases.flatMap((lease) =>
    lease.urls.slice(0, 4).map((task, i) =>
      i === 3
        ? resultOf(lease, task, { state: 'waiting', reason: 'server-error', failures: 1, dueAtMs: NOW_MS + 9 })
        : resultOf(lease, task, {
            page: page(`${task.url} says`),
            capture: capture(offset++, { fetchedAtMs: NOW_MS + offset }),
            knownLinks: links,
            foundLinks: [found(`${lease.host}/new-${task.id}`), found(`http://other${task.id % 9}.test/`)],
          }),
    ),
  );
  const hosts = leases.map(({ hostId }) => ({ hostId, manners: MANNERS, robots: ROBOTS }));
  const archive = new Map([[FILE, 1_000_000]]);
  const ranks = leases.slice(0, 9).map(({ urls: claimed }) => ({ id: claimed[5]!.id, rank: 7 }));
  await commit(store, results, { hosts, archive, ranks });
  const [first] = leases;
  await store.claimMore(first!.hostId, { limit: 20, besides: new Set(ids.slice(0, 50)), nowMs: NOW_MS + 10 });
  await store.claimMore(first!.hostId, {
    limit: 20,
    besides: new Set(ids.slice(0, 50)),
    nowMs: NOW_MS + 10,
    lists: [4, 2, 1],
  });
  await store.rerank(ranks);
  await store.countLinks();
  await lookAgain(store, leases.slice(0, 5), { archive });
  await store.renew(OWNER, NOW_MS + 2 * LEASE_MS);
  await store.lease({ owner: OWNER, hostIds: [first!.hostId], nowMs: NOW_MS, leaseMs: LEASE_MS });
  await store.release(
    OWNER,
    leases.map(({ hostId }) => hostId),
    NOW_MS,
  );
  await claim(store, {
    owner: 'b',
    lists: [4, 2, 1],
    nowMs: NOW_MS + 10,
    slots: new Uint8Array(2_048).fill(255),
    graceMs: 9,
  });
  await store.nextReadyAtMs();
  isRecording = false;
  return { url, schema: 'orbweaver_plans', statements: [...recorded.values()] };
}

async function lookAgain(store: Store, leases: readonly HostLease[], more: Partial<CommitBatch>): Promise<void> {
  const findings = ['same', 'changed', 'gone'] as const;
  const looked = leases.flatMap((lease) =>
    lease.urls.slice(0, 3).map((task, i) => ({ lease, task, finding: findings[i]! })),
  );
  const tasks = await store.revisits(looked.map(({ task }) => task.id));
  const results = looked.map(({ lease, finding }, i) => {
    const task = tasks[i]!;
    const state = finding === 'gone' ? 'gone' : URL_STATES[1];
    return resultOf(lease, task, {
      state,
      page: finding === 'changed' ? page(`${task.url} says more`) : null,
      capture: finding === 'changed' ? capture(9_000 + i, { fetchedAtMs: NOW_MS + 9_000 + i }) : null,
      revisit: { sinceMs: task.earlier!.checkedAtMs, checkedAtMs: NOW_MS + 9_000 + i, finding, change: null },
    });
  });
  await commit(store, results, { ...more, nowMs: NOW_MS + 10_000 });
}
