/**
 * Measures the cost of dropping old versions and reclaiming their space: CPU time compared with copying the same bytes,
 * freed space, memory, and the cost when there is nothing to drop. Absolute figures depend on the machine and its load.
 * Compare the lines of one run with each other.
 *
 * node bench/parts/retention.ts [pages]
 */
import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArchiveWriter } from '../../src/archive/warc-writer.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { KeepRule } from '../../src/core/options/keep-rule.ts';
import { ARCHIVE_FOLDER } from '../../src/crawl/place/data-folder.ts';
import { retain } from '../../src/crawl/retention/retain.ts';
import type { FoundUrl, Store, UrlResult } from '../../src/store/contract.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { hostOf } from '../../src/url/host.ts';
import { urlKeyHex } from '../../src/url/key.ts';

const pages = Number(process.argv[2] ?? 20_000);
const ROUNDS = 4;
const BODY_BYTES = 12_000;
const BATCH = 500;
const START_MS = 1_700_000_000_000;
const OWNER = 'bench';

const dir = mkdtempSync(join(tmpdir(), 'orbweaver-retention-'));
const archiveDir = join(dir, ARCHIVE_FOLDER);
const store = openSqliteStore(dir, START_MS);
try {
  await fill();
  const bytes = bytesOnDisk();
  say(
    `${pages} pages, ${ROUNDS} rounds in which half of them changed: ${megabytes(bytes)} MB in ${files().length} files`,
  );

  const copyMs = await cpuMs(async () => {
    for (const file of files()) copyFileSync(join(archiveDir, file), join(dir, `copy-${file}`));
  });
  say(`copying all of it: ${copyMs.toFixed(0)} ms of CPU time`);
  for (const file of readdirSync(dir).filter((name) => name.startsWith('copy-'))) rmSync(join(dir, file));

  await measure('--keep 2', { kind: 'newest', contents: 2 });
  await measure('--keep 2 again, with nothing to do', { kind: 'newest', contents: 2 });
  await measure('--keep 10000d, with nothing to do', { kind: 'span', spanMs: 864e9 });
  await measure('--keep 10000d again', { kind: 'span', spanMs: 864e9 });
  await measure('--keep 1', { kind: 'newest', contents: 1 });
} finally {
  await store.close();
  rmSync(dir, { recursive: true });
}

async function measure(name: string, rule: KeepRule): Promise<void> {
  const [bytes, rssBytes] = [bytesOnDisk(), process.memoryUsage().rss];
  let told = { captures: 0, files: 0, bytesFreed: 0 };
  const ms = await cpuMs(async () => {
    told = await retain(store, archiveDir, rule, START_MS);
  });
  const moreMb = Math.max(0, (process.resourceUsage().maxRSS * 1024 - rssBytes) / 1e6).toFixed(0);
  const freed = `${megabytes(told.bytesFreed)} of ${megabytes(bytes)} MB freed`;
  say(
    `${name}: ${ms.toFixed(1)} ms; ${told.captures} captures, ${told.files} files, ${freed}; ${moreMb} MB of memory more`,
  );
}

async function fill(): Promise<void> {
  const urls = Array.from({ length: pages }, (_, n) => `http://site.test/section/${n % 97}/page-${n}.html`);
  const ids = await store.seed(urls.map(seedOf), START_MS);
  const [lease] = await store.claim({ owner: OWNER, hosts: 1, urlsPerHost: 1, nowMs: START_MS, leaseMs: 1e12 });
  for (let round = 0; round < ROUNDS; round++) {
    const options = { dir: archiveDir, unit: 'u1', maxFileBytes: 64e6, software: 'bench', userAgent: 'bench' };
    const writer = new ArchiveWriter({ ...options, clock: { ...systemClock, now: () => START_MS + round * 1_000 } });
    let results: UrlResult[] = [];
    for (const [n, url] of urls.entries()) {
      if (round > 0 && ((Math.imul(n + 1, 2654435761) >>> (5 * round)) & 1) === 0) continue;
      results.push(resultOf(ids[n]!, url, lease!.hostId, answerOf(writer, url, round * pages + n)));
      if (results.length === BATCH) results = await commit(store, results, writer);
    }
    await commit(store, results, writer);
    await writer.close();
  }
}

function answerOf(writer: ArchiveWriter, url: string, n: number): UrlResult['capture'] {
  const body = Buffer.alloc(BODY_BYTES, `${n} is what it says. `);
  const [fetchedAtMs, status, contentType] = [START_MS + n, 200, 'image/png'];
  const place = writer.append({
    ...{ url, fetchedAtMs, status, contentType, ip: '127.0.0.1', protocol: 'http/1.1', statusText: 'OK' },
    requestHead: `GET ${url} HTTP/1.1\r\nhost: site.test\r\nuser-agent: Orbweaver/0.1\r\naccept-encoding: gzip, br\r\n`,
    rawHeaders: ['Server', 'nginx/1.24.0', 'Content-Type', contentType, 'ETag', `W/"${n.toString(16)}-2f8a"`],
    body: [body],
    truncated: null,
  });
  return { fetchedAtMs, status, contentType, ...place };
}

async function commit(to: Store, results: readonly UrlResult[], writer: ArchiveWriter): Promise<UrlResult[]> {
  writer.flush();
  const archive = writer.flush();
  const batch = {
    owner: OWNER,
    nowMs: START_MS,
    results,
    hosts: [],
    found: [],
    archive,
    patternBudget: 1e9,
    ranks: [],
  };
  await to.commit(batch);
  return [];
}

function seedOf(url: string): FoundUrl {
  const nothing = { original: null, relevance: null, trail: null, skip: null, pattern: null };
  return { url, key: urlKeyHex(url), host: hostOf(url), depth: 0, hops: 0, rank: 0, ...nothing };
}

/** The URL keeps the state `waiting`, so that the next round can commit it again. */
function resultOf(id: number, url: string, hostId: number, capture: UrlResult['capture']): UrlResult {
  const links = { knownLinks: [], foundLinks: [], knownPromises: [], foundAttributes: [] };
  const nothing = { reason: null, dueAtMs: null, page: null, redirectTo: null, standIn: null };
  return { id, url, hostId, state: 'waiting', failures: 0, capture, ...nothing, ...links };
}

async function cpuMs(run: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function files(): string[] {
  return readdirSync(archiveDir);
}

function bytesOnDisk(): number {
  return files().reduce((sum, file) => sum + statSync(join(archiveDir, file)).size, 0);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}
