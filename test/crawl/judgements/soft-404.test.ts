/** Tests soft 404s in a crawl: pages with the answer of their host for a path that does not exist are marked. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { sentences } from '../../../src/copy/sentences/url-sentences.ts';
import { collectUrlFacts } from '../../../src/copy/url-facts.ts';
import type { GivenOptions } from '../../../src/core/options/options.ts';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { type LocalWeb, reply, startWeb, type Visit } from '../../../testbed/web/local-web.ts';
import { crawlHere, fatesOf } from '../crawl-here.ts';
import { refreshHere } from '../refresh/refresh-here.ts';
import { assertSound, dataFolder } from '../stored-crawl.ts';

const LOST = Array.from({ length: 12 }, (_, n) => `/old/${n}.html`);
const MADE_UP = /\/[a-z]{20}(\.html)?$/;

type Site = (visit: Visit) => string | { readonly to: string } | null;

function links(hrefs: readonly string[]): string {
  return hrefs.map((href) => `<a href="${href}">link</a>`).join('\n');
}

function document(title: string, body: string): string {
  return `<!doctype html><title>${title}</title><body>${body}`;
}

/** Crawls a site whose main page links to real pages and to lost ones. `site` answers all other paths. */
async function crawlSite(t: TestContext, site: Site, given: GivenOptions = {}, robots = '') {
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/robots.txt', reply(robots, { 'content-type': 'text/plain' }, robots === '' ? 404 : 200));
  web.on('/sitemap.xml', reply('', {}, 404));
  web.on('/*', (visit) => {
    const answer = site(visit);
    if (answer === null) reply(document('Error', 'not found'), {}, 404)(visit);
    else if (typeof answer === 'string') reply(answer)(visit);
    else visit.response.writeHead(302, { location: answer.to }).end();
  });
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { patience: '0s', ...given });
  await assertSound(dir);
  const probes = web.ledger.entries.map(({ path }) => path).filter((path) => MADE_UP.test(path));
  return { web, dir, probes, fates: await fatesOf(dir, web.origin) };
}

const MAIN = document('Main page', links(['/real', ...LOST]));
const REAL = document('A real page', 'with a text of its own');

function siteWith(errorPage: (path: string) => string): Site {
  return ({ path }) => (path === '/' ? MAIN : path === '/real' ? REAL : errorPage(path));
}

function assertMarked(fates: Readonly<Record<string, string>>): void {
  for (const path of LOST) assert.equal(fates[path], 'fetched/soft-404', path);
  assert.equal(fates['/'], 'fetched');
  assert.equal(fates['/real'], 'fetched');
}

test('twelve identical error pages are twelve soft 404s, and the host is asked once for a made-up path', async (t) => {
  const { fates, probes, web, dir } = await crawlSite(
    t,
    siteWith(() => document('Oh no', 'Sorry!')),
    { units: 1 },
  );
  assertMarked(fates);
  assert.equal(probes.length, 1);
  assert.equal(web.ledger.count('/'), 2, 'the main page was compared once');
  assert.ok(
    probes.every((path) => fates[path] === undefined),
    'the made-up path is no page',
  );
  const store = readSqliteStore(dir);
  t.after(() => store.close());
  const counts = await store.counts();
  assert.equal(counts.reasons['soft-404'], 12);
  const lines = sentences(await collectUrlFacts(store, web.url(LOST[0]!)), '', Date.now());
  assert.ok(
    lines.some((line) => line.startsWith('Note: its host gives the same answer for a path that does not exist')),
    lines.join('\n'),
  );
  assert.ok(
    lines.some((line) => line.includes(`asked for ${web.origin}${probes[0]}`)),
    lines.join('\n'),
  );
});

test('an error page that repeats the requested path and a number is recognised by its title', async (t) => {
  let visitors = 0;
  const errorPage = (path: string) =>
    document('404: page not found', `Nothing at ${path}. You are visitor ${++visitors}.`);
  const { fates, probes } = await crawlSite(t, siteWith(errorPage));
  assertMarked(fates);
  assert.ok(probes.length >= 1);
});

/** At most as many are not marked as are requested before the host has answered. */
function assertMostMarked(fates: Readonly<Record<string, string>>, state: string): void {
  const marked = LOST.filter((path) => fates[path] === `${state}/soft-404`).length;
  assert.ok(marked >= LOST.length - 3, `${marked}`);
  assert.equal(fates['/'], 'fetched');
  assert.equal(fates['/real'], 'fetched');
}

for (const [what, errorPage] of [
  [
    'names the requested path',
    (path: string) => document('Example', `We have nothing at ${path}. Have a look at the menu.`),
  ],
  [
    'has a random identifier',
    () => document('Example', `Please send us this number: ${randomUUID()}. Thank you very much.`),
  ],
  [
    'is a search for the words of the path',
    (path: string) =>
      document('Search', `There are no results for ${path.slice(1, -5).replaceAll('/', ' ')} on this site.`),
  ],
] as const) {
  test(`an error page without a telling title is recognised that ${what}`, async (t) => {
    const { fates } = await crawlSite(t, siteWith(errorPage), { units: 1, perHost: 1 });
    assertMostMarked(fates, 'fetched');
  });
}

