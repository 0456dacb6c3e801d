/**
 * Tests the budgets of path patterns in a crawl (C8): sites with many pages of one pattern are fetched completely, and
 * endless spaces end.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sentences } from '../../../src/copy/sentences/url-sentences.ts';
import { collectUrlFacts } from '../../../src/copy/url-facts.ts';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { isPage } from '../../../testbed/web/ledger.ts';
import { reply, startWeb } from '../../../testbed/web/local-web.ts';
import { ENDLESS_SPACES, endless, forum, news, serve, type WideSite } from '../../../testbed/web/wide-sites.ts';
import { crawlHere, fatesOf } from '../crawl-here.ts';
import { assertSound, dataFolder } from '../stored-crawl.ts';

const BUDGET = 30;

async function crawlSite(t: TestContext, site: WideSite) {
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/robots.txt', reply('', {}, 404));
  web.on('/sitemap.xml', reply('', {}, 404));
  web.on('/*', serve(site));
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { patternBudget: BUDGET, depth: 255 });
  await assertSound(dir);
  const asked = web.ledger.entries.filter(({ path }) => isPage(path) && path !== '/sitemap.xml').length;
  return { web, dir, fates: await fatesOf(dir, web.origin), asked };
}

for (const [name, site] of [
  ['a forum whose topics are known far ahead', forum(400, true)],
  ['a forum whose lists are found page by page', forum(400, false)],
  ['a news archive whose articles link to later ones', news(200)],
  ['a news archive whose articles are known far ahead', news(200, true)],
] as const) {
  test(`C8 ${name} is fetched completely`, async (t) => {
    const { fates } = await crawlSite(t, site);
    assert.deepEqual(
      site.paths().filter((path) => fates[path] !== 'fetched' && !fates[path]?.startsWith('fetched/')),
      [],
    );
  });
}

for (const name of Object.keys(ENDLESS_SPACES) as (keyof typeof ENDLESS_SPACES)[]) {
  test(`C8 an endless space ends: ${name}`, async (t) => {
    const { asked, fates } = await crawlSite(t, endless(name));
    // The three pages of the sessions have three patterns, and so three budgets.
    const patterns = name === 'sessions' ? 3 : 1;
    const others = Object.keys(fates).filter((path) => path.startsWith('/item/') || path === '/about').length + 1;
    assert.ok(asked - others <= 2 * BUDGET * patterns, `${asked - others} pages`);
    // Growing paths end by the limit on directories. All others would go on without the budget.
    if (name !== 'paths') assert.ok(asked - others >= BUDGET * patterns, `${asked - others} pages`);
  });
}

test('C8 explain says what a pattern has brought, and why a URL of it is left out', async (t) => {
  const { dir, web, fates } = await crawlSite(t, endless('calendar'));
  const [path] = Object.entries(fates).find(([, fate]) => fate === 'skipped/trap-pattern-budget')!;
  const store = readSqliteStore(dir);
  t.after(() => store.close());
  const facts = await collectUrlFacts(store, web.url(path));
  const lines = sentences(facts, '', Date.now());
  assert.ok(
    lines.includes(
      `Its path pattern is ${web.origin}/calendar/#/#: 0 of 30 answers brought something new. Left out: ${facts.budget!.leftOut} URLs.`,
    ),
    lines.join('\n'),
  );
  assert.ok(
    lines.includes(
      'The pattern has ended: pages without anything new have used up all 30 places of its budget (--pattern-budget).',
    ),
  );
});
