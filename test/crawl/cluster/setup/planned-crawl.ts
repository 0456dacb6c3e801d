/**
 * A crawl of hosts with a delay that is planned but not started, its workers, and
 * the check of the result when they are done.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import postgres from 'postgres';
import type { GivenOptions } from '../../../../src/core/options/options.ts';
import { isPage } from '../../../../testbed/web/ledger.ts';
import type { LocalWeb } from '../../../../testbed/web/local-web.ts';
import { SHORT_LEASE_MS, TestCluster, type WayToDatabase, type WorkerProcess } from './cluster-here.ts';
import { startHosts } from './polite-hosts.ts';

export const DELAY_MS = 150;
export const RULES = {
  scope: 'any',
  allowPrivate: true,
  patience: '1s',
  units: 1,
  delay: `${DELAY_MS}ms`,
  timeout: '5s',
};

export async function plannedCrawl(
  t: TestContext,
  hosts: number,
  pages: number,
  rules: GivenOptions = RULES,
  way?: WayToDatabase,
) {
  const webs = await startHosts(t, { network: '127.0.4', hosts, pages, answerMs: 20 });
  const cluster = await TestCluster.open(t, { leaseMs: SHORT_LEASE_MS, ...(way && { way }) });
  await cluster.plan(
    webs.map((web) => web.url('/')),
    rules,
  );
  return { webs, cluster, ledger: webs[0]!.ledger };
}

export function start(cluster: TestCluster, name: string): WorkerProcess {
  return cluster.start(name, { header: [`*|X-Worker: ${name}`] });
}

/** Asserts that every page is stored once and was requested. The usual place of a sitemap is no page. */
export async function assertWhole(cluster: TestCluster, webs: readonly LocalWeb[], pages: number): Promise<void> {
  const sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const kept = await sql.unsafe(
      `SELECT url, state FROM orbweaver_t.urls WHERE url NOT LIKE '%/sitemap.xml' ORDER BY url`,
    );
    assert.equal(kept.length, webs.length * pages);
    assert.deepEqual(
      kept.filter(({ state }) => state !== 1),
      [],
    );
    const captures = await sql.unsafe(
      `SELECT c.url_id, count(*)::int AS n FROM orbweaver_t.captures c JOIN orbweaver_t.urls u ON u.id = c.url_id
       WHERE u.url NOT LIKE '%/sitemap.xml' GROUP BY c.url_id`,
    );
    assert.equal(captures.length, webs.length * pages);
    assert.deepEqual(
      captures.filter(({ n }) => n !== 1),
      [],
      'every page is stored once',
    );
  } finally {
    await sql.end();
  }
  const asked = new Set(
    webs[0]!.ledger.entries.filter(({ path }) => isPage(path)).map(({ host, path }) => host + path),
  );
  assert.equal(asked.size, webs.length * pages);
}
