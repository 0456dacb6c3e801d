/** Tests crawls that a program runs: the events it receives, and how it ends the crawls. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type CrawlEvent, crawl, type Order, openCopy, type Page } from '../../src/index.ts';
import { type LocalWeb, reply, startWeb, type WebOptions } from '../../testbed/web/local-web.ts';
import { type Site, site } from '../../testbed/web/site.ts';
import { assertSound, dataFolder, storedUrls } from '../crawl/stored-crawl.ts';

async function webWith(t: TestContext, pages: number, options: WebOptions = {}): Promise<LocalWeb & { site: Site }> {
  const web = await startWeb(options);
  t.after(() => web.close());
  const plain = site({ pages });
  web.on('/*', plain.serve);
  return Object.assign(web, { site: plain });
}

const pathsOf = (pages: readonly Page[]) => pages.map(({ url }) => new URL(url).pathname).sort();

test('every page is returned once with its facts, and its bytes can be read', async (t) => {
  const web = await webWith(t, 60);
  const dir = dataFolder(t);
  const pages: Page[] = [];
  for await (const page of crawl(web.url('/'), { dir })) {
    const number = Number(/\d+/.exec(new URL(page.url).pathname)?.[0] ?? 0);
    assert.equal((await page.body()).toString(), web.site.html(number));
    assert.equal(page.title, `Page ${number}`);
    pages.push(page);
  }
  assert.deepEqual(pathsOf(pages), [...web.site.paths].sort());
  const [first] = pages;
  assert.deepEqual(
    [first!.url, first!.status, first!.contentType, first!.depth, first!.duplicateOf, first!.reason, first!.via],
    [web.url('/'), 200, 'text/html', 0, null, null, null],
  );
  assert.ok(Math.abs(first!.fetchedAt.getTime() - Date.now()) < 60_000);
  const { headings, links, text } = await first!.content();
  assert.deepEqual(headings, []);
  assert.ok(
    links.some(({ url, kind, text: words }) => url === web.url('/page/1.html') && kind === 'a' && / 1$/.test(words)),
  );
  assert.match(text, /silk|orb|spiral/);
  const { headers, status } = await first!.response();
  assert.equal(status, 200);
  assert.ok(headers.some(([name, value]) => name === 'content-type' && value === 'text/html; charset=utf-8'));
  assert.equal(JSON.parse(JSON.stringify(first)).title, 'Page 0');
  await assertSound(dir);
});

test('text is decoded with the charset of the page', async (t) => {
  const web = await webWith(t, 0);
  const source = '<meta charset="iso-8859-7"><title>αράχνη</title><p>ιστός';
  const greek = Buffer.from(
    source.replace(/[α-ωά-ώ]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0x2d0)),
    'latin1',
  );
  web.on('/', reply(greek, { 'content-type': 'text/html' }));
  const [page] = await Array.fromAsync(crawl(web.url('/'), { dir: dataFolder(t) }));
  assert.equal(page!.title, 'αράχνη');
  assert.equal(await page!.text(), source);
  assert.deepEqual([(await page!.content()).text, (await page!.content()).charset], ['ιστός', 'iso-8859-7']);
});

test('a page is in the store and the archive before it is returned', async (t) => {
  const web = await webWith(t, 40);
  const dir = dataFolder(t);
  const running = crawl(web.url('/'), { dir });
  let checked = 0;
  for await (const page of running) {
    const copy = await openCopy(dir);
    const stored = await copy.page(page.url);
    assert.equal(stored?.digest, page.digest);
    assert.deepEqual(await stored?.body(), await page.body());
    await copy.close();
    checked++;
  }
  assert.equal(checked, 40);
});

test('events include URLs without a page, the progress and, at the end, the summary', async (t) => {
  const web = await webWith(t, 0);
  web.on('/', reply('<a href="/moved">m</a><a href="/lost">l</a><a href="/private">p</a><a href="/same">s</a>'));
  web.on('/robots.txt', reply('User-agent: *\nDisallow: /private', { 'content-type': 'text/plain' }));
  web.on('/moved', reply('', { location: '/there' }, 301));
  web.on('/there', reply('<p>there'));
  web.on('/same', reply('<p>there'));
  const running = crawl(web.url('/'), { dir: dataFolder(t) });
  const events: CrawlEvent[] = await Array.fromAsync(running.events());
  const told = events.flatMap((event) => {
    if (event.type === 'page') return [`${new URL(event.page.url).pathname} page ${event.page.reason}`];
    if (!('url' in event)) return [];
    return [
      `${new URL(event.url).pathname} ${event.type} ${event.reason} ${event.status} ${event.redirectTo !== null}`,
    ];
  });
  const duplicates = told.filter((line) => line.endsWith('duplicate-content'));
  assert.equal(duplicates.length, 1);
  assert.deepEqual(told.filter((line) => !/^\/(there|same)/.test(line)).sort(), [
    '/ page null',
    '/lost failed not-found 404 false',
    '/moved redirect null 301 true',
    '/private skipped robots-disallowed null false',
    '/sitemap.xml skipped no-sitemap 404 false',
  ]);
  const last = events.at(-1)!;
  assert.ok(last.type === 'done');
  assert.equal(last.summary, await running.summary);
  assert.deepEqual([last.summary.ending, last.summary.pages, last.summary.duplicates], ['done', 2, 1]);
  assert.equal(events.filter(({ type }) => type === 'done').length, 1);
});

test('a reader that starts after the crawl has ended gets all pages', async (t) => {
  const web = await webWith(t, 50);
  const running = crawl(web.url('/'), { dir: dataFolder(t) });
  assert.equal((await running.summary).pages, 50);
  const pages = await Array.fromAsync(running);
  assert.deepEqual(pathsOf(pages), [...web.site.paths].sort());
  assert.equal(pages[0]!.url, web.url('/'));
});

test('leaving the loop stops and saves the crawl, and the next crawl continues it', async (t) => {
  const web = await webWith(t, 300);
  const dir = dataFolder(t);
  const running = crawl(web.url('/'), { dir, concurrency: 4 });
  let first: string | null = null;
  for await (const page of running) {
    first = page.url;
    break;
  }
  const { ending, pages } = await running.summary;
  assert.equal(first, web.url('/'));
  assert.equal(ending, 'interrupted');
  assert.ok(pages < 300, `${pages}`);
  await assertSound(dir);
  const rest = await Array.fromAsync(crawl([], { dir }));
  assert.equal(rest.length, 300 - pages, 'pages of the earlier run are not returned again');
  assert.equal((await storedUrls(dir)).size, 301, 'the pages, and the usual place of a sitemap');
});

test('an error in the body of the loop is thrown unchanged after the crawl has stopped', async (t) => {
  const web = await webWith(t, 300);
  const dir = dataFolder(t);
  const mine = new Error('mine');
  const loop = async (): Promise<void> => {
    for await (const page of crawl(web.url('/'), { dir, concurrency: 4 })) if (page.depth === 0) throw mine;
  };
  await assert.rejects(loop(), mine);
  await assertSound(dir);
  await crawl([], { dir, limit: 1 }).summary;
});

test('stop() ends the loop after all saved pages were returned', async (t) => {
  const web = await webWith(t, 300);
  const dir = dataFolder(t);
  const running = crawl(web.url('/'), { dir, concurrency: 4 });
  const told: Page[] = [];
  for await (const page of running) {
    if (told.length === 0) running.stop();
    told.push(page);
  }
  const { ending, pages } = await running.summary;
  assert.deepEqual([ending, told.length], ['interrupted', pages]);
  assert.ok(pages < 300);
});

test('return() ends a loop that waits for a page', async (t) => {
  const web = await webWith(t, 0);
  web.on('/', reply('<a href="/forever">f</a>'));
  const asked = Promise.withResolvers<void>();
  web.on('/forever', () => asked.resolve());
  await using running = crawl(web.url('/'));
  const pages = running[Symbol.asyncIterator]();
  assert.equal((await pages.next()).value.url, web.url('/'));
  const waiting = pages.next();
  await asked.promise;
  assert.deepEqual(await pages.return!(), { done: true, value: undefined });
  assert.deepEqual(await waiting, { done: true, value: undefined });
  assert.deepEqual(await pages.next(), { done: true, value: undefined });
});

test('a signal ends the crawl at once and the loop with its reason', async (t) => {
  const web = await webWith(t, 0);
  web.on('/', reply('<a href="/forever">f</a>'));
  const asked = Promise.withResolvers<void>();
  web.on('/forever', () => asked.resolve());
  const abort = new AbortController();
  const dir = dataFolder(t);
  const running = crawl(web.url('/'), { dir, signal: abort.signal });
  const told: string[] = [];
  const loop = (async () => {
    for await (const page of running) told.push(page.url);
  })();
  await asked.promise;
  const enough = new Error('enough');
  abort.abort(enough);
  await assert.rejects(loop, enough);
  assert.equal((await running.summary).ending, 'interrupted');
  assert.deepEqual(told, [web.url('/')]);
  await assertSound(dir);
  assert.throws(() => crawl(web.url('/'), { signal: abort.signal }), enough);
});

test('a signal that comes before the crawl has really started ends it too', async (t) => {
  const web = await webWith(t, 10);
  const abort = new AbortController();
  const running = crawl(web.url('/'), { signal: abort.signal });
  abort.abort();
  await assert.rejects(Array.fromAsync(running), { name: 'AbortError' });
  assert.equal((await running.summary).ending, 'interrupted');
  assert.ok(!existsSync(running.dir));
});

test('an error of the crawl is thrown by the loop and by the summary', async (t) => {
  const web = await webWith(t, 300);
  const dir = dataFolder(t);
  const holder = crawl(web.url('/'), { dir, concurrency: 4 });
  const second = crawl(web.url('/'), { dir });
  await assert.rejects(Array.fromAsync(second), { code: 'ERR_LOCKED' });
  await assert.rejects(second.summary, { code: 'ERR_LOCKED' });
  await holder[Symbol.asyncDispose]();
  await assertSound(dir);
});

test('a failed crawl that nobody awaits emits a warning', async (t) => {
  const dir = join(dataFolder(t), 'file');
  copyFileSync(import.meta.filename, dir);
  const warned = Promise.withResolvers<Error>();
  process.once('warning', warned.resolve);
  const running = crawl('http://127.0.0.1:1/', { dir });
  assert.match((await warned.promise).message, /a crawl failed: cannot use the folder/);
  await assert.rejects(running.summary, { code: 'ERR_DIR' });
});

test('two concurrent crawls keep their events apart', async (t) => {
  const webs = await Promise.all(['127.0.0.1', '127.0.0.2'].map((address) => webWith(t, 80, { address })));
  const told = await Promise.all(
    webs.map((web) => Array.fromAsync(crawl(web.url('/'), { dir: dataFolder(t), units: 1 }).events())),
  );
  for (const [i, events] of told.entries()) {
    const urls = events.flatMap((event) => (event.type === 'page' ? [event.page.url] : []));
    assert.deepEqual(urls.sort(), webs[i]!.site.paths.map((path) => webs[i]!.url(path)).sort());
  }
});

test('a crawl can be iterated only once', async (t) => {
  const web = await webWith(t, 3);
  const running = crawl(web.url('/'));
  assert.equal((await Array.fromAsync(running)).length, 3);
  assert.throws(() => running.events(), { code: 'ERR_USAGE' });
});

test('without a dir the copy is deleted when the loop ends, and its pages say so', async (t) => {
  const web = await webWith(t, 3);
  const running = crawl(new URL(web.url('/')));
  const pages: Page[] = [];
  for await (const page of running) {
    assert.match(await page.text(), /^<!doctype html>/);
    assert.ok(existsSync(running.dir));
    pages.push(page);
  }
  assert.equal(pages.length, 3);
  assert.ok(!existsSync(running.dir));
  await assert.rejects(pages[0]!.text(), { code: 'ERR_NOT_IN_COPY', message: /name a dir to keep it/ });
});

test('the database file alone is the whole copy, although the loop was reading it when the crawl ended', async (t) => {
  const web = await webWith(t, 50);
  const [dir, elsewhere] = [dataFolder(t), dataFolder(t)];
  const running = crawl(web.url('/'), { dir });
  for await (const _ of running) await running.summary;
  copyFileSync(join(dir, 'crawl.db'), join(elsewhere, 'crawl.db'));
  assert.equal((await storedUrls(elsewhere)).size, 51);
});

test('a reader that catches up does not block other work', async (t) => {
  const web = await webWith(t, 200);
  const running = crawl(web.url('/'));
  await running.summary;
  let turns = 0;
  let isReading = true;
  const otherWork = (async () => {
    for (; isReading; turns++) await setImmediate();
  })();
  const turnsAtPage: number[] = [];
  for await (const _ of running) turnsAtPage.push(turns);
  isReading = false;
  await otherWork;
  assert.equal(turnsAtPage.length, 200);
  const between = turnsAtPage.at(-1)! - turnsAtPage[0]!;
  assert.ok(between >= 5, `${between} turns`);
});

test('an order of the program decides which pages come first and is refused if it returns no number', async (t) => {
  const web = await webWith(t, 40);
  const numberOf = (url: string) => Number(/\d+/.exec(new URL(url).pathname)?.[0] ?? 0);
  const highest: Order = { name: 'highest-number-first', rank: ({ url }) => -numberOf(url) };
  const told: number[] = [];
  const settings = { order: highest, units: 1, concurrency: 1, perHost: 1 };
  for await (const page of crawl(web.url('/'), settings)) told.push(numberOf(page.url));
  const waiting = new Set([0]);
  // If a page takes longer than usual, the next one is chosen before the links of this page are known.
  let early = new Set([0]);
  for (const number of told) {
    const first = [waiting, early].map((some) => Math.max(...some));
    assert.ok(first.includes(number), `${number} and not one of ${first}, of ${[...waiting]}`);
    waiting.delete(number);
    early = new Set(waiting);
    for (const [, link] of web.site.html(number).matchAll(/href="[^"]*?(\d+)[^"]*"/g)) {
      if (!told.slice(0, told.indexOf(number)).includes(Number(link)) && Number(link) !== number)
        waiting.add(Number(link));
    }
  }
  const broken = crawl(web.url('/'), { order: { name: 'broken', rank: () => Number.NaN } });
  await assert.rejects(broken.summary, {
    code: 'ERR_BAD_OPTION',
    message: /order broken returned .*; it must return a number/,
  });
  assert.throws(() => crawl(web.url('/'), { order: { name: '', rank: () => 0 } }), { code: 'ERR_BAD_OPTION' });
});
