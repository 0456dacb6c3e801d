import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { BadOption } from '../../bench/options.ts';
import { CHANGE_KINDS, changePage, kindOf, pickPages } from '../../bench/refresh/change-page.ts';
import { compareUpdates, isReached } from '../../bench/refresh/compare.ts';
import { checkReport } from '../../bench/refresh/copy-check.ts';
import { readRefreshOptions } from '../../bench/refresh/options.ts';
import { drawPicture } from '../../bench/refresh/picture.ts';
import { type RefreshResults, textReport } from '../../bench/refresh/report.ts';
import type { UpdateRun } from '../../bench/refresh/run-update.ts';
import { changePages, makeSite } from '../../bench/refresh/sites.ts';
import { countUpdate } from '../../bench/refresh/update-log.ts';
import { filePath, type LocalWeb, makeWeb } from '../../bench/web/make.ts';
import { renderPage } from '../../bench/web/page.ts';
import { WebPlan } from '../../bench/web/plan.ts';

const PAGES = 200;
const PLAN = new WebPlan({ seed: 1, pages: PAGES, hosts: 1 }, 21_400);

function linksIn(html: string): string[] {
  return Array.from(html.matchAll(/<a href="([^"]*)"/g), (match) => new URL(match[1]!, PLAN.seedUrl).href);
}

/** The parts of both texts between the first and the last character that differ. */
function difference(left: string, right: string): [string, string] {
  let start = 0;
  while (left[start] === right[start]) start++;
  let end = 1;
  while (left.at(-end) === right.at(-end) && end <= Math.min(left.length, right.length) - start) end++;
  return [left.slice(start, left.length - end + 1), right.slice(start, right.length - end + 1)];
}

