/** W14 on a shared store: a refresh asks watchers as a refresh of a folder does, from any machine. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { reply } from '../../../testbed/web/local-web.ts';
import { startWatchedSite, type WatchedSite } from '../../../testbed/web/watched-site.ts';
import { noPostgres } from '../../setup/postgres.ts';
import { TestCluster } from './setup/cluster-here.ts';
import { openCluster } from './setup/open-cluster.ts';
import { refreshThere } from './setup/refresh-there.ts';

const skip = noPostgres;
const PAGES = 150;
const AUDIT = Math.ceil((PAGES + 1) / 64);
const FIRST_SAMPLE = 32;

async function crawled(t: TestContext, given = {}): Promise<WatchedSite & { readonly cluster: TestCluster }> {
  const site = await startWatchedSite(t, { pages: PAGES });
  const cluster = await TestCluster.open(t);
  await cluster.crawl([site.site.web.url('/')], { patience: '0s', units: 1, ...given }).summary;
  site.site.forget();
  return { ...site, cluster };
}

async function recordIn(cluster: TestCluster) {
  const { store } = await openCluster(cluster.url, 'test');
  try {
    return (await store.watchers())[0]!;
  } finally {
    await store.close();
  }
}

test('W14 in a shared store, the report alone drives the refresh, and any machine can continue it', {
  skip,
}, async (t) => {
  const { cluster, site, watcher, edit, remove, asked } = await crawled(t);
  // A crawl by several workers takes no listing: the first refresh compares hashes.
  edit('/page/7', '<p>Another seventh page, with other words.</p>');
  const first = await refreshThere(cluster, 'one');
  assert.deepEqual([first.changed, first.requests, asked().length], [1, 1 + FIRST_SAMPLE, 1 + FIRST_SAMPLE]);
  assert.equal(first.watchers[0]!.stance, 'leading');
  assert.equal(watcher.held, null, 'the lease was given back');
  assert.equal((await recordIn(cluster)).cursor, 'e1.1');

  site.forget();
  watcher.queries.length = 0;
  const changed = [10, 20, 30].map((i) => `/page/${i}`);
  for (const path of changed) edit(path, `<p>${path} is another page altogether now.</p>`);
  edit('/new', '<p>A new page that nothing links to.</p>');
  remove('/page/5');
  const second = await refreshThere(cluster, 'two');
  const told = changed.length + 2;
  assert.deepEqual([second.requests, asked().length], [told + AUDIT, told + AUDIT]);
  assert.deepEqual([second.new, second.changed, second.gone, second.left], [1, 3, 1, 0]);
  assert.deepEqual(
    watcher.queries.map((query) => [...query.keys()].join()),
    ['since,take,for', 'release'],
  );
  assert.equal(second.watchers[0]!.questions, 2);
});

test('W7 if another crawler has the site, a refresh in a shared store waits its time and continues without the lease', {
  skip,
}, async (t) => {
  const { cluster, site, watcher, edit } = await crawled(t);
  await refreshThere(cluster, 'one');
  site.forget();
  edit('/page/7', '<p>Another seventh page, with other words.</p>');
  watcher.held = { holder: 'evil', untilMs: Date.now() + 600_000, token: 'theirs' };
  const { watchers, left, changed } = await refreshThere(cluster, 'two', { leaseWait: '1s' });
  assert.deepEqual([changed, left], [1, 0]);
  assert.deepEqual([watchers[0]!.stance, watchers[0]!.lease, watchers[0]!.heldBy], ['leading', 'refused', 'evil']);
});

test('a watcher that stops reporting is detected in a cluster, and all pages are visited in the same round', {
  skip,
}, async (t) => {
  const { cluster, site, watcher, edit, asked } = await crawled(t);
  await refreshThere(cluster, 'one');
  site.forget();
  watcher.misbehaves = 'silent';
  for (let i = 0; i < PAGES; i++) edit(`/page/${i}`, `<p>Page ${i} is another one.</p>`);
  const { changed, watchers } = await refreshThere(cluster, 'two');
  assert.deepEqual([changed, watchers[0]!.stance, new Set(asked()).size], [PAGES, 'doubted', PAGES + 1]);
});

test('W7 only one refresh at a time visits a watched site: others skip it while the first one is alive', {
  skip,
}, async (t) => {
  const { cluster, site, watcher, edit, asked } = await crawled(t);
  await refreshThere(cluster, 'one');
  site.forget();
  edit('/page/7', '<p>Another seventh page, with other words.</p>');
  const { store, cluster: workers } = await openCluster(cluster.url, 'test');
  const joining = { name: 'first', machine: 'elsewhere', pid: 1, archiveDir: '/elsewhere' };
  const { owner } = await workers.join(joining, 600_000);
  const held = { holder: 'first', untilMs: Date.now() + 600_000, token: 'of-the-first' };
  await store.setNote(`watcher-lease ${site.web.origin}`, JSON.stringify({ ...held, owner }));
  watcher.held = held;
  const second = await refreshThere(cluster, 'two');
  assert.deepEqual([second.requests, asked()], [0, []]);
  assert.equal(second.watchers[0]!.heldBy, 'another worker of this crawl');
  // The owner leaves. The next worker presents its watcher lease.
  await workers.leave(owner);
  await store.close();
  const third = await refreshThere(cluster, 'two');
  assert.deepEqual([third.changed, third.watchers[0]!.stance, watcher.held], [1, 'leading', null]);
});

test('W14 a refresh on another machine knows the address of the report that a page named', { skip }, async (t) => {
  const { site } = await startWatchedSite(t, { pages: 3, place: '/changes' });
  const link = { link: '</changes>; rel="orbweaver-report"' };
  site.web.on('/page/1', reply('<p>It points to the report.</p>', link));
  const cluster = await TestCluster.open(t);
  await cluster.crawl([site.web.url('/')], { patience: '0s', units: 1 }).summary;
  assert.equal((await recordIn(cluster)).url, site.web.url('/changes'));
  const { watchers } = await refreshThere(cluster, 'one');
  assert.equal(watchers[0]!.questions, 2);
});
