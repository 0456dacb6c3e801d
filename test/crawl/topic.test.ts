/**
 * P3: tests the focused crawl on a real web: pages on topic come first, off-topic
 * branches are cut, and everything is explained.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { GivenOptions } from '../../src/core/options/options.ts';
import { isPage } from '../../testbed/web/ledger.ts';
import { type LocalWeb, reply, startWeb } from '../../testbed/web/local-web.ts';
import { crawlHere } from './crawl-here.ts';
import { assertSound, dataFolder, storedUrls } from './stored-crawl.ts';

const ABOUT_SILK = 'The spider spins silk. Orb web silk is strong; a spider eats its web and spins the silk again.';
const ABOUT_TRADE = 'Quarterly invoices, shipping terms and the price of copper cables on the harbour market of today.';

interface Branch {
  readonly path: string;
  readonly text: string;
  readonly anchor: (i: number) => string;
}

const BRANCHES: readonly Branch[] = [
  { path: '/t', text: ABOUT_TRADE, anchor: (i) => `invoice ${i}` },
  { path: '/s', text: ABOUT_SILK, anchor: (i) => (i % 2 ? 'more about spider silk' : 'read more') },
];
const PAGES_OF_BRANCH = 30;

/**
 * Two branches of 30 pages, one off topic and one on topic. Each page links to the next two and back to the seed. A
 * word makes each text its own: a text that all pages share would be template.
 */
async function startBranches(t: TestContext): Promise<LocalWeb> {
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/robots.txt', reply('', {}, 404));
  const link = ({ path, anchor }: Branch, i: number) => `<a href="${path}/${i}">${anchor(i)}</a>`;
  web.on('/', reply(`<h1>A portal</h1>${BRANCHES.map((branch) => link(branch, 1)).join(' ')}`));
  for (const branch of BRANCHES) {
    for (let i = 1; i <= PAGES_OF_BRANCH; i++) {
      const next = [i + 1, i + 2].filter((n) => n <= PAGES_OF_BRANCH).map((n) => link(branch, n));
      web.on(
        `${branch.path}/${i}`,
        reply(`<h1>Page ${i}</h1><p>${branch.text} ${'o'.repeat(i)}</p><a href="/">home</a>${next.join(' ')}`),
      );
    }
  }
  return web;
}

async function crawlTopic(t: TestContext, given: GivenOptions) {
  const web = await startBranches(t);
  const dir = dataFolder(t);
  const summary = await crawlHere(dir, [web.url('/')], { units: 1, concurrency: 4, depth: 100, ...given });
  await assertSound(dir);
  const asked = web.ledger.entries.map(({ path }) => path).filter(isPage);
  return { web, dir, summary, asked, urls: await storedUrls(dir) };
}

test('P3 pages on topic are fetched first, and the off-topic branch is cut', async (t) => {
  const { summary, asked, urls, web } = await crawlTopic(t, { topic: 'spider silk, orb web' });
  const silk = asked.filter((path) => path.startsWith('/s/'));
  const trade = asked.filter((path) => path.startsWith('/t/'));
  assert.equal(silk.length, PAGES_OF_BRANCH, 'all that is on topic is there');
  assert.ok(trade.length <= 8, `${trade.length} pages off topic were fetched`);
  assert.ok(summary.harvest! > 0.75, `harvest ${summary.harvest}`);
  const cut = [...urls.values()].filter(({ reason }) => reason === 'off-topic');
  assert.ok(
    cut.length > 0 &&
      cut.every(({ url, state, relevance }) => state === 'skipped' && url.includes('/t/') && relevance! < 0.3),
  );
  assert.ok(urls.get(web.url('/s/9'))!.relevance! > 0.5, 'of a page its own relevance');
});

test('P3 a topic can be given by example pages', async (t) => {
  const { asked } = await crawlTopic(t, { topicExamples: new URL('topic-examples', import.meta.url).pathname });
  assert.equal(asked.filter((path) => path.startsWith('/s/')).length, PAGES_OF_BRANCH);
  assert.ok(asked.filter((path) => path.startsWith('/t/')).length <= 10);
});

test('P3 the topic can rank URLs without cutting, or not affect the order', async (t) => {
  const uncut = await crawlTopic(t, { topic: 'spider silk', topicThreshold: 0, concurrency: 1 });
  assert.equal(new Set(uncut.asked).size, 2 * PAGES_OF_BRANCH + 1);
  const half = uncut.asked.slice(0, PAGES_OF_BRANCH);
  assert.ok(half.filter((path) => path.startsWith('/s/')).length > half.length * 0.8, half.join(' '));
  const plain = await crawlTopic(t, { topic: 'spider silk', topicThreshold: 0, order: 'breadth-first' });
  const first = plain.asked.slice(0, PAGES_OF_BRANCH).filter((path) => path.startsWith('/s/')).length;
  assert.ok(Math.abs(first - PAGES_OF_BRANCH / 2) <= 3, `${first} of the first ${PAGES_OF_BRANCH}`);
});

test('without a topic nothing is judged', async (t) => {
  const { summary, urls } = await crawlTopic(t, { limit: 5 });
  assert.equal(summary.harvest, undefined);
  assert.ok([...urls.values()].every(({ relevance }) => relevance === null));
});

test('bad topics are refused, and the message says what to do', async (t) => {
  const refused = (given: GivenOptions, message: RegExp) =>
    assert.rejects(crawlHere(dataFolder(t), ['http://127.0.0.1:1/'], given), { code: 'ERR_BAD_OPTION', message });
  await refused({ topic: '!?' }, /no words/);
  await refused({ topic: 'a', topicExamples: 'b' }, /one of them/);
  await refused({ topicExamples: '/nowhere/at/all' }, /--topic-examples/);
  await refused({ order: 'topic' }, /--order topic needs a topic/);
});

test('P3 with another topic, or none, URLs that were cut wait again, and old scores are not reported', async (t) => {
  const { web, dir } = await crawlTopic(t, { topic: 'spider silk, orb web' });
  const settings = { units: 1, concurrency: 4, depth: 100 };
  const other = await crawlHere(dir, [], { ...settings, topic: 'invoice, copper cables, shipping' });
  const trade = new Set(web.ledger.entries.map(({ path }) => path).filter((path) => path.startsWith('/t/')));
  assert.equal(trade.size, PAGES_OF_BRANCH, 'what was off topic before');
  assert.ok(other.harvest! > 0.9, `harvest ${other.harvest}`);
  const plain = await crawlHere(dir, [], { ...settings, topic: 'none' });
  assert.equal(plain.harvest, undefined);
  await assertSound(dir);
});

test('a refused command leaves no folder behind', async (t) => {
  const dir = join(dataFolder(t), 'fresh');
  await assert.rejects(crawlHere(dir, ['http://127.0.0.1:1/'], { order: 'topic' }), { code: 'ERR_BAD_OPTION' });
  assert.equal(existsSync(dir), false);
});