describe('the change of the site', () => {
  it('is the same for the same seed, and a smaller one is part of a larger one', () => {
    const [some, more] = [pickPages(PLAN, 6), pickPages(PLAN, 24)];
    assert.deepEqual([...some], [...pickPages(PLAN, 6)]);
    assert.deepEqual([some.size, more.size, pickPages(PLAN, PAGES).size], [6, 24, PAGES]);
    for (const page of some) assert.ok(more.has(page));
    const other = new WebPlan({ ...PLAN.shape, seed: 2 }, PLAN.port);
    assert.notDeepEqual([...pickPages(other, 24)].sort(), [...more].sort());
  });

  it('changes one sentence, one figure or one link target, and keeps the size', () => {
    const urls = new Set(Array.from({ length: PAGES }, (_, page) => PLAN.url(page)));
    const kinds = new Map(CHANGE_KINDS.map((kind) => [kind, 0]));
    for (let page = 0; page < PAGES; page++) {
      const old = renderPage(PLAN, page);
      const html = changePage(PLAN, page, old);
      const kind = kindOf(PLAN, page);
      kinds.set(kind, kinds.get(kind)! + 1);
      assert.notEqual(html, old);
      assert.equal(html, changePage(PLAN, page, old));
      assert.ok(Math.abs(html.length - old.length) < 200, `page ${page}: ${html.length - old.length} characters`);
      const [was, is] = difference(old, html);
      if (kind === 'figure') assert.match(`${was} ${is}`, /^\d* \d*$/);
      if (kind === 'sentence') assert.doesNotMatch(was + is, /[<>"]/);
      const [before, now] = [linksIn(old), linksIn(html)];
      assert.equal(now.length, 60);
      assert.equal(now.filter((link, place) => link !== before[place]).length, kind === 'link' ? 1 : 0);
      for (const link of now) assert.ok(urls.has(link), link);
    }
    for (const [kind, count] of kinds) assert.ok(count > PAGES / 20, `${count} of kind ${kind}`);
  });
});

describe('a site on disk', () => {
  let work: string;
  let web: LocalWeb;

  before(async () => {
    work = await mkdtemp(join(tmpdir(), 'bench-refresh-'));
    web = await makeWeb(work, { seed: 1, pages: 20, hosts: 1 }, () => {});
  });
  after(() => rm(work, { recursive: true }));

  it('differs only in the changed files, and all other files keep their times', async () => {
    const changed = await changePages(web, join(work, 'changed'));
    const site = await makeSite(web, join(work, 'site'), changed, 5, false);
    assert.deepEqual(site.changed, pickPages(web.plan, 5));
    for (let page = 0; page < 20; page++) {
      const [was, is] = [filePath(web.folder, web.plan, page), filePath(site.folder, web.plan, page)];
      const html = await readFile(is, 'utf8');
      assert.equal(html !== renderPage(web.plan, page), site.changed.has(page));
      assert.equal(gunzipSync(await readFile(`${is}.gz`)).toString(), html);
      for (const form of ['', '.gz']) {
        const advancedMs = (await stat(is + form)).mtimeMs - (await stat(was + form)).mtimeMs;
        if (!site.changed.has(page)) assert.equal(advancedMs, 0);
        // Times are whole seconds, so that a validator with a resolution of one second differs.
        else assert.ok(advancedMs > 0 && (await stat(is + form)).mtimeMs % 1000 === 0, `${advancedMs} ms`);
      }
    }
    // The web itself does not change.
    for (const page of site.changed) {
      assert.equal(await readFile(filePath(web.folder, web.plan, page), 'utf8'), renderPage(web.plan, page));
    }
  });

  it('gives the change time of each page in its sitemaps, one of them gzipped', async () => {
    const changed = await changePages(web, join(work, 'changed'));
    const site = await makeSite(web, join(work, 'site'), changed, 5, true);
    const hostFolder = join(site.folder, web.plan.host(0));
    const origin = new URL(web.plan.seedUrl).origin;
    assert.match(await readFile(join(hostFolder, 'robots.txt'), 'utf8'), new RegExp(`Sitemap: ${origin}/sitemap.xml`));
    assert.doesNotMatch(await readFile(join(web.folder, web.plan.host(0), 'robots.txt'), 'utf8'), /Sitemap/);

    const read = async (name: string) => {
      const bytes = await readFile(join(hostFolder, name));
      return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
    };
    const entries = (xml: string) =>
      Array.from(xml.matchAll(/<loc>(.*?)<\/loc><lastmod>(.*?)<\/lastmod>/g), ([, loc, at]) => ({
        loc: loc!,
        atMs: Date.parse(at!),
      }));
    const files = entries(await read('sitemap.xml'));
    assert.equal(files.length, 4);
    assert.equal(files.filter(({ loc }) => loc.endsWith('.gz')).length, 1);
    const told = new Map<string, number>();
    for (const { loc, atMs } of files) {
      const pages = entries(await read(loc.slice(origin.length + 1)));
      assert.equal(atMs, Math.max(...pages.map((page) => page.atMs)));
      for (const page of pages) told.set(page.loc, page.atMs);
    }
    assert.equal(told.size, 20);
    for (let page = 0; page < 20; page++) {
      const { mtimeMs } = await stat(filePath(site.folder, web.plan, page));
      assert.equal(told.get(web.plan.url(page)), Math.floor(mtimeMs / 1000) * 1000);
    }
  });
});

it('the log of an update shows the pages that were sent in vain and the changes that were missed', () => {
  const line = (status: number, path: string, body: number, sent: number) =>
    `${status} 127.0.0.1 ${path} ${body} gzip 1731668401.500 ${sent}\n`;
  const log = [
    line(200, '/robots.txt', 24, 200),
    line(200, PLAN.path(1), 14_000, 14_300),
    line(200, PLAN.path(1), 14_000, 14_300),
    line(200, PLAN.path(2), 14_000, 14_300),
    line(304, PLAN.path(3), 0, 180),
    // The answer to a HEAD request: the page was asked about, but not sent.
    line(200, PLAN.path(4), 0, 300),
    line(500, PLAN.path(5), 10, 100),
  ].join('');
  assert.deepEqual(countUpdate(log, { plan: PLAN, changed: new Set([1, 4, 5, 6]) }), {
    requests: 7,
    sentBytes: 43_680,
    bodyBytes: 42_034,
    notModified: 1,
    failures: 1,
    missed: 3,
    needless: 2,
    untouched: PAGES - 5,
  });
});

it('refresh must print exactly the changed pages', () => {
  assert.deepEqual(checkReport({ new: 0, changed: 2, unchanged: 8, gone: 0, failed: 0 }, 2, 0), []);
  assert.deepEqual(checkReport({ new: 1, changed: 3, gone: 0, failed: 0 }, 2, 0), [
    'prints 1 new instead of 0',
    'prints 3 changed instead of 2',
  ]);
  // Two pages and a sitemap.
  assert.deepEqual(checkReport({ new: 0, changed: 3, gone: 0, failed: 0 }, 2, 1), []);
  assert.deepEqual(checkReport(undefined, 2, 0), ['printed no JSON']);
});

function run(contender: UpdateRun['contender'], figures: Partial<UpdateRun>): UpdateRun {
  return {
    contender,
    variant: 'validators',
    share: 3,
    round: 1,
    pages: 10_000,
    changed: 300,
    wallSeconds: 6,
    cpuSeconds: 10,
    peakRssMb: 200,
    requests: 10_001,
    sentBytes: 140e6,
    bodyBytes: 138e6,
    notModified: 0,
    failures: 0,
    missed: 0,
    needless: 9_700,
    untouched: 0,
    copy: undefined,
    journal: undefined,
    failure: undefined,
    ownCount: undefined,
    ...figures,
  };
}

const ROUNDS = [1, 2, 3].flatMap((round) => [
  run('crawl', { round, wallSeconds: 6 + round }),
  run('refresh', { round, wallSeconds: (6 + round) / 8, sentBytes: 6e6, notModified: 9_700, needless: 0 }),
]);
const SCRAPY = run('scrapy', { pages: 2_000, wallSeconds: 28, sentBytes: 7e6, requests: 2_001, needless: 0 });

it('ratios refer to the full crawl of the same round, and a smaller site is scaled up first', () => {
  const rows = compareUpdates([...ROUNDS, SCRAPY]);
  const of = (contender: UpdateRun['contender']) => rows.find((row) => row.contender === contender)!;
  assert.deepEqual(of('refresh').timeRatio, { median: 1 / 8, min: 1 / 8, max: 1 / 8 });
  assert.equal(of('refresh').wallSeconds?.median, 1);
  assert.equal(of('crawl').byteRatio?.median, 1);
  assert.equal(of('scrapy').wallSeconds?.median, 140);
  assert.equal(of('scrapy').timeRatio?.median, 20);
  assert.equal(of('scrapy').byteRatio?.median, 0.25);
  assert.equal(isReached(rows), true);
});

it('a row reaches its aim only if no change was missed and both time and bytes are within the limits', () => {
  const without = (figures: Partial<UpdateRun>) =>
    compareUpdates(ROUNDS.map((each) => (each.contender === 'refresh' ? { ...each, ...figures } : each)));
  assert.equal(isReached(without({ sentBytes: 8e6 })), false);
  assert.equal(isReached(without({ wallSeconds: 2 })), false);
  assert.equal(isReached(without({ failure: '1 changes are not told' })), false);
  assert.equal(isReached(compareUpdates(ROUNDS.map((each) => ({ ...each, share: 12 })))), undefined);
});

it('the report names failed runs, scaled contenders and reached aims', () => {
  const failed = run('wget', { failure: '3 changed pages were not fetched' });
  const machine = { cpu: 'any', cores: 2, memoryGb: 1, system: 'any', node: 'v24', date: 'today' };
  const options = readRefreshOptions([]) as RefreshResults['options'];
  const withoutCopy = ['scrapy, HTTP cache, sitemap: its first copy lacks 2 pages'];
  const runs = [...ROUNDS, SCRAPY, failed];
  const text = textReport({ options, machine, server: 'nginx', crawlers: [], withoutCopy, runs });
  assert.match(text, /wget, validators, 3 %, round 1: 3 changed pages were not fetched/);
  assert.match(text, /scaled to 10,000/);
  assert.match(text, /of a full crawl: reached/);
  assert.match(text, /first copy lacks 2 pages/);
  assert.match(text, /orbweaver refresh +3 % +1\.00 +10,001 +6\.0 +200 +0 +0\.13× \(0\.13–0\.13\) +0\.043×/);
});

it('the picture has a line for each contender with figures in each panel', () => {
  const runs = [1, 3, 12].flatMap((share) => [...ROUNDS, SCRAPY].map((each) => ({ ...each, share })));
  const svg = drawPicture(compareUpdates(runs));
  // Three contenders, each with a line for time and a line for bytes.
  assert.equal(svg.match(/<polyline/g)?.length, 6);
  assert.doesNotMatch(svg, /NaN|Infinity/);
});

it('the refresh benchmark has its own flags, and a wrong flag is named', () => {
  const whole = readRefreshOptions(['--repeat', '5']);
  assert.ok(whole !== 'help' && !whole.partial);
  assert.deepEqual([whole.pages, whole.shares, whole.repeat], [10_000, [0, 1, 3, 12, 100], 5]);
  const quick = readRefreshOptions(['--quick', '--only', 'refresh']);
  assert.ok(quick !== 'help' && quick.partial);
  assert.deepEqual([quick.repeat, quick.shares, quick.variants], [1, [3], ['validators']]);
  assert.deepEqual(quick.only, ['refresh', 'crawl']);
  for (const args of [
    ['--shares', '3,101'],
    ['--shares', ''],
    ['--variants', 'etag'],
    ['--only', 'colly'],
  ]) {
    assert.throws(() => readRefreshOptions(args), BadOption, args.join(' '));
  }
});
