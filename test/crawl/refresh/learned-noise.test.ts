/**
 * Alarms on noise end after a few looks at a host, and no change of own content is lost meanwhile. On a real web that
 * is noisy, and that partly tries to train us.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { NoiseEvidence } from '../../../src/change/evidence/noise-evidence.ts';
import type { GivenOptions } from '../../../src/core/options/options.ts';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { type NoisyWeb, noisyPage, type PageMaker, startNoisyWeb } from '../../../testbed/web/noisy-web.ts';
import { runCli } from '../../cli/setup/run-cli.ts';
import { crawlHere } from '../crawl-here.ts';
import { dataFolder } from '../stored-crawl.ts';
import { changesIn, refreshHere } from './refresh-here.ts';

const STORIES = 8;

async function crawledWeb(t: TestContext, extra: Readonly<Record<string, PageMaker>> = {}) {
  const site = await startNoisyWeb(t, STORIES);
  for (const [path, make] of Object.entries(extra)) site.serve(path, make);
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')]);
  site.forget();
  return { site, dir };
}

/** The paths whose change counted in this refresh. */
async function changedIn(dir: string, site: NoisyWeb, given: GivenOptions = {}): Promise<readonly string[]> {
  const before = (await changesIn(dir)).length;
  await refreshHere(dir, given);
  const news = (await changesIn(dir)).slice(before).filter(({ kind }) => kind === 'changed');
  return news.map(({ url }) => url.replace(site.web.origin, '')).sort();
}

async function ignoredOn(dir: string, host: string): Promise<readonly string[]> {
  const store = readSqliteStore(dir);
  try {
    const evidence = new NoiseEvidence(await store.noiseEvidence(host));
    return evidence
      .ignored(Date.now())
      .map(({ path }) => path)
      .sort();
  } finally {
    await store.close();
  }
}

test('after one refresh with second looks, noise is no change any more, and real changes are', async (t) => {
  const { site, dir } = await crawledWeb(t);
  await changedIn(dir, site);
  const twice = site.stories.filter((path) => site.asked(path) === 2);
  assert.equal(twice.length, 4, 'only a few pages are looked at twice');
  assert.deepEqual(await ignoredOn(dir, site.web.origin), [
    'aside.side > div.ad-slot',
    'aside.side > div.teaser',
    'aside.side > ol.most-read',
    'footer.foot > p.count',
  ]);
  site.forget();
  assert.deepEqual(await changedIn(dir, site), []);
  assert.ok(site.stories.every((path) => site.asked(path) === 1));
  site.edit('/story/3', 'The lantern was sold for little money.');
  site.edit('/story/7', 'The lantern was sold for 40 euros.');
  assert.deepEqual(await changedIn(dir, site), ['/story/3', '/story/7']);
  const noise = (await changesIn(dir)).filter(({ kind }) => kind === 'noise').at(-1);
  assert.match(noise?.change ?? '', /"learned: aside\.side > div\.teaser"/);
});

test('explain says what is ignored, why, since when and what it shows; history names it', async (t) => {
  const { site, dir } = await crawledWeb(t);
  await changedIn(dir, site);
  await changedIn(dir, site);
  const url = site.web.url('/story/5');
  const { stdout } = await runCli('explain', url, '--dir', dir);
  assert.match(stdout, /To find noise, 4 pages of its host were fetched twice\./);
  assert.match(stdout, /aside\.side > div\.teaser: it differed within a moment, on 4 pages; since \d{4}-\d\d-\d\d/);
  assert.match(stdout, /here: "\w+ \w+ \w+ \w+ number \d+"/);
  const { noise } = JSON.parse((await runCli('explain', url, '--dir', dir, '--json')).stdout);
  const counter = noise.regions.find(({ path }: { path: string }) => path === 'footer.foot > p.count');
  assert.deepEqual([noise.secondLooks, counter.proof, counter.pages], [4, 'double-look', 4]);
  const status = JSON.parse((await runCli('status', '--dir', dir, '--json')).stdout);
  assert.deepEqual([status.noise[0].secondLooks, status.noise[0].ignored.length], [4, 4]);
  assert.match((await runCli('status', '--dir', dir)).stdout, /pages fetched twice +ignored regions\n.* 4 +4/);
  assert.match(
    (await runCli('history', url, '--dir', dir)).stdout,
    /only noise: .*learned: aside\.side > ol\.most-read/,
  );
});

test('a fixed number of requests leaves none for second looks, and other visits teach the lists of links', async (t) => {
  const { site, dir } = await crawledWeb(t);
  for (let visit = 0; visit < 5; visit++) await changedIn(dir, site, { budget: 100 });
  assert.ok(site.stories.every((path) => site.asked(path) === 5));
  assert.ok((await ignoredOn(dir, site.web.origin)).includes('aside.side > ol.most-read'));
});

