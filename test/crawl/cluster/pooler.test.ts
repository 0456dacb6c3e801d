/**
 * Tests workers behind a real pooler, PgBouncer: no prepared statements, no notifications, and
 * another server connection for each transaction.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from '../../../src/store/postgres/connection/address.ts';
import { checkServer } from '../../../src/store/postgres/connection/open.ts';
import { noPooler, throughPooler } from '../../setup/pooler.ts';
import { testDatabase } from '../../setup/postgres.ts';
import { SHORT_LEASE_MS } from './setup/cluster-here.ts';
import { assertWhole, DELAY_MS, plannedCrawl, RULES, start } from './setup/planned-crawl.ts';
import { assertPolite, until, workerOf } from './setup/polite-hosts.ts';

const skip = noPooler;
/**
 * Pages per host: enough that a worker which starts late, and has no news before its first heartbeats, still gets some.
 */
const PAGES = 40;

test('a pooler that the address does not mention is detected, and one line says what to add', { skip }, async (t) => {
  const url = await throughPooler(t, await testDatabase(t));
  await assert.rejects(checkServer(parseAddress(url, {}), 'crawl', 'begin'), {
    code: 'ERR_BAD_OPTION',
    message: /is behind a pooler: add \?prepare=false/,
  });
  await checkServer(parseAddress(`${url}&prepare=false`, {}), 'crawl', 'begin');
});

test('W12 W13 behind a pooler, the work of a killed and of a frozen worker is completed, with all delays kept', {
  skip,
}, async (t) => {
  const way = async (url: string) => `${await throughPooler(t, url)}&prepare=false`;
  const { webs, ledger, cluster } = await plannedCrawl(t, 6, PAGES, RULES, way);
  const [a, b, c] = ['a', 'b', 'c'].map((name) => start(cluster, name));
  const isAtWork = (name: string) => ledger.entries.some((entry) => workerOf(entry) === name);
  await until(() => ['a', 'b', 'c'].every(isAtWork), 'a request of each');
  a!.child.kill('SIGKILL');
  b!.child.kill('SIGSTOP');
  const frozenAtMs = performance.now();
  await until(() => performance.now() - frozenAtMs > SHORT_LEASE_MS, 'the end of a lease');
  b!.child.kill('SIGCONT');
  for (const { ended } of [b!, c!]) assert.equal((await ended)?.ending, 'done');
  assertPolite(webs, DELAY_MS);
  await assertWhole(cluster, webs, PAGES);
});
