/**
 * Tests refreshes of one crawl on several machines, over a real PostgreSQL: frozen, and side by side. As for workers,
 * the web servers and the store show whether the rules hold.
 */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import postgres from 'postgres';
import { isPage, type Ledger } from '../../../testbed/web/ledger.ts';
import { type LocalWeb, reply } from '../../../testbed/web/local-web.ts';
import { noPostgres } from '../../setup/postgres.ts';
import { SHORT_LEASE_MS, TestCluster } from './setup/cluster-here.ts';
import { openCluster } from './setup/open-cluster.ts';
import { assertPolite, startHosts, TAKEOVER_MS, until, workerOf } from './setup/polite-hosts.ts';
import { type RefreshProcess, spawnRefresh } from './setup/refresh-there.ts';

const skip = noPostgres;
const DELAY_MS = 100;
const RULES = {
  scope: 'host',
  allowPrivate: true,
  patience: '1s',
  units: 1,
  delay: '0ms',
  timeout: '5s',
  watchers: false,
};
const HOSTS = 4;
const PAGES = 14;

/** A crawl that ended an hour ago. */
async function crawled(
  t: TestContext,
  leaseMs?: number,
): Promise<{ cluster: TestCluster; webs: LocalWeb[]; ledger: Ledger }> {
  const webs = await startHosts(t, { network: '127.0.6', hosts: HOSTS, pages: PAGES, answerMs: 5 });
  const { ledger } = webs[0]!;
  const cluster = await TestCluster.open(t, leaseMs === undefined ? {} : { leaseMs });
  const seeds = webs.map((web) => web.url('/'));
  assert.equal((await cluster.crawl(seeds, RULES).summary).pages, HOSTS * PAGES);
  ledger.entries.length = 0;
  const sql = postgres(cluster.url, { max: 1, onnotice: () => {} });
  await sql.unsafe('UPDATE orbweaver_t.visits SET checked_at = checked_at - 3600000');
  await sql.end();
  return { cluster, webs, ledger };
}

function start(t: TestContext, cluster: TestCluster, name: string, ...words: readonly string[]): RefreshProcess {
  const manners = [
    '--delay',
    `${DELAY_MS}ms`,
    '--patience',
    '2m',
    '--min-interval',
    '10m',
    '--header',
    `*|X-Worker: ${name}`,
  ];
  return spawnRefresh(t, cluster, name, ...manners, ...words);
}

/** How often each page was visited, as the store counts it. */
async function looks(cluster: TestCluster): Promise<number[]> {
  const { store } = await openCluster(cluster.url, 'test');
  try {
    return (await store.visits(0, 1_000)).map(({ checks }) => checks);
  } finally {
    await store.close();
  }
}

const timesAsked = (ledger: Ledger): number[] => {
  const times = new Map<string, number>();
  for (const { host, path } of ledger.entries) {
    if (isPage(path)) times.set(host + path, (times.get(host + path) ?? 0) + 1);
  }
  return [...times.values()];
};

// Mostly these tests wait for delays and leases, so they run side by side.
suite('refreshes of one crawl on several machines', { concurrency: 2 }, () => {
  test('several refreshes divide the hosts, and no page is requested twice', { skip }, async (t) => {
    const { cluster, webs, ledger } = await crawled(t);
    // No host is finished before both refreshes have sent a request.
    const areBoth = () => new Set(ledger.entries.map(workerOf)).size === 2;
    for (const web of webs) {
      web.on('/', async (visit) => {
        await until(areBoth, 'a request of each');
        reply(`<title>${web.host}</title>as it was`)(visit);
      });
    }
    const both = ['a', 'b'].map((name) => start(t, cluster, name, '--live-hosts', '1', '--timeout', '2m'));
    const summaries = await Promise.all(both.map(({ ended }) => ended));
    for (const summary of summaries) assert.equal(summary?.ending, 'done');
    assertPolite(webs, DELAY_MS);
    for (const summary of summaries) assert.ok(summary!.requests > 0 && summary!.requests % PAGES === 0);
    assert.deepEqual(timesAsked(ledger), Array(HOSTS * PAGES).fill(1));
    assert.equal(
      summaries.reduce((sum, summary) => sum + summary!.requests, 0),
      HOSTS * PAGES,
    );
  });

  test('W13 a refresh that was frozen beyond its lease requests nothing from lost hosts, and its results are refused', {
    skip,
  }, async (t) => {
    const { cluster, webs, ledger } = await crawled(t, SHORT_LEASE_MS);
    const a = start(t, cluster, 'a');
    await until(() => ledger.entries.length >= 20, 'the twentieth request');
    a.child.kill('SIGSTOP');
    const frozenAtMs = performance.now();
    const ofA = new Set(ledger.entries.map(({ host }) => host));
    const asked = ledger.entries.length;
    const b = start(t, cluster, 'b');
    const isTaken = () => ledger.entries.some((entry) => workerOf(entry) === 'b' && ofA.has(entry.host));
    await until(() => isTaken() && performance.now() - frozenAtMs > SHORT_LEASE_MS, 'a takeover', TAKEOVER_MS);
    a.child.kill('SIGCONT');
    for (const { ended } of [a, b]) assert.equal((await ended)?.ending, 'done');
    assertPolite(webs, DELAY_MS);
    const counted = await looks(cluster);
    assert.deepEqual(counted, Array(HOSTS * PAGES).fill(1), 'each page was looked at, and one look at it counts');
    // Pages that it had requested but not committed were requested again, and
    // pages that were under way when leases expired.
    const again = timesAsked(ledger).reduce((sum, one) => sum + one - 1, 0);
    assert.ok(again <= asked + HOSTS, `${again} pages were asked for again`);
  });
});