test('a text that rotates without any link is learned from pages that changed twice in a row', async (t) => {
  const quotes = ['Well begun', 'Half done', 'Slow and steady', 'Better late'];
  const make: PageMaker = (look) =>
    `<title>Tea</title><main><h1>Tea</h1><p>All about tea.</p></main><aside><p class="quote">${quotes[look % 4]}</p></aside>`;
  const paths = [0, 1, 2, 3, 4].map((at) => `/quote/${at}`);
  const { site, dir } = await crawledWeb(t, Object.fromEntries(paths.map((path) => [path, make])));
  const quoted = (changed: readonly string[]) => changed.filter((path) => path.startsWith('/quote/')).length;
  assert.ok(quoted(await changedIn(dir, site)) > 0);
  await changedIn(dir, site);
  await changedIn(dir, site);
  assert.equal(quoted(await changedIn(dir, site)), 0);
});

test('with --no-learn-noise, every visible difference is a change, also in later runs', async (t) => {
  const { site, dir } = await crawledWeb(t);
  assert.deepEqual((await changedIn(dir, site, { learnNoise: false })).length, STORIES);
  assert.ok(site.stories.every((path) => site.asked(path) === 1));
  assert.deepEqual((await changedIn(dir, site)).length, STORIES);
  await changedIn(dir, site, { learnNoise: true });
  assert.deepEqual(await changedIn(dir, site), []);
});

/** What the pages of a kind show while they train us, and then two things that a reader must be told apart. */
const ATTACKS: Readonly<Record<string, readonly [train: PageMaker, was: string, is: string]>> = {
  advertisement: [(look) => `<div class="ad-slot">Offer of today: ${'abcdefgh'[look % 8]}</div>`, '19.90', '29.90'],
  deal: [(look) => `<aside><p class="deal">${10 + look} €</p></aside>`, '<p class="deal">20 €', '<p class="deal">30 €'],
  related: [(look) => `<div class="related"><a href="/${look}">Story ${look}</a></div>`, 'Flood', 'Drought'],
  article: [(look) => `<article><p>Version ${look} of the story.</p></article>`, 'A judge', 'A jury'],
  clock: [() => `<p>The time now is ${new Date().toISOString().slice(11, 19)}.</p>`, 'Monday', 'Friday'],
  consent: [(look) => `<iframe id="sp_message_iframe_${look}" title="Consent"></iframe>`, 'Assam', 'Ceylon'],
  hyphen: [(look) => `<p>The tea${look % 2 === 0 ? '&shy;' : ''}house is open.</p>`, 'red', 'green'],
  link: [(look) => `<p><a href="${look % 2 === 0 ? '/link/1' : '1'}">The winner</a></p>`, 'a', 'b'],
};

/** The same place, with something that a reader must know. */
const TOLD: Readonly<Record<string, (text: string) => string>> = {
  advertisement: (text) => `<div class="ad-slot">Offer of today: ${text}</div>`,
  deal: (text) => `<aside>${text}</p></aside>`,
  related: (text) => `<div class="related"><h1>${text}</h1><p>${text} in the valley, says the mayor.</p></div>`,
  article: (text) => `<article><p>${text} decided the case.</p></article>`,
  clock: (text) => `<p>The time now is 12:00, and on ${text} it ends.</p>`,
  consent: (text) => `<iframe id="sp_message_iframe_1" title="The harvest of ${text} is sold"></iframe>`,
  hyphen: (text) => `<p>The tea&shy;house is ${text}.</p>`,
  link: (text) => `<p><a href="//${text}.example/link/1">The winner</a></p>`,
};

test('pages that try to train us are reported when they tell something', async (t) => {
  const kinds = Object.keys(ATTACKS);
  const paths = kinds.flatMap((kind) => [0, 1, 2, 3].map((at) => `/${kind}/${at}`));
  const extra = paths.map((path) => [path, (look: number) => page(ATTACKS[path.split('/')[1]!]![0](look), look)]);
  const { site, dir } = await crawledWeb(t, Object.fromEntries(extra));
  for (let look = 0; look < 2; look++) await changedIn(dir, site);
  for (const version of [1, 2] as const) {
    for (const kind of kinds) {
      site.serve(`/${kind}/0`, (look) => page(TOLD[kind]!(ATTACKS[kind]![version]), look));
    }
    const changed = await changedIn(dir, site);
    for (const kind of kinds) assert.ok(changed.includes(`/${kind}/0`), `${kind}, version ${version}`);
  }
});

function page(own: string, look: number): string {
  return noisyPage(own, 'A page', look);
}
