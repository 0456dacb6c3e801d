/**
 * Measures the cost of near duplicates per page in the store. Commits of pages with and without a sketch alternate,
 * from one number of known pages to the next, so that work that is done only now and then is included. One page in ten
 * is nearly equal to an earlier page, and all pages share some boilerplate. The figures are CPU time of the thread;
 * compare the figures of one line.
 *
 * node bench/parts/near-duplicates.ts [pages ...]
 */
import { mkdtempSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClaimedUrl, FoundUrl, PageRecord, Store, UrlResult } from '../../src/store/contract.ts';
import { printsOf, SAMPLE_NUMBERS, SKETCH_SIZE } from '../../src/store/rules/near-duplicate-rule.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { urlKeyHex } from '../../src/url/key.ts';
import { randomBelow, seededRandom } from '../../testbed/random.ts';

const known = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10_000, 300_000];
const HOST = 'http://bench.test';
const PAGES_A_COMMIT = 64;
const PLAIN_EVERY = 4;
const THRESHOLD = 0.8;
const BOILERPLATE_PRINTS = 2;
/** Number of sketches that later pages nearly equal. */
const COPIED = 2_000;

const random = seededRandom(1);
const boilerplate = Array.from({ length: BOILERPLATE_PRINTS }, () => randomBelow(random, 2 ** 26));
const copied: Uint32Array[] = [];
let serial = 0;

function sketch(): Uint32Array {
  if (copied.length > 0 && random() < 0.1) {
    const near = copied[randomBelow(random, copied.length)]!.slice();
    const prints = printsOf(near);
    for (let i = 0; i < 2; i++) prints[randomBelow(random, SKETCH_SIZE)] = randomBelow(random, 2 ** 30);
    prints.sort();
    return near;
  }
  const made = new Uint32Array(SAMPLE_NUMBERS + SKETCH_SIZE);
  for (let i = 0; i < SAMPLE_NUMBERS; i++) made[i] = randomBelow(random, 2 ** 32);
  const prints = printsOf(made);
  for (let i = 0; i < SKETCH_SIZE; i++) prints[i] = boilerplate[i] ?? randomBelow(random, 2 ** 30);
  prints.sort();
  if (copied.length < COPIED) copied.push(made);
  else if (random() < 0.01) copied[randomBelow(random, COPIED)] = made;
  return made;
}

function found(): FoundUrl {
  const url = `${HOST}/section/${serial++}.html`;
  const place = { depth: 1, hops: 0, rank: 1, relevance: null, trail: null, skip: null, pattern: null };
  return { url, key: urlKeyHex(url), host: HOST, original: null, ...place };
}

function page(id: number, withSketch: boolean): PageRecord {
  const facts = { bytes: 36_000, wireBytes: 12_000, title: `Page ${id} of the bench`, language: 'en' };
  const digest = urlKeyHex(String(id)) + urlKeyHex(`-${id}`);
  const record = { ...facts, digest, canonical: null, noindex: false, relevance: null };
  return withSketch ? { ...record, sketch: sketch() } : record;
}

function resultOf(hostId: number, { id, url }: ClaimedUrl, withSketch: boolean): UrlResult {
  const nothing = { reason: null, failures: 0, dueAtMs: null, capture: null, redirectTo: null };
  const links = { knownLinks: [], foundLinks: [], foundAttributes: [], knownPromises: [], standIn: null };
  return { id, url, hostId, state: 'fetched', page: page(id, withSketch), ...nothing, ...links };
}

/** Commits the next pages and returns the CPU time per page in microseconds. */
async function commitSome(store: Store, hostId: number, withSketch: boolean): Promise<number> {
  await store.seed(Array.from({ length: PAGES_A_COMMIT }, found), 0);
  const tasks = await store.claimMore(hostId, { limit: PAGES_A_COMMIT, besides: new Set(), nowMs: 0 });
  const results = tasks.map((task) => resultOf(hostId, task, withSketch));
  const rest = { owner: 'bench', nowMs: 0, hosts: [], found: [], archive: new Map(), patternBudget: 1, ranks: [] };
  const before = process.threadCpuUsage();
  await store.commit({ ...rest, results, nearDuplicate: THRESHOLD });
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / PAGES_A_COMMIT;
}

const dir = mkdtempSync(join(tmpdir(), 'orbweaver-bench-'));
const store = openSqliteStore(dir, 0);
await store.seed([found()], 0);
const [lease] = await store.claim({ owner: 'bench', hosts: 1, urlsPerHost: 0, nowMs: 0, leaseMs: 1e15 });
let before = 0;
for (const pages of known) {
  const sums = { plain: 0, sketched: 0 };
  const commits = { plain: 0, sketched: 0 };
  for (let turn = 0; serial < pages; turn++) {
    const kind = turn % PLAIN_EVERY === 0 ? 'plain' : 'sketched';
    sums[kind] += await commitSome(store, lease!.hostId, kind === 'sketched');
    commits[kind]++;
  }
  const plainUs = sums.plain / commits.plain;
  const sketchedUs = sums.sketched / commits.sketched;
  const { reasons } = await store.counts();
  writeSync(
    1,
    `from ${before} to ${pages} pages: ${plainUs.toFixed(1)} µs a page without a sketch, ${sketchedUs.toFixed(1)} with, ` +
      `${(sketchedUs - plainUs).toFixed(1)} more (${reasons['near-duplicate'] ?? 0} near duplicates)\n`,
  );
  before = pages;
}
await store.close();
rmSync(dir, { recursive: true });
