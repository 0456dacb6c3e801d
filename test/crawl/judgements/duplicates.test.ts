/**
 * Tests which URLs become pages: duplicates by canonical link and by content (C7), redirects with their chain kept
 * (C9), endless URL spaces (C6, C8), the depth limit (E4), the scope. Each URL that is no page has a reason.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { GivenOptions } from '../../../src/core/options/options.ts';
import { isPage } from '../../../testbed/web/ledger.ts';
import { type LocalWeb, reply, startWeb } from '../../../testbed/web/local-web.ts';
import { crawlHere, fatesOf } from '../crawl-here.ts';
import { refreshHere } from '../refresh/refresh-here.ts';
import { assertSound, dataFolder, storedUrls } from '../stored-crawl.ts';

type Pages = Readonly<Record<string, string | { readonly to: string }>>;

/** Starts a web with these pages: texts or redirects. */
async function startPages(t: TestContext, pages: Pages, address = '127.0.0.1'): Promise<LocalWeb> {
  const web = await startWeb({ address });
  t.after(() => web.close());
  web.on('/robots.txt', reply('', {}, 404));
  web.on('/*', (visit) => {
    const page = pages[visit.path];
    if (page === undefined) reply(`nothing at ${visit.path}`, {}, 404)(visit);
    else if (typeof page === 'string') reply(page)(visit);
    else visit.response.writeHead(301, { location: page.to }).end();
  });
  return web;
}

/** Crawls from `/` and returns the final state of each URL. */
async function crawlPages(t: TestContext, pages: Pages, given: GivenOptions = {}) {
  const web = await startPages(t, pages);
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { patience: '0s', ...given });
  await assertSound(dir);
  return { web, dir, fates: await fatesOf(dir, web.origin) };
}

function links(...hrefs: readonly string[]): string {
  return hrefs.map((href) => `<a href="${href}">link</a>`).join('\n');
}

function naming(canonical: string, text: string): string {
  return `<link rel="canonical" href="${canonical}"><p>${text}</p>`;
}

const SHOE =
  'A walking shoe with a sole of cork and an upper of felt, quiet on stone floors, resoled by hand in a village of weavers';

test('C7 pages that resemble their canonical URL are duplicates of it, and that URL is fetched', async (t) => {
  const { web, dir, fates } = await crawlPages(t, {
    '/': links('/shoe?color=red', '/shoe?color=blue', '/self'),
    '/shoe?color=red': naming('/shoe', `${SHOE}. Red.`),
    '/shoe?color=blue': naming('/shoe', `${SHOE}. Blue.`),
    '/shoe': naming('/shoe', `${SHOE}.`),
    '/self': naming('/self', 'itself'),
  });
  assert.deepEqual(fates, {
    '/': 'fetched',
    '/self': 'fetched',
    '/shoe': 'fetched',
    '/shoe?color=blue': 'duplicate/duplicate-canonical',
    '/shoe?color=red': 'duplicate/duplicate-canonical',
  });
  const record = (await storedUrls(dir)).get(web.url('/shoe?color=red'))!;
  assert.equal(record.canonical, web.url('/shoe'));
  assert.equal(record.duplicateOf, web.url('/shoe'));
});

/** Twenty words that no page of another number has. */
function words(of: string): string {
  return Array.from({ length: 20 }, (_, i) => hash('sha256', `${of} ${i}`).replaceAll(/\d/g, '').slice(0, 12)).join(
    ' ',
  );
}

