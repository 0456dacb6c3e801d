import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageBag } from '../../src/frontier/topic/page-bag.ts';
import { MAX_FEATURES, topicFromExamples, topicFromWords } from '../../src/frontier/topic/topic.ts';
import { TopicFocus } from '../../src/frontier/topic/topic-focus.ts';
import { WordScan } from '../../src/frontier/topic/word-scan.ts';

const ORB_WEAVERS = `The garden spider spins an orb web each night and eats it before dawn. Spider silk is drawn from spinnerets; dragline
  silk bears the weight and capture silk is sticky. A spider rebuilds the orb web in half an hour. Orb webs differ between species, and the
  silk of each spider has its own strength.`;
const SILK = `Spider silk is stronger than steel of the same weight. The proteins of the silk are kept as a liquid in the glands of the
  spider and harden when drawn. Most spiders make several kinds of silk, for the frame of the web and for its spiral.`;
const BREAD = `Mix the flour with water and leave the dough to rise in a warm place for an hour. The oven should be hot before the bread
  goes in. Our web site has more recipes of the bakers of the town, and each of the loaves has a story.`;
const TRAINS = `The trains of the valley line leave each hour before noon and the tickets are sold on the web and at the station. The line
  has bridges of steel, and the weight of the engines is the same as a century before.`;
const HARBOUR = `The harbour has a web cam and a list of the ships that leave before noon. Each of the captains is paid by the weight of
  the cargo, and the town has the same number of cranes as a century before.`;

function judge(focus: TopicFocus, text: string, title = ''): number {
  return focus.judgePage({ title, text });
}

/** Judges forty pages of a crawl that have nothing to do with spiders. */
function readOthers(focus: TopicFocus): void {
  for (let i = 0; i < 40; i++) judge(focus, `${[BREAD, TRAINS, HARBOUR][i % 3]} number${i} today${i * 7}`);
}

test('P3 a page on the topic of a few words has a relevance above 0.5, an unrelated one about 0', () => {
  const focus = new TopicFocus(topicFromWords('spider silk, orb web')!);
  readOthers(focus);
  assert.ok(judge(focus, ORB_WEAVERS) > 0.8);
  assert.ok(judge(focus, SILK) > 0.5);
  for (const text of [BREAD, TRAINS, HARBOUR, '', 'Nothing here but other words']) {
    const relevance = judge(focus, text);
    assert.ok(relevance < 0.05, `${relevance}: ${text}`);
  }
});

test('P3 a page like the example pages has a relevance above 0.5, an unrelated one about 0', () => {
  const focus = new TopicFocus(topicFromExamples([SILK])!);
  readOthers(focus);
  assert.ok(judge(focus, ORB_WEAVERS) > 0.5);
  for (const text of [BREAD, TRAINS, HARBOUR]) assert.ok(judge(focus, text) < 0.05);
});

test('the first page of a crawl is judged correctly, too', () => {
  for (const topic of [topicFromWords('the life of spiders, orb webs')!, topicFromExamples([SILK])!]) {
    assert.ok(judge(new TopicFocus(topic), ORB_WEAVERS) > 0.5);
    for (const text of [BREAD, TRAINS, HARBOUR]) assert.ok(judge(new TopicFocus(topic), text) < 0.2, text);
  }
});

test('a phrase counts more than its separate words', () => {
  const focus = new TopicFocus(topicFromWords('orb web')!);
  readOthers(focus);
  const together = judge(focus, 'one orb web among many other things that nobody ever counted there');
  const apart = judge(focus, 'one web among many other things that nobody ever counted orb there');
  assert.ok(together > apart, `${together} ${apart}`);
});

/** Different words, as a long page has them. */
function someWords(from: number, count: number): string {
  return Array.from({ length: count }, (_, i) => `word${from + i}`).join(' ');
}

