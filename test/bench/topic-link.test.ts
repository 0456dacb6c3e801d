import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_FOCUS } from '../../bench/topic/default-focus.ts';
import { INHERITANCE, isCut, SEED_TRAIL, type Trail, trailAfter } from '../../src/frontier/topic/off-topic-trail.ts';
import { topicFromWords } from '../../src/frontier/topic/topic.ts';
import { LINK_WEIGHTS, linkRelevance, SPEAKS_OF_OTHER, TopicFocus } from '../../src/frontier/topic/topic-focus.ts';

const SILENT = { anchor: 0, url: 0, around: 0, inherited: 0, anchorSpeaks: false };
const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-12, `${actual} ${expected}`);

test('P3 each source of a link counts by its weight, alone and together with others', () => {
  assert.equal(linkRelevance(SILENT), 0);
  for (const source of ['anchor', 'url', 'around', 'inherited'] as const) {
    near(linkRelevance({ ...SILENT, [source]: 1 }), LINK_WEIGHTS[source]);
    near(linkRelevance({ ...SILENT, [source]: 0.5 }), LINK_WEIGHTS[source] / 2);
  }
  near(
    linkRelevance({ ...SILENT, anchor: 1, inherited: 1 }),
    1 - (1 - LINK_WEIGHTS.anchor) * (1 - LINK_WEIGHTS.inherited),
  );
  near(linkRelevance({ ...SILENT, inherited: 1, anchorSpeaks: true }), LINK_WEIGHTS.inherited * SPEAKS_OF_OTHER);
  near(linkRelevance({ ...SILENT, url: 0.1, inherited: 1, anchorSpeaks: true }), 1 - (1 - LINK_WEIGHTS.url / 10) * 0.5);
});

function judge(focus: TopicFocus, path: string, anchor: string, inherited: number, around?: string): number {
  const url = `http://host.test${path}`;
  return focus.judgeLink({ url, pathAt: 16, anchor, ...(around === undefined ? {} : { around }) }, inherited);
}

test('P3 a URL is judged before the fetch by its anchor, its own words, the words around it and its page', () => {
  const focus = new TopicFocus(topicFromWords('spider silk, orb web')!);
  for (let i = 0; i < 100; i++)
    focus.judgePage({ title: '', text: `Read more here. The town and its bridge${i}, click and read on.` });
  assert.equal(judge(focus, '/p/1', 'read more', 0), 0);
  assert.ok(judge(focus, '/p/1', 'Orb-web spiders', 0) > 0.85);
  assert.ok(judge(focus, '/garden/SpiderSilk.html', 'read more', 0) > 0.85);
  assert.ok(judge(focus, '/p/1', 'spiders', 0) > 0.5);
  const around = judge(focus, '/p/1', 'here', 0, 'on spider silk read');
  assert.ok(around > 0.3 && around <= LINK_WEIGHTS.around);
  near(judge(focus, '/p/1', 'read more', 0.8), 0.8 * LINK_WEIGHTS.inherited);
  near(judge(focus, '/p/1', 'cheap loans', 0.8), 0.8 * LINK_WEIGHTS.inherited * SPEAKS_OF_OTHER);
  // The name of the host does not count, because all its pages share it.
  assert.equal(focus.judgeLink({ url: 'http://spider.test/p', pathAt: 18, anchor: '' }, 0), 0);
});

test('P3 a page on topic starts a new trail, and off topic the trail fades', () => {
  const rules = { threshold: 0.3, maxStepsOff: 2 };
  const on = trailAfter({ inherited: 0, stepsOff: 7 }, 0.9, rules);
  assert.deepEqual(on, { inherited: 0.9, stepsOff: 0 });
  const once = trailAfter(on, 0, rules);
  assert.deepEqual(once, { inherited: 0.9 * INHERITANCE, stepsOff: 1 });
  const twice = trailAfter(once, 0.2, rules);
  assert.deepEqual(twice, { inherited: 0.2, stepsOff: 2 });
});

test('P3 a branch is followed off topic for some steps and then cut, but never at a promising URL', () => {
  const rules = { threshold: 0.3, maxStepsOff: 2 };
  const fate = (trail: Trail) => [isCut(0, trail, rules), isCut(0.29, trail, rules), isCut(0.3, trail, rules)];
  let trail: Trail = trailAfter(SEED_TRAIL, 0.9, rules);
  const cuts: boolean[][] = [];
  for (let step = 0; step < 4; step++, trail = trailAfter(trail, 0, rules)) cuts.push(fate(trail));
  assert.deepEqual(cuts, [
    [false, false, false],
    [false, false, false],
    [true, true, false],
    [true, true, false],
  ]);
});

test('from a seed off topic the branch is followed further than from a page', () => {
  let trail = trailAfter(SEED_TRAIL, 0, DEFAULT_FOCUS);
  let levels = 0;
  for (; !isCut(0, trail, DEFAULT_FOCUS); levels++) trail = trailAfter(trail, 0, DEFAULT_FOCUS);
  assert.equal(levels, DEFAULT_FOCUS.maxStepsOff + 1);
});