test('C7 no page is lost through a wrong canonical link: each is kept with the reason', async (t) => {
  const away = await startPages(t, { '/': words('away') }, '127.0.0.2');
  const ofKind: Readonly<Record<string, (page: string, i: number) => string>> = {
    missing: () => '/nothing',
    failing: () => '/failing',
    forbidden: (page) => `/private${page}`,
    away: () => away.url('/'),
    back: (page) => `/back${page}`,
    unlike: () => '/',
    chain: (_, i) => (i < 5 ? `/chain/${i + 1}` : '/chain/5'),
    loop: (_, i) => `/loop/${(i + 1) % 6}`,
    hidden: () => '/hidden',
    upper: (page) => page.toUpperCase(),
    fragment: (page) => `${page}#top`,
  };
  const pages = Object.entries(ofKind).flatMap(([kind, target]) =>
    Array.from({ length: 6 }, (_, i) => {
      const page = `/${kind}/${i}`;
      return [page, naming(target(page, i), `Page ${i} ${words(page)}`)] as const;
    }),
  );
  const web = await startWeb();
  t.after(() => web.close());
  const body = new Map<string, string>([...pages, ['/', `${words('home')} ${links(...pages.map(([page]) => page))}`]]);
  body.set('/hidden', `<meta name=robots content=noindex>${words('hidden')}`);
  web.on('/robots.txt', reply('User-agent: *\nDisallow: /private/\n'));
  web.on('/*', (visit) => {
    const { path } = visit;
    if (path.startsWith('/back/back')) visit.response.writeHead(301, { location: path.slice(5) }).end();
    else if (path === '/failing') reply('failing', {}, 400)(visit);
    else if (body.has(path)) reply(body.get(path)!)(visit);
    else reply(`nothing at ${path}`, {}, 404)(visit);
  });
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { patience: '0s' });
  await assertSound(dir);
  const stored = await storedUrls(dir);
  const verdicts: Record<string, Set<string | null>> = {};
  for (const [page] of pages) {
    const { state, duplicateOf, canonicalVerdict } = stored.get(web.url(page))!;
    assert.deepEqual([state, duplicateOf], ['fetched', null], page);
    const kind = page.split('/')[1]!;
    verdicts[kind] = (verdicts[kind] ?? new Set()).add(canonicalVerdict);
  }
  assert.deepEqual(verdicts, {
    missing: new Set(['target-missing']),
    failing: new Set(['target-failed']),
    forbidden: new Set(['target-refused']),
    away: new Set(['target-out-of-scope']),
    back: new Set(['target-redirects-back']),
    unlike: new Set(['target-unlike']),
    chain: new Set(['target-unlike', null]),
    loop: new Set(['loop']),
    hidden: new Set(['target-noindex']),
    upper: new Set(['target-missing']),
    fragment: new Set([null]),
  });
});

test('C7 a refresh corrects a duplicate whose canonical page has become another one', async (t) => {
  const pages: Record<string, string> = {
    '/': links('/shoe', '/shoe?print'),
    '/shoe?print': naming('/shoe', SHOE),
    '/shoe': SHOE,
  };
  const { web, dir, fates } = await crawlPages(t, pages);
  assert.equal(fates['/shoe?print'], 'duplicate/duplicate-canonical');
  pages['/shoe'] = words('hat');
  await refreshHere(dir);
  const { state, canonicalVerdict } = (await storedUrls(dir)).get(web.url('/shoe?print'))!;
  assert.deepEqual([state, canonicalVerdict], ['fetched', 'target-unlike']);
});

test('of pages with identical content, the first stays and the others are its duplicates', async (t) => {
  const { web, dir, fates } = await crawlPages(
    t,
    { '/': links('/one', '/two', '/three'), '/one': 'same', '/two': 'same', '/three': 'same' },
    { concurrency: 1, units: 1 },
  );
  assert.deepEqual(fates, {
    '/': 'fetched',
    '/one': 'fetched',
    '/three': 'duplicate/duplicate-content',
    '/two': 'duplicate/duplicate-content',
  });
  const stored = await storedUrls(dir);
  for (const path of ['/two', '/three']) assert.equal(stored.get(web.url(path))?.duplicateOf, web.url('/one'));
});

