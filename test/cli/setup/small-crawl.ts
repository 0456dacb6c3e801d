/**
 * The state of a small crawl, made by hand with the real store and the real archive, so that it contains every state of
 * a URL. The archive has one record more than was committed, as in a running crawl.
 */

import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArchiveWriter } from '../../../src/archive/warc-writer.ts';
import { resolveOptions } from '../../../src/core/options/options.ts';
import type { Reason } from '../../../src/core/reasons.ts';
import { LinkJudge } from '../../../src/crawl/links/link-judge.ts';
import { unfinished } from '../../../src/crawl/unit/unfinished.ts';
import { PLAINEST_CODE } from '../../../src/graph/link-attributes.ts';
import type { CaptureRecord, ClaimedUrl, FoundUrl, PageRecord, Store, UrlResult } from '../../../src/store/contract.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { sketchWith } from '../../content/compare-sketches.ts';

export const SITE = 'http://site.test';
export const SEED = `${SITE}/`;
export const HOSTILE_TITLE = '=HYPERLINK("http://evil.test","a,b")\x1b[2J\u202e\u0085\u2028{"url":1}';
export const NOW_MS = Date.UTC(2025, 10, 15, 9, 46, 40);
/** A time so far away that the tests do not depend on when they run. */
export const LATER_MS = Date.UTC(2999, 0, 1);
const ROBOTS = 'User-agent: *\nDisallow: /private/\n';
const OWNER = 'test';

export interface SmallCrawl {
  readonly dir: string;
  /** Bytes of the archive that are committed. */
  readonly committedBytes: number;
}

export async function makeSmallCrawl(): Promise<SmallCrawl> {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-cli-'));
  const archive = new ArchiveWriter({
    dir: join(dir, 'archive'),
    unit: 'u1',
    maxFileBytes: 1e9,
    software: 'Orbweaver/test',
    userAgent: 'Orbweaver/test',
    clock: { now: () => NOW_MS, after: () => () => {} },
  });
  const store = openSqliteStore(dir, NOW_MS);
  await fill(store, archive);
  const committedBytes = [...archive.flush().values()].reduce((sum, bytes) => sum + bytes, 0);
  capture(archive, `${SITE}/uncommitted`, 200, 'not committed');
  await archive.close();
  await store.close();
  return { dir, committedBytes };
}

export function removeCrawl({ dir }: SmallCrawl): void {
  rmSync(dir, { recursive: true, force: true });
}

async function fill(store: Store, archive: ArchiveWriter): Promise<void> {
  const judge = new LinkJudge(resolveOptions([]), [SEED]);
  const found = (url: string, depth: number, skip: Reason | null = null): FoundUrl => judge.found(url, depth, 0, skip);
  await store.setNote('seeds', JSON.stringify([SEED]));
  await store.setNote('rules', JSON.stringify({ scope: 'host', include: [], exclude: ['*/secret/*'] }));
  await store.seed([found(SEED, 0)], NOW_MS);
  const { hostId, urls } = (await claim(store))[0]!;

  const firstLinks = ['/a', '/b', '/copy', '/old', '/gone', '/retry', '/wait'].map((path) => found(SITE + path, 1));
  const skipped = [
    found(`${SITE}/private/x`, 1, 'robots-disallowed'),
    found(`${SITE}/on/and/on/and/on/and`, 1, 'trap-repeated-segments'),
  ];
  const other = found('http://other.test/', 1);
  const page = (url: string, body: string, more: Partial<UrlResult> = {}, facts: Partial<PageRecord> = {}) =>
    fetched(archive, url, body, more, facts);
  await commit(store, archive, hostId, urls, {
    [SEED]: page(SEED, 'front', { foundLinks: [...firstLinks, ...skipped, other] }, { title: HOSTILE_TITLE }),
  });

  const sketch = sketchWith(Array(8).keys());
  const second = await store.claimMore(hostId, { limit: 100, besides: new Set(), nowMs: NOW_MS });
  await commit(store, archive, hostId, second, {
    [`${SITE}/a`]: page(`${SITE}/a`, 'the same', { foundLinks: [found(`${SITE}/deep`, 2)] }, { sketch }),
    [`${SITE}/b`]: page(`${SITE}/b`, 'the same', {}, { canonical: found(`${SITE}/gone`, 1) }),
    [`${SITE}/copy`]: page(`${SITE}/copy`, 'a copy', {}, { sketch, canonical: found(`${SITE}/a`, 1) }),
    [`${SITE}/old`]: {
      state: 'redirect',
      capture: capture(archive, `${SITE}/old`, 301, ''),
      redirectTo: { ...found(`${SITE}/older`, 1), hops: 1 },
    },
    [`${SITE}/gone`]: {
      state: 'failed',
      reason: 'gone',
      failures: 1,
      capture: capture(archive, `${SITE}/gone`, 410, 'x'),
    },
    [`${SITE}/retry`]: { reason: 'server-error', failures: 2, dueAtMs: LATER_MS },
  });

  const third = await store.claimMore(hostId, { limit: 100, besides: new Set(), nowMs: NOW_MS });
  await commit(store, archive, hostId, third, {
    [`${SITE}/older`]: {
      state: 'redirect',
      capture: capture(archive, `${SITE}/older`, 302, ''),
      redirectTo: found(`${SITE}/a`, 1),
    },
  });
  await blockOther(store);
}

