/**
 * Fills a data folder with known URLs, with the calls of the store. In: a number of URLs. Out: a folder as a long
 * crawl would leave it. Every URL waits, but only the served hosts may be asked now; the other hosts are blocked
 * for a long time.
 *
 * The folder is kept between runs of the benchmark and copied for each run, because a crawl changes it. What always
 * holds: a folder with a `filled.json` is complete, and was filled by a store with the current tables.
 */
import { constants } from 'node:fs';
import { copyFile, mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveOptions } from '../../src/core/options/options.ts';
import { LinkJudge } from '../../src/crawl/links/link-judge.ts';
import type { FoundUrl, Store } from '../../src/store/contract.ts';
import { DATABASE_FILE } from '../../src/store/sqlite/open.ts';
import { MIGRATIONS } from '../../src/store/sqlite/schema.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { hostnameOf } from '../../src/url/host.ts';
import { urlKeyHex } from '../../src/url/key.ts';
import { type KnownPlan, QUIET_HOSTS } from './plan.ts';

/** Increase this when the store's files change in a way that the tables do not show. */
const FILLER_VERSION = 1;
/**
 * Keys come in random order in a crawl. With large sorted batches, each page of the index is written once per batch.
 */
const URLS_A_TRANSACTION = 250_000;
const BLOCKED_MS = 10 * 365 * 24 * 3_600_000;

export interface FilledFolder {
  readonly folder: string;
  readonly known: number;
  readonly databaseMb: number;
  /** Undefined when the folder was already filled. */
  readonly fillSeconds: number | undefined;
}

export async function fillFolder(
  parentFolder: string,
  plan: KnownPlan,
  report: (text: string) => void,
): Promise<FilledFolder> {
  const { known } = plan;
  const folder = join(parentFolder, `${known}-known-seed-${plan.shape.seed}`);
  const manifestPath = join(folder, 'filled.json');
  const tables = urlKeyHex(MIGRATIONS.join());
  const manifest = JSON.stringify({ filler: FILLER_VERSION, ...plan.shape, known, port: plan.port, tables });
  let fillSeconds: number | undefined;
  if ((await readFile(manifestPath, 'utf8').catch(() => '')) !== manifest) {
    report(`filling a folder with ${known} known URLs`);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const startedAtMs = performance.now();
    await fill(folder, plan);
    fillSeconds = (performance.now() - startedAtMs) / 1000;
    await writeFile(manifestPath, manifest);
    report(`filled in ${fillSeconds.toFixed(1)} s: ${Math.round(known / fillSeconds)} URLs/s`);
  }
  const { size } = await stat(join(folder, DATABASE_FILE));
  return { folder, known, databaseMb: size / 1024 ** 2, fillSeconds };
}

async function fill(folder: string, plan: KnownPlan): Promise<void> {
  const judge = new LinkJudge(resolveOptions([]), [plan.seedUrl]);
  const store = openSqliteStore(folder, Date.now());
  try {
    for (let first = 0; first < plan.known; first += URLS_A_TRANSACTION) {
      const count = Math.min(URLS_A_TRANSACTION, plan.known - first);
      const found = Array.from({ length: count }, (_, place) => judge.found(plan.knownUrl(first + place), 1, 0, null));
      await store.seed(found.sort(byHostAndKey), Date.now());
    }
    await blockQuietHosts(store, plan);
  } finally {
    await store.close();
  }
}

function byHostAndKey(left: FoundUrl, right: FoundUrl): number {
  if (left.host !== right.host) return left.host < right.host ? -1 : 1;
  return left.key < right.key ? -1 : 1;
}

/** Blocks the hosts as if each had answered with a Retry-After of ten years. */
async function blockQuietHosts(store: Store, plan: KnownPlan): Promise<void> {
  const owner = 'filler';
  const nowMs = Date.now();
  const hosts = plan.hosts.length + QUIET_HOSTS;
  const leases = await store.claim({ owner, hosts, urlsPerHost: 1, nowMs, leaseMs: 60_000 });
  const served = new Set(plan.hosts);
  const updates = leases
    .filter(({ host }) => !served.has(hostnameOf(host)))
    .map(({ hostId }) => ({ hostId, manners: { askedAtMs: 0, delayMs: null, blockedUntilMs: nowMs + BLOCKED_MS } }));
  await store.commit({
    owner,
    nowMs,
    results: [],
    found: [],
    hosts: updates,
    archive: new Map(),
    patternBudget: 1,
    ranks: [],
  });
  await store.release(
    owner,
    leases.map(({ hostId }) => hostId),
    nowMs,
  );
}

/**
 * Copies the folder for a crawl and syncs it to the disk. Otherwise the system would write it back
 * during the measured run.
 */
export async function copyFilled({ folder }: FilledFolder, target: string): Promise<void> {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const copy = join(target, DATABASE_FILE);
  await copyFile(join(folder, DATABASE_FILE), copy, constants.COPYFILE_FICLONE);
  const handle = await open(copy, 'r');
  await handle.sync();
  await handle.close();
}