test('C9 a chain of redirects is stored step by step, to its final page', async (t) => {
  const { web, dir, fates } = await crawlPages(t, {
    '/': links('/old'),
    '/old': { to: '/older' },
    '/older': { to: '/now' },
    '/now': 'here',
  });
  assert.deepEqual(fates, { '/': 'fetched', '/now': 'fetched', '/old': 'redirect', '/older': 'redirect' });
  const stored = await storedUrls(dir);
  assert.equal(stored.get(web.url('/old'))?.redirectTo, web.url('/older'));
  assert.equal(stored.get(web.url('/older'))?.redirectTo, web.url('/now'));
  assert.equal(stored.get(web.url('/old'))?.capture?.status, 301);
});

test('redirect loops end', async (t) => {
  const { web, fates } = await crawlPages(t, {
    '/': links('/a', '/self'),
    '/a': { to: '/b' },
    '/b': { to: '/c' },
    '/c': { to: '/a' },
    '/self': { to: '/self' },
  });
  assert.deepEqual(fates, {
    '/': 'fetched',
    '/a': 'redirect',
    '/b': 'redirect',
    '/c': 'failed/redirect-loop',
    '/self': 'failed/redirect-loop',
  });
  for (const { path } of web.ledger.entries) assert.equal(web.ledger.count(path), 1, path);
});

test('--max-redirects ends a chain that is longer', async (t) => {
  const { web, fates } = await crawlPages(
    t,
    { '/': links('/1'), '/1': { to: '/2' }, '/2': { to: '/3' }, '/3': { to: '/4' }, '/4': 'never seen' },
    { maxRedirects: 2 },
  );
  assert.equal(fates['/3'], 'redirect/too-many-redirects');
  assert.equal(fates['/4'], 'skipped/too-many-redirects');
  assert.equal(web.ledger.count('/4'), 0);
});

test('a redirect to another host is followed for a seed, but not for a page', async (t) => {
  const target = await startPages(t, { '/': 'home', '/away': 'away' }, '127.0.0.2');
  const moved = await startPages(t, { '/': { to: target.url('/') } });
  const dir = dataFolder(t);
  await crawlHere(dir, [moved.url('/')], { patience: '0s' });
  assert.deepEqual(await fatesOf(dir, target.origin), { '/': 'fetched', [moved.url('/')]: 'redirect' });

  const { fates } = await crawlPages(t, { '/': links('/leave'), '/leave': { to: target.url('/away') } });
  assert.equal(fates['/leave'], 'redirect/out-of-scope');
  assert.equal(target.ledger.count('/away'), 0);
});

test('the site that a seed redirects to is in the scope of the crawl', async (t) => {
  const target = await startPages(t, { '/': `home${links('/inner')}`, '/inner': 'inner' }, '127.0.0.2');
  const moved = await startPages(t, { '/': { to: target.url('/') } });
  const dir = dataFolder(t);
  await crawlHere(dir, [moved.url('/')], { patience: '0s' });
  assert.equal((await fatesOf(dir, target.origin))['/inner'], 'fetched');
});

test('C6 C8 each URL of a trap says which rule stopped it', async (t) => {
  const session = 'jsessionid=0123456789ABCDEF0123456789ABCDEF';
  const long = `/long/${'x'.repeat(2_100)}`;
  const deep = `/${Array.from({ length: 25 }, (_, i) => `d${i}`).join('/')}/page`;
  const toys = '/toys/computers/toys/computers/toys/computers/';
  const { web, fates } = await crawlPages(t, {
    '/': links(toys, deep, long, `/shop;${session}`),
    '/shop': 'the shop itself',
  });
  assert.deepEqual(fates, {
    '/': 'fetched',
    [deep]: 'skipped/trap-directory-depth',
    [long]: 'skipped/trap-url-length',
    '/shop': 'fetched',
    [`/shop;${session}`]: 'skipped/trap-session-id',
    [toys]: 'skipped/trap-repeated-segments',
  });
  assert.equal(web.ledger.entries.filter(({ path }) => isPage(path)).length, 2);
});