/** Gives the other host three waiting URLs and blocks it until later. */
async function blockOther(store: Store): Promise<void> {
  const judge = new LinkJudge(resolveOptions([]), [SEED]);
  await store.seed(
    ['x', 'y', 'z'].map((name) => judge.found(`http://other.test/${name}`, 1, 0, null)),
    NOW_MS,
  );
  const [lease] = await claim(store);
  await store.commit({
    ...EMPTY_BATCH,
    hosts: [{ hostId: lease!.hostId, manners: { askedAtMs: NOW_MS, delayMs: 2_500, blockedUntilMs: LATER_MS } }],
  });
}

const EMPTY_BATCH = {
  ranks: [],
  owner: OWNER,
  nowMs: NOW_MS,
  results: [],
  hosts: [],
  found: [],
  archive: new Map(),
  patternBudget: 100,
};

function claim(store: Store) {
  return store.claim({ owner: OWNER, hosts: 1, urlsPerHost: 100, nowMs: NOW_MS, leaseMs: 60_000 });
}

async function commit(
  store: Store,
  archive: ArchiveWriter,
  hostId: number,
  claimed: readonly ClaimedUrl[],
  outcomes: Readonly<Record<string, Partial<UrlResult>>>,
): Promise<void> {
  const results = claimed
    .filter(({ url }) => outcomes[url] !== undefined)
    .map((task) => {
      const outcome = outcomes[task.url]!;
      const foundAttributes = (outcome.foundLinks ?? []).map(() => PLAINEST_CODE);
      return { ...unfinished(task.id, task.url, hostId), foundAttributes, ...outcome };
    });
  const manners = { askedAtMs: NOW_MS, delayMs: 0, blockedUntilMs: 0 };
  const hosts = [{ hostId, manners, robots: { status: 200, body: ROBOTS, fetchedAtMs: NOW_MS } }];
  archive.flush();
  await store.commit({ ...EMPTY_BATCH, results, hosts, archive: archive.flush() });
}

function fetched(
  archive: ArchiveWriter,
  url: string,
  body: string,
  more: Partial<UrlResult>,
  facts: Partial<PageRecord>,
): Partial<UrlResult> {
  const page = { title: `Title of ${url}`, language: 'en', canonical: null, noindex: false, relevance: null, ...facts };
  const sizes = { bytes: body.length, wireBytes: body.length, digest: hash('sha256', body, 'hex') };
  return { state: 'fetched', capture: capture(archive, url, 200, body), page: { ...sizes, ...page }, ...more };
}

function capture(archive: ArchiveWriter, url: string, status: number, body: string): CaptureRecord {
  const location = archive.append({
    url,
    fetchedAtMs: NOW_MS,
    ip: '127.0.0.1',
    protocol: 'http/1.1',
    requestHead: `GET ${url} HTTP/1.1\r\n`,
    status,
    statusText: 'X',
    rawHeaders: ['Content-Type', 'text/html'],
    body: [Buffer.from(body)],
    truncated: null,
    contentType: 'text/html',
  });
  return { fetchedAtMs: NOW_MS, status, contentType: 'text/html', ...location };
}
