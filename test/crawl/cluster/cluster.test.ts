/**
 * Tests a whole cluster over a real PostgreSQL. The requests that the web servers saw
 * decide. Only lower bounds on times are asserted.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { resolveOptions } from '../../../src/core/options/options.ts';
import { joinCluster } from '../../../src/crawl/cluster/cluster-station.ts';
import { isPage, Ledger } from '../../../testbed/web/ledger.ts';
import { type LocalWeb, reply, startWeb } from '../../../testbed/web/local-web.ts';
import { noPostgres } from '../../setup/postgres.ts';
import { TestCluster } from './setup/cluster-here.ts';

const skip = noPostgres;

/** Starts hosts on different addresses, each with `pages` pages. The first page of each host links to all hosts. */
async function startHosts(t: TestContext, hosts: number, pages: number, answerMs = 2): Promise<LocalWeb[]> {
  const ledger = new Ledger();
  const webs = await Promise.all(
    Array.from({ length: hosts }, (_, i) => startWeb({ address: `127.0.3.${i + 1}`, ledger })),
  );
  t.after(() => Promise.all(webs.map((web) => web.close())));
  const everywhere = webs.map((web) => `<a href="${web.url('/')}">host</a>`).join('');
  for (const web of webs) {
    const own = Array.from({ length: pages - 1 }, (_, i) => `<a href="/p${i}">p</a>`).join('');
    web.on(
      '/',
      (visit) => void setTimeout(() => reply(`<title>${web.host}</title>${everywhere}${own}`)(visit), answerMs),
    );
    web.on('/p*', (visit) => void setTimeout(() => reply(`page ${web.host}${visit.path}`)(visit), answerMs));
  }
  return webs;
}

function pagesAsked(webs: readonly LocalWeb[]): Map<string, number> {
  const asked = new Map<string, number>();
  for (const { host, path } of webs[0]!.ledger.entries) {
    if (isPage(path)) asked.set(host + path, (asked.get(host + path) ?? 0) + 1);
  }
  return asked;
}

const OPEN = { scope: 'any', allowPrivate: true, patience: '1s', concurrency: 16, units: 1 };

test('P1 M2 three workers fetch each page of the web once, and all end when the crawl is complete', {
  skip,
}, async (t) => {
  const webs = await startHosts(t, 12, 25);
  const cluster = await TestCluster.open(t);
  await cluster.plan([webs[0]!.url('/')], OPEN);
  const workers = ['a', 'b', 'c'].map((name) => cluster.start(name));
  const summaries = await Promise.all(workers.map(({ ended }) => ended));
  for (const summary of summaries) {
    assert.equal(summary?.ending, 'done');
    assert.equal(summary?.pages, 12 * 25);
    assert.equal(summary?.waiting, 0);
  }
  const asked = pagesAsked(webs);
  assert.equal(asked.size, 12 * 25);
  assert.deepEqual(
    [...asked].filter(([, times]) => times > 1),
    [],
  );
  assert.equal(
    summaries.reduce((sum, summary) => sum + summary!.fetched, 0),
    12 * 25,
  );
});

test('workers learn that a seed has moved before they fetch from its new host, so no link is lost', {
  skip,
}, async (t) => {
  const webs = await startHosts(t, 8, 6);
  const cluster = await TestCluster.open(t);
  const old = await startWeb({ address: '127.0.5.1' });
  t.after(() => old.close());
  // Only the hosts of the seeds and the targets of their redirects are in scope.
  for (const [i, web] of webs.entries()) {
    old.on(`/old${i}`, ({ response }) => void response.writeHead(301, { location: web.url('/') }).end());
  }
  const seeds = webs.map((_, i) => old.url(`/old${i}`));
  await cluster.plan(seeds, { ...OPEN, scope: 'host' });
  const summaries = await Promise.all(['a', 'b', 'c'].map((name) => cluster.start(name).ended));
  for (const summary of summaries) assert.equal(summary?.ending, 'done');
  assert.equal(pagesAsked(webs).size, 8 * 6);
});

test('W13 a worker that leaves during a claim leaves no host leased', { skip }, async (t) => {
  const [web] = await startHosts(t, 1, 2);
  const cluster = await TestCluster.open(t);
  await cluster.plan([web!.url('/')], OPEN);
  const { open, worker } = cluster.entry('a');
  const opened = await open();
  const options = resolveOptions([{ from: 'test', given: OPEN }]);
  const station = await joinCluster(opened, { ...worker, drawsTickets: false }, options);
  const { role, clock } = station;
  const request = { owner: role.owner, hosts: 1, urlsPerHost: 8, nowMs: clock.now(), leaseMs: worker.leaseMs };
  const [isLeaving, isClaimed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const claiming = role.take(async () => {
    await isLeaving.promise;
    const leases = await opened.store.claim(request);
    isClaimed.resolve();
    return leases;
  });
  claiming.catch(() => {});
  const leaving = station.leave();
  // A worker that does not wait for its claim has left by then.
  await new Promise((resolve) => setTimeout(resolve, 200));
  isLeaving.resolve();
  await Promise.all([leaving, isClaimed.promise]);
  await opened.store.close();
  await Promise.allSettled([claiming]);
  const later = await open();
  t.after(() => later.store.close());
  assert.equal(await later.cluster.isAnyHeld(), false);
});