test('P3 a phrase never overrules its words: a page about its telling word is on topic, and so are links to it', () => {
  const focus = new TopicFocus(topicFromWords('PostgreSQL replication')!);
  // One word is on all pages of the site, the other on one page in five, and no page has them together.
  for (let i = 0; i < 200; i++) {
    judge(focus, `PostgreSQL manual ${someWords(i * 50, 100)} ${i % 5 === 0 ? 'see replication' : ''}`);
  }
  const text = `PostgreSQL manual. ${someWords(3_000, 700)} ${'replication settings of a standby '.repeat(20)}`;
  const ofWords = judge(focus, text);
  assert.ok(ofWords > 0.8, `${ofWords}`);
  assert.ok(judge(focus, `${text} PostgreSQL replication`) > ofWords, 'the phrase itself adds to the score');
  const link = { url: 'http://host.test/runtime-config.html', pathAt: 16, anchor: 'Replication settings' };
  assert.ok(focus.judgeLink(link, 0) > 0.7, `${focus.judgeLink(link, 0)}`);
});

test('P3 topic words that are on every page of a site still tell its pages apart', () => {
  const focus = new TopicFocus(topicFromWords('iterator algorithm')!);
  const everyPage = 'Algorithms library. Iterators library.';
  for (let i = 0; i < 200; i++) judge(focus, `${everyPage} ${someWords(i * 50, 200)}`);
  const about = 'The algorithm takes an iterator and returns another iterator. '.repeat(6);
  assert.ok(judge(focus, `${everyPage} ${someWords(3_000, 300)} ${about}`) > 0.8);
  assert.ok(judge(focus, `${everyPage} ${someWords(7_000, 300)}`) < 0.3);
});

test('P3 the title counts more than the text', () => {
  const focus = new TopicFocus(topicFromWords('spider silk')!);
  readOthers(focus);
  const text = `${BREAD} ${HARBOUR}`;
  assert.ok(judge(focus, text, 'Spiders of the harbour') > 0.5);
  assert.ok(judge(focus, `Spiders of the harbour. ${text}`) < 0.3);
});

test('a topic word that is on every page loses its weight, and pages on topic do not make their words common', () => {
  const focus = new TopicFocus(topicFromWords('web, spider')!);
  const link = { url: 'http://host.test/', pathAt: 16 };
  readOthers(focus);
  assert.ok(focus.judgeLink({ ...link, anchor: 'web' }, 0) < focus.judgeLink({ ...link, anchor: 'spider' }, 0) / 2);
  const before = judge(focus, ORB_WEAVERS);
  for (let i = 0; i < 40; i++) judge(focus, `${SILK} ${ORB_WEAVERS} number${i}`);
  assert.ok(judge(focus, ORB_WEAVERS) > before * 0.9);
});

test('earlier pages count the same in any order', () => {
  const topic = topicFromWords('spider silk, orb web')!;
  const [forward, backward] = [new TopicFocus(topic), new TopicFocus(topic)] as const;
  // The texts are far from the border between on and off topic, so that earlier pages do not change the judgement.
  const texts = [BREAD, ORB_WEAVERS, TRAINS, HARBOUR, ORB_WEAVERS];
  for (const text of texts) judge(forward, text);
  for (const text of texts.toReversed()) judge(backward, text);
  assert.equal(judge(forward, SILK), judge(backward, SILK));
});

test('a topic is made from texts with words only, up to the limit', () => {
  for (const nothing of ['', ' , ,, ', '—!']) assert.equal(topicFromWords(nothing), null);
  assert.equal(topicFromExamples([]), null);
  assert.equal(topicFromExamples(['', '…']), null);
  const many = Array.from({ length: 5_000 }, (_, i) => `word${i}`).join(' ');
  assert.equal(topicFromWords(many)!.hashes.length, MAX_FEATURES);
  assert.equal(topicFromExamples([many])!.hashes.length, MAX_FEATURES);
  assert.deepEqual(topicFromExamples([SILK, BREAD]), topicFromExamples([BREAD, SILK]));
});

test('a page whose words all collide in the hash table is read in bounded time', () => {
  const scan = new WordScan();
  scan.count = scan.hashes.length;
  for (let i = 0; i < scan.count; i++) scan.hashes[i] = (i & 0xff) | ((i >> 8) << 23) | 0;
  const bag = new PageBag();
  bag.fill(scan);
  assert.ok(bag.count < 1_000, 'words beyond the longest search are left out');
  scan.readText('orb web orb');
  bag.fill(scan);
  assert.deepEqual([bag.count, ...bag.times.subarray(0, 2)], [2, 2, 1]);
});