test('C8 the budget of a URL pattern stops an endless calendar, and the rest of the site is crawled', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/robots.txt', reply('', {}, 404));
  web.on('/', reply(links('/calendar?day=1', ...Array.from({ length: 40 }, (_, i) => `/item/${i}`))));
  web.on('/item/*', (visit) => reply(visit.path)(visit));
  web.on('/calendar', (visit) => {
    const day = Number(visit.path.split('=')[1]);
    reply(`day ${day} ${links(`/calendar?day=${day + 1}`, `/calendar?day=${day + 2}`)}`)(visit);
  });
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { patternBudget: 20, depth: 200 });
  const fates = Object.entries(await fatesOf(dir, web.origin));
  const days = fates.filter(([path]) => path.startsWith('/calendar'));
  assert.equal(days.filter(([, fate]) => fate === 'fetched').length, 20);
  assert.ok(days.filter(([, fate]) => fate === 'skipped/trap-pattern-budget').length > 0);
  assert.ok(days.every(([, fate]) => fate === 'fetched' || fate === 'skipped/trap-pattern-budget'));
  assert.equal(fates.filter(([path, fate]) => path.startsWith('/item') && fate === 'fetched').length, 40);
});

test('E4 --depth counts links from the seeds on the shortest known path', async (t) => {
  const { fates } = await crawlPages(
    t,
    { '/': links('/1'), '/1': links('/2'), '/2': links('/3', '/1'), '/3': 'too far' },
    { depth: 2 },
  );
  assert.deepEqual(fates, { '/': 'fetched', '/1': 'fetched', '/2': 'fetched', '/3': 'skipped/too-deep' });
});

test('E4 a page that is found too deep first and nearer later is fetched', async (t) => {
  // Depth first follows the long path before the short one.
  const { fates } = await crawlPages(
    t,
    {
      '/': links('/long1', '/short'),
      '/long1': `long ${links('/long2')}`,
      '/long2': `longer ${links('/goal')}`,
      '/short': `short ${links('/goal')}`,
      '/goal': 'goal',
    },
    { depth: 2, order: 'depth-first', concurrency: 1, units: 1 },
  );
  assert.equal(fates['/goal'], 'fetched');
});

test('the scopes page, prefix, host and any, and include and exclude, select URLs', async (t) => {
  const far = await startPages(t, { '/far': 'far' }, '127.0.0.2');
  const pages: Pages = {
    '/docs/': links('/docs/a', '/docs/b.pdf', '/blog', far.url('/far')),
    '/docs/a': 'a',
    '/docs/b.pdf': 'b',
    '/blog': 'blog',
  };
  const web = await startPages(t, pages);
  const fetchedWith = async (given: GivenOptions): Promise<string[]> => {
    const dir = dataFolder(t);
    await crawlHere(dir, [web.url('/docs/')], { patience: '0s', ...given });
    return Object.entries(await fatesOf(dir, web.origin))
      .filter(([, fate]) => fate === 'fetched')
      .map(([url]) => url)
      .sort();
  };
  assert.deepEqual(await fetchedWith({ scope: 'page' }), ['/docs/']);
  assert.deepEqual(await fetchedWith({ scope: 'prefix' }), ['/docs/', '/docs/a', '/docs/b.pdf']);
  assert.deepEqual(await fetchedWith({ scope: 'host' }), ['/blog', '/docs/', '/docs/a', '/docs/b.pdf']);
  const everything = ['/blog', '/docs/', '/docs/a', '/docs/b.pdf', far.url('/far')].sort();
  assert.deepEqual(await fetchedWith({ scope: 'any' }), everything);
  assert.deepEqual(await fetchedWith({ include: ['*/docs/*'] }), ['/docs/', '/docs/a', '/docs/b.pdf']);
  assert.deepEqual(await fetchedWith({ exclude: ['*.pdf'] }), ['/blog', '/docs/', '/docs/a']);
  assert.deepEqual(await fetchedWith({ include: ['*/docs/*'], exclude: ['*.pdf'] }), ['/docs/', '/docs/a']);
});
