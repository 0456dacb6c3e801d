/** The topic focus on a small test web: the crawl of the benchmark, in a size that takes a second. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BadOption } from '../../bench/options.ts';
import { DEFAULT_FOCUS } from '../../bench/topic/default-focus.ts';
import { readTopicOptions } from '../../bench/topic/options.ts';
import { WANTED_WORDS } from '../../bench/topic/page-words.ts';
import { crawlBreadthFirst, crawlFocused, type Harvest } from '../../bench/topic/simulate.ts';
import { TopicWeb } from '../../bench/topic/topic-web.ts';
import { WaitingPages } from '../../bench/topic/waiting-pages.ts';
import { topicFromWords } from '../../src/frontier/topic/topic.ts';

const PAGES = 2_000;
const SEEDS = [201, 202, 203] as const;
const topic = topicFromWords(WANTED_WORDS)!;
const webs = SEEDS.map((seed) => new TopicWeb(seed, PAGES));
const afterFifth = ({ found }: Harvest) => found[PAGES / 5 - 1]!;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

test('a seed gives one web: a page in twenty is on topic, page 0 is not, and it reaches all pages', () => {
  for (const [i, web] of webs.entries()) {
    const again = new TopicWeb(SEEDS[i]!, PAGES);
    assert.deepEqual(again.linkTo, web.linkTo);
    assert.equal(again.visibleText(77), web.visibleText(77));
    assert.ok(web.onTopicPages > PAGES * 0.04 && web.onTopicPages < PAGES * 0.06, `${web.onTopicPages}`);
    assert.ok(!web.isOnTopic(0));
    assert.equal(crawlBreadthFirst(web).fetched, PAGES);
  }
  assert.notDeepEqual(webs[0]!.linkTo, webs[1]!.linkTo);
});

test('P3 the harvest over the first fifth is four times that of breadth-first, and nothing is lost in the end', () => {
  const way = { topic, readAround: false, raise: false, cut: null };
  const focused = webs.map((web) => crawlFocused(web, way));
  const ratio = sum(focused.map(afterFifth)) / sum(webs.map((web) => afterFifth(crawlBreadthFirst(web))));
  assert.ok(ratio >= 4, `${ratio}`);
  for (const [i, { fetched, found }] of focused.entries()) {
    assert.equal(fetched, PAGES);
    assert.equal(found[PAGES - 1], webs[i]!.onTopicPages);
  }
});

test('P3 with cut branches, the crawl ends by itself with most of the topic and a part of the web', () => {
  const cut = webs.map((web) => crawlFocused(web, { topic, readAround: false, raise: true, cut: DEFAULT_FOCUS }));
  const recall = sum(cut.map(({ found, fetched }) => found[fetched - 1]!)) / sum(webs.map((web) => web.onTopicPages));
  const share = sum(cut.map(({ fetched }) => fetched)) / (PAGES * webs.length);
  assert.ok(recall > 0.8 && share < 0.5, `${recall} ${share}`);
});

test('the most promising page is taken first, and the earliest among equal pages', () => {
  const waiting = new WaitingPages();
  const promises = Array.from({ length: 200 }, (_, page) => (page * 7919) % 13);
  for (const [page, promise] of promises.entries()) waiting.push(page, promise);
  const expected = [...promises.keys()].sort((a, b) => promises[b]! - promises[a]! || a - b);
  assert.deepEqual(
    expected.map(() => waiting.pop()),
    expected,
  );
  assert.equal(waiting.pop(), -1);
});

test('the topic benchmark has its own flags, and a wrong flag is named', () => {
  const whole = readTopicOptions([]);
  assert.ok(whole !== 'help' && !whole.partial);
  const part = readTopicOptions(['--pages', '4000']);
  assert.ok(part !== 'help' && part.partial && part.pages === 4_000);
  assert.throws(() => readTopicOptions(['--pages', 'few']), BadOption);
  assert.throws(() => readTopicOptions(['--hosts', '2']), BadOption);
});