test('short pages with the title of the error page are not marked', async (t) => {
  const short = (path: string) => document('Example', `Room ${path.slice(5, -5)}: ${path.length} beds.`);
  const { fates, probes } = await crawlSite(t, ({ path }) => {
    if (path === '/')
      return document('Main page', links(['/real', ...LOST, '/room/green.html', '/room/blue-one.html']));
    if (path.startsWith('/room/') && !MADE_UP.test(path)) return short(path);
    return path === '/real' ? REAL : document('Example', `We have nothing at ${path}. Have a look at the menu.`);
  });
  assert.ok(probes.length > 0);
  assert.equal(fates['/room/green.html'], 'fetched');
  assert.equal(fates['/room/blue-one.html'], 'fetched');
});

test('redirects of lost pages to a search for their words are marked', async (t) => {
  const { fates } = await crawlSite(t, ({ path }) => {
    if (path === '/') return MAIN;
    if (path === '/real') return REAL;
    return path.startsWith('/search') ? document('Search', path) : { to: `/search?q=${encodeURIComponent(path)}` };
  });
  assertMostMarked(fates, 'redirect');
});

test('redirects of lost pages to one page are marked, and the page is not', async (t) => {
  const { fates } = await crawlSite(t, ({ path }) =>
    path === '/' ? MAIN : path === '/real' ? REAL : path === '/sorry' ? document('Sorry', 'Sorry!') : { to: '/sorry' },
  );
  const marked = LOST.filter((path) => fates[path] === 'redirect/soft-404').length;
  assert.ok(marked >= LOST.length - 2, `${marked}`);
  assert.ok(LOST.every((path) => fates[path]!.startsWith('redirect')));
  assert.equal(fates['/sorry'], 'fetched');
});

test('nothing is marked on a host that answers with an error, although it has equal pages', async (t) => {
  const { fates, probes } = await crawlSite(t, ({ path }) =>
    path === '/' ? MAIN : LOST.includes(path) ? document('The same', 'text') : null,
  );
  assert.equal(probes.length > 0, true);
  assert.deepEqual([...new Set(LOST.map((path) => fates[path]))].sort(), ['duplicate/duplicate-content', 'fetched']);
});

test('a single-page application sends one page for all paths: nothing is marked', async (t) => {
  const shell = document('App', `<div id=app></div>${links(['/real', ...LOST])}`);
  const { fates, probes } = await crawlSite(t, () => shell);
  assert.ok(probes.length > 0);
  assert.ok(Object.values(fates).every((fate) => !fate.includes('soft-404')));
  assert.equal(Object.keys(fates).length, LOST.length + 2);
});

test('a host whose pages all differ is not asked, and neither is one whose robots.txt forbids the path', async (t) => {
  const honest = await crawlSite(
    t,
    siteWith((path) => document(`Story ${'abcdefghijkl'[LOST.indexOf(path)]}`, `text of ${path}`)),
  );
  assert.deepEqual(honest.probes, []);
  const forbidding = await crawlSite(
    t,
    siteWith(() => document('Sorry', 'Sorry!')),
    {},
    `User-agent: *\nAllow: /$\nAllow: /real\n${LOST.map((path) => `Allow: ${path}`).join('\n')}\nDisallow: /`,
  );
  assert.deepEqual(forbidding.probes, []);
  assert.ok(Object.values(forbidding.fates).every((fate) => !fate.includes('soft-404')));
});

test('a soft 404 that becomes a page loses its mark at the next refresh', async (t) => {
  let isBack = false;
  const { dir, web, fates } = await crawlSite(t, (visit) => {
    if (isBack && visit.path === LOST[3]) return document('Back again', 'This page has a text of its own again.');
    return siteWith(() => document('Oh no', 'Sorry!'))(visit);
  });
  assert.equal(fates[LOST[3]!], 'fetched/soft-404');
  isBack = true;
  await refreshHere(dir, { minInterval: '0s' });
  const after = await fatesOf(dir, web.origin);
  assert.equal(after[LOST[3]!], 'fetched');
  assert.equal(after[LOST[4]!], 'fetched/soft-404');
  await assertSound(dir);
});

test('a seed is never marked', async (t) => {
  const web: LocalWeb = await startWeb();
  t.after(() => web.close());
  web.on('/robots.txt', reply('', {}, 404));
  web.on('/', reply(MAIN));
  web.on('/*', reply(document('404 not found', 'Sorry!')));
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/old/0.html'), web.url('/')], { patience: '0s' });
  const fates = await fatesOf(dir, web.origin);
  assert.ok(!fates['/old/0.html']!.includes('soft-404'), fates['/old/0.html']);
  assert.equal(fates['/old/5.html'], 'fetched/soft-404');
});
