/**
 * Tests workers that are killed, frozen, cut off and asked to leave, over a real PostgreSQL. The web servers and the
 * store show whether the rules hold: every page is kept once, and no host gets a request sooner than its delay after
 * the end of the previous request, from any worker. The tests run side by side: mostly they wait for delays and leases.
 * The longest ones come first.
 */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import postgres from 'postgres';
import { noPostgres } from '../../setup/postgres.ts';
import { SHORT_LEASE_MS } from './setup/cluster-here.ts';
import { assertWhole, DELAY_MS, plannedCrawl, RULES, start } from './setup/planned-crawl.ts';
import { assertPolite, TAKEOVER_MS, until, workerOf } from './setup/polite-hosts.ts';

const skip = noPostgres;

suite('workers that are killed, frozen, cut off and asked to leave', { concurrency: 3 }, () => {
  test('W12 W13 other workers complete the work of killed workers, and keep the delays of their hosts', {
    skip,
  }, async (t) => {
    const { webs, ledger, cluster } = await plannedCrawl(t, 6, 12);
    const [a, b] = [start(cluster, 'a'), start(cluster, 'b')];
    await until(() => ledger.entries.length >= 20, 'the twentieth request');
    a.child.kill('SIGKILL');
    await until(() => ledger.entries.length >= 36, 'the next requests');
    const c = start(cluster, 'c');
    await until(
      () => ledger.entries.some((entry) => workerOf(entry) === 'c') || ledger.entries.length >= 60,
      'another',
    );
    b.child.kill('SIGKILL');
    assert.equal((await c.ended)?.ending, 'done');
    assertPolite(webs, DELAY_MS);
    await assertWhole(cluster, webs, 12);
  });

  test('W13 a worker that was frozen beyond its lease requests nothing when it resumes, and its results are refused', {
    skip,
  }, async (t) => {
    const { webs, ledger, cluster } = await plannedCrawl(t, 6, 30);
    const a = start(cluster, 'a');
    await until(() => ledger.entries.length >= 30, 'the thirtieth request');
    const b = start(cluster, 'b');
    await until(() => ledger.entries.length >= 45, 'the forty-fifth request');
    a.child.kill('SIGSTOP');
    const frozenAtMs = performance.now();
    const hostsOf = (name: string) =>
      new Set(ledger.entries.filter((one) => workerOf(one) === name).map(({ host }) => host));
    const ofA = hostsOf('a');
    await until(
      () => [...hostsOf('b')].some((host) => ofA.has(host)) && performance.now() - frozenAtMs > SHORT_LEASE_MS,
      'a takeover',
      TAKEOVER_MS,
    );
    const thawedAtMs = performance.now();
    const before = ledger.entries.filter((entry) => workerOf(entry) === 'a').length;
    a.child.kill('SIGCONT');
    // The worker may claim hosts again after it has learned that it lost all of them. Its heartbeat
    // and the claim take at least one round trip.
    const summaries = await Promise.all([a.ended, b.ended]);
    for (const summary of summaries) assert.equal(summary?.ending, 'done');
    assert.ok(before > 0 && thawedAtMs > frozenAtMs);
    assertPolite(webs, DELAY_MS);
    await assertWhole(cluster, webs, 30);
  });

  test('connections that are cut again and again cost time and nothing else', { skip }, async (t) => {
    const { webs, ledger, cluster } = await plannedCrawl(t, 6, 12);
    const workers = [start(cluster, 'a'), start(cluster, 'b')];
    const sql = postgres(cluster.url, { max: 1, onnotice: () => {} });
    for (let round = 1; round <= 5; round++) {
      await until(() => ledger.entries.length >= round * 10, `request ${round * 10}`);
      await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()`;
    }
    await sql.end();
    for (const { ended } of workers) assert.equal((await ended)?.ending, 'done');
    assertPolite(webs, DELAY_MS);
    await assertWhole(cluster, webs, 12);
  });

  test('--limit holds for all workers together', { skip }, async (t) => {
    const { cluster } = await plannedCrawl(t, 8, 20, { ...RULES, delay: '0ms', limit: 50 });
    const summaries = await Promise.all(['a', 'b', 'c'].map((name) => start(cluster, name).ended));
    for (const summary of summaries) {
      assert.equal(summary?.ending, 'limit');
      assert.equal(summary?.pages, 50);
    }
  });

  test('a worker that drains saves its results and leaves the rest to the others', { skip }, async (t) => {
    const { webs, ledger, cluster } = await plannedCrawl(t, 6, 12);
    const a = start(cluster, 'a');
    await until(() => ledger.entries.some((entry) => workerOf(entry) === 'a'), 'a request of a');
    const b = start(cluster, 'b');
    a.child.kill('SIGTERM');
    assert.equal((await a.ended)?.ending, 'interrupted');
    assert.equal((await b.ended)?.ending, 'done');
    assertPolite(webs, DELAY_MS);
    await assertWhole(cluster, webs, 12);
  });

  test('P2 W12 a worker that joins while another has all hosts gets its share of them', { skip }, async (t) => {
    // More pages than the workers can fetch: the test ends when the hosts have moved to
    // the other worker, however long that takes.
    const { webs, ledger, cluster } = await plannedCrawl(t, 16, 1_000);
    const a = start(cluster, 'a');
    await until(() => new Set(ledger.entries.map(({ host }) => host)).size === webs.length, 'a request to every host');
    const b = start(cluster, 'b');
    const hostsOfB = () =>
      new Set(ledger.entries.filter((entry) => workerOf(entry) === 'b').map(({ host }) => host)).size;
    await until(() => hostsOfB() >= 4, 'a request of b to four hosts');
    for (const { child } of [a, b]) child.kill('SIGTERM');
    for (const { ended } of [a, b]) assert.equal((await ended)?.ending, 'interrupted');
    assertPolite(webs, DELAY_MS);
  });
});
