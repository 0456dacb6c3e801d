/** Tests a crawl that is planned again while workers run: they receive the new rules and continue by them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotedRules } from '../../../src/crawl/cluster/noted-rules.ts';
import { isPage } from '../../../testbed/web/ledger.ts';
import { reply, startWeb } from '../../../testbed/web/local-web.ts';
import { noPostgres } from '../../setup/postgres.ts';
import { TestCluster } from './setup/cluster-here.ts';

const PAGES = 48;
const RULES = { scope: 'host', allowPrivate: true, patience: '1s', units: 1, concurrency: 8, watchers: false };

test('rules count as changed if a rule or the need for a secret has changed, but not for a local setting', async () => {
  let noted = JSON.stringify({ depth: 3, concurrency: 8 });
  const rules = new NotedRules({ note: async () => noted });
  assert.equal((await rules.read()).values.depth, 3);
  noted = JSON.stringify({ depth: 3, concurrency: 16 });
  assert.equal(await rules.haveChanged(), false);
  noted = JSON.stringify({ depth: 4, concurrency: 16 });
  assert.equal(await rules.haveChanged(), true);
  assert.equal((await rules.read()).values.depth, 4);
  assert.equal(await rules.haveChanged(), false);
  noted = JSON.stringify({ depth: 4, secrets: ['header'] });
  assert.equal(await rules.haveChanged(), true);
});

test('running workers continue with the rules of a second plan, and fetch nothing twice', {
  skip: noPostgres,
}, async (t) => {
  const web = await startWeb({ address: '127.0.7.1' });
  t.after(() => web.close());
  const { entries } = web.ledger;
  const cluster = await TestCluster.open(t);
  const links = Array.from({ length: PAGES }, (_, i) => `<a href="/p${i}">p</a>`).join('');
  let again: Promise<void> | null = null;
  web.on('/', reply(links));
  web.on('/p*', (visit) => {
    const body = reply(`page ${visit.path} <a href="/deep${visit.path.slice(1)}">deeper</a>`);
    if (again === null && entries.length >= 20) {
      again = cluster.plan([], { ...RULES, depth: 2, userAgent: 'Second/2.0 (+https://second.example/)' });
    }
    // From the new plan on, every page waits for the plan, so no worker gets ahead of it.
    void Promise.resolve(again).then(() => setTimeout(() => body(visit), 40));
  });
  web.on('/deep*', (visit) => reply(`as deep as ${visit.path} goes`)(visit));
  await cluster.plan([web.url('/')], { ...RULES, depth: 1, userAgent: 'First/1.0 (+https://first.example/)' });
  const summary = await cluster.start('a').ended;
  await again;
  assert.deepEqual([summary?.ending, summary?.pages, summary?.fetched], ['done', 1 + 2 * PAGES, 1 + 2 * PAGES]);
  const pages = entries.filter(({ path }) => isPage(path));
  assert.equal(new Set(pages.map(({ path }) => path)).size, pages.length, 'no page was asked for twice');
  const agents = pages.map(({ headers }) => String(headers['user-agent']).slice(0, 5));
  const turn = agents.indexOf('Secon');
  assert.ok(turn > 10 && turn < PAGES, `after ${turn} pages`);
  assert.ok(agents.slice(turn).every((agent) => agent === 'Secon'));
});
