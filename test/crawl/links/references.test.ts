/** Crawls a small web by each class of references: what is fetched, and what is left out. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { GivenOptions } from '../../../src/core/options/options.ts';
import { MIN_GUESSES } from '../../../src/store/rules/guess-rule.ts';
import { type LocalWeb, reply, startWeb } from '../../../testbed/web/local-web.ts';
import { crawlHere, fatesOf } from '../crawl-here.ts';
import { dataFolder } from '../stored-crawl.ts';

const CSS = { 'content-type': 'text/css' };
const SCRIPT = { 'content-type': 'text/javascript' };
const HTML = { 'content-type': 'text/html' };

async function startSite(
  t: TestContext,
  files: Readonly<Record<string, readonly [object, string]>>,
): Promise<LocalWeb> {
  const web = await startWeb();
  t.after(() => web.close());
  for (const [path, [headers, body]] of Object.entries(files)) {
    web.on(path, reply(body, headers as Record<string, string>));
  }
  return web;
}

async function crawled(t: TestContext, web: LocalWeb, given: GivenOptions): Promise<Record<string, string>> {
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { units: 1, patience: '0s', ...given });
  return fatesOf(dir, web.origin);
}

const SITE = {
  '/': [
    { ...HTML, link: '</linked>; rel=next', 'content-location': '/index' },
    '<link rel=stylesheet href=/a.css><script type=module src=/a.js></script><img data-src=/lazy.png>' +
      '<iframe srcdoc="<a href=/inner>x</a>"></iframe><form action=/go><input type=hidden name=a value=1></form>' +
      '<!--[if IE]><a href=/old>x</a><![endif]--><!-- <a href=/commented>x</a> --><script>load("/said")</script>',
  ],
  '/a.css': [CSS, '@import "b.css"; @font-face { src: url(f.woff2) }'],
  '/b.css': [CSS, 'a { background: url(b.png) }'],
  '/a.js': [SCRIPT, 'import "./c.js"; fetch("/data")'],
  '/c.js': [SCRIPT, 'export * from "./d.js"'],
  '/d.js': [SCRIPT, ''],
} as const;

const DOCUMENTS = ['/', '/go?a=1', '/index', '/inner', '/linked', '/old'];
const ASSETS = ['/a.css', '/a.js', '/b.css', '/b.png', '/c.js', '/d.js', '/f.woff2', '/lazy.png'];
const GUESSES = ['/commented', '/said'];
const BY_BOTH = ['/data'];

test('documents are followed by default, assets and guesses only if asked for', async (t) => {
  const web = await startSite(t, SITE);
  const found = async (given: GivenOptions) => Object.keys(await crawled(t, web, given)).sort();
  assert.deepEqual(await found({}), DOCUMENTS);
  assert.deepEqual(await found({ assets: true }), [...DOCUMENTS, ...ASSETS].sort());
  assert.deepEqual(await found({ guess: true }), [...DOCUMENTS, ...GUESSES].sort());
  assert.deepEqual(
    await found({ assets: true, guess: true }),
    [...DOCUMENTS, ...ASSETS, ...GUESSES, ...BY_BOTH].sort(),
  );
});

test('the parts of a page at the depth limit are fetched, its links are not', async (t) => {
  const web = await startSite(t, SITE);
  const fates = await crawled(t, web, { assets: true, depth: 0 });
  for (const path of ASSETS) assert.notEqual(fates[path], 'skipped/too-deep', path);
  assert.equal(fates['/linked'], 'skipped/too-deep');
});

test('guesses are counted apart, and given up where most are wrong; a link among them is fetched', async (t) => {
  const strings = Array.from({ length: 3 * MIN_GUESSES }, (_, i) => `"/wrong/${i}"`).join();
  const last = `/wrong/${3 * MIN_GUESSES - 1}`;
  const page = `<a href=/links>x</a><script>x = [${strings}]</script>`;
  const web = await startSite(t, { '/': [HTML, page], '/links': [HTML, `<a href=${last}>x</a>`] });
  const dir = dataFolder(t);
  const summary = await crawlHere(dir, [web.url('/')], { guess: true, units: 1, concurrency: 1, patience: '0s' });
  const fates = await fatesOf(dir, web.origin);
  const given = Object.values(fates).filter((fate) => fate === 'skipped/guess-abandoned').length;
  assert.ok(given > MIN_GUESSES, `${given} guesses were left out`);
  assert.equal(fates[last], 'failed/not-found');
  assert.equal(summary.guesses?.wrong, summary.guesses?.asked);
  assert.equal(summary.guesses!.asked + given + 1, 3 * MIN_GUESSES);
});

test('guesses that a unit already has are given back when most guesses of the host were wrong, and no answer is lost', async (t) => {
  const names = Array.from({ length: 200 }, (_, i) => `/guess/${i}.html`);
  const script = names.map((name) => `load("${name}")`).join(';');
  const web = await startSite(t, { '/': [HTML, `<a href="/linked">x</a><script>${script}</script>`] });
  web.on('/linked', reply('<p>linked'));
  web.on('/guess/*', (visit) => void setTimeout(() => reply('no', {}, 404)(visit), 10));
  const dir = dataFolder(t);
  const { pages } = await crawlHere(dir, [web.url('/')], { guess: true, perHost: 4, patience: '0s' });
  assert.equal(pages, 2);
  const asked = web.ledger.of(web.host).filter(({ path }) => path.startsWith('/guess/')).length;
  assert.ok(asked >= MIN_GUESSES && asked < 100, `${asked} guesses were requested`);
  const fates = Object.values(await fatesOf(dir, web.origin));
  assert.equal(fates.filter((fate) => fate === 'failed/not-found').length, asked, 'every answer is stored');
  assert.equal(fates.filter((fate) => fate === 'skipped/guess-abandoned').length, names.length - asked);
});
