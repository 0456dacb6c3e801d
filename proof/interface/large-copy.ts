/**
 * Part f: a copy of 1 million URLs on 20,000 hosts with 100,000 changes, written through the interface of the store. The
 * first answer of every route that reads the copy, right after the start of the server, and the memory of the server.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROUTES, type Route, type RouteName } from '../../src/serve/contract/routes.ts';
import type { FoundUrl, Store, UrlResult } from '../../src/store/contract.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { hostOf } from '../../src/url/host.ts';
import { urlKeyHex } from '../../src/url/key.ts';
import type { ProofContext, ProofRow } from '../proof.ts';
import { ServeProcess } from './serve-process.ts';

const HOSTS = 20_000;
const URLS_PER_HOST = 50;
const FETCHED_HOSTS = 2_300;
const HOSTS_PER_CLAIM = 100;
const HOSTS_PER_SEED = 4_000;
const ANSWER_MS = 300;
const MEMORY_MB = 250;
const COPY = 'large';
const LEASE_MS = 600_000;
const ROUNDS = 1;

export async function measureLargeCopy({ workFolder, report }: ProofContext): Promise<ProofRow[]> {
  const dir = join(workFolder, COPY);
  const changes = await fill(dir, report);
  const names = (Object.keys(ROUTES) as RouteName[]).filter((name) => isMeasured(ROUTES[name]));
  const answers: FirstAnswer[] = [];
  let peakMb = 0;
  for (const name of names) {
    const tries: FirstAnswer[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      // The first answer of a route is that of a server which has read nothing yet.
      const serve = await ServeProcess.start([dir]);
      const cpuMs = serve.cpuMs;
      const { status, ms } = await serve.get(addressOf(name));
      tries.push({ name, status, ms: Math.round(ms), cpuMs: serve.cpuMs - cpuMs });
      peakMb = Math.max(peakMb, serve.memoryMb.peak);
      await serve.end('SIGKILL');
    }
    answers.push(tries.sort((left, right) => left.ms - right.ms)[0]!);
  }
  for (const { name, status, ms, cpuMs } of answers)
    report(`${name}: ${status} after ${ms} ms, ${cpuMs} ms of CPU time`);
  const serve = await ServeProcess.start([dir]);
  for (const name of [...names, ...names]) await serve.get(addressOf(name));
  peakMb = Math.max(peakMb, serve.memoryMb.peak);
  await serve.end();
  const what = `routes of ${names.length} whose first answer takes longer than ${ANSWER_MS} ms`;
  return [
    row(`${what}, on 1 million URLs and ${changes} changes`, answers, ({ ms }) => ms),
    row(`${what} of CPU time, in all threads`, answers, ({ cpuMs }) => cpuMs),
    {
      what: 'most memory of the server with this copy, MB',
      target: `≤ ${MEMORY_MB}`,
      measured: String(peakMb),
      holds: peakMb <= MEMORY_MB,
    },
  ];
}

interface FirstAnswer {
  readonly name: string;
  readonly status: number;
  readonly ms: number;
  readonly cpuMs: number;
}

function row(what: string, answers: readonly FirstAnswer[], timeOf: (answer: FirstAnswer) => number): ProofRow {
  const slow = answers.filter((answer) => timeOf(answer) > ANSWER_MS || answer.status >= 500);
  const slowest = Math.max(...answers.map(timeOf));
  const names = slow.map((answer) => `${answer.name} (${timeOf(answer)} ms)`).join(', ');
  const measured = slow.length === 0 ? `0; the slowest ${slowest} ms` : `${slow.length}: ${names}`;
  return { what, target: '0', measured, holds: slow.length === 0 };
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
