import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../../src/change/decide.ts';
import { DEFAULT_NOISE_RULES } from '../../src/change/noise/noise-rules.ts';
import { ignoreNoise } from '../../src/change/noise/remove-noise.ts';
import { decideByRegions, mayHoldAds } from '../../src/change/regions/decide-by-regions.ts';
import type { ChangeClass } from '../../src/core/page/change-class.ts';
import type { PageOutline } from '../../src/core/page/page-outline.ts';
import { decodeRegions } from '../../src/core/page/page-regions.ts';
import { editBetweenOutlines } from '../../src/crawl/unit/change/edit-between.ts';
import { outlinePage } from '../../src/page/outline/outline.ts';
import { parsePage, WordCollector } from '../../src/page/page.ts';
import { randomNumbers } from '../page/random-html.ts';
import { BORDERLINE_CHANGES, readSide } from './noise/borderline-changes.ts';
import { BUILT_PAGES } from './noise/built-pages.ts';
import { pairsOf, TUNED_KINDS, UNSEEN_KINDS } from './noise/labelled-pairs.ts';
import { PLATFORM_PAIRS } from './noise/platform-pairs.ts';
import { REVIEWED_CHANGES } from './noise/reviewed-changes.ts';
import { MUTATIONS, mutablePage } from './page-mutations.ts';

const TYPE = 'text/html; charset=utf-8';
const URL = 'https://tea.example/shop/green';
const words = new WordCollector();

function regionsOf(html: string): Uint8Array {
  const page = parsePage(Buffer.from(html), TYPE, URL, { wantText: false, wantAnchors: false, maxLinks: 100, words });
  const regions = words.regionsOf(new Uint8Array(words.blocks), page.charset !== 'utf-8');
  assert.ok(regions !== null);
  return regions;
}

function byRegions(before: string, after: string): ChangeClass | null {
  const [was, is] = [regionsOf(before), regionsOf(after)].map(decodeRegions);
  return decideByRegions(was!, is!, () => mayHoldAds(Buffer.from(after)));
}

function byOutlines(before: string, after: string): Pick<ChangeClass, 'level' | 'edit'> {
  const versionOf = (html: string) => {
    const bytes = Buffer.from(html);
    return { bytes, outline: { ...outlinePage(bytes, TYPE)!, url: URL } };
  };
  const ignoring = (outline: PageOutline) => ignoreNoise(outline, DEFAULT_NOISE_RULES);
  const { level, outlines } = decide(versionOf(before), versionOf(after), ignoring);
  return { level, edit: level === 'content' ? editBetweenOutlines(...outlines!) : null };
}

test('the regions of two versions never contradict the comparison of both versions', () => {
  const random = randomNumbers(7);
  const kinds = Object.entries(MUTATIONS);
  const decided = new Map<string, [given: number, all: number]>(kinds.map(([kind]) => [kind, [0, 0]]));
  for (let page = 0; page < 400; page++) {
    const base = mutablePage(random);
    for (const [kind, mutate] of kinds) {
      const html = mutate(base, random);
      if (html === null) continue;
      const counts = decided.get(kind)!;
      counts[1]++;
      const quick = byRegions(base.html, html);
      if (quick === null) continue;
      counts[0]++;
      const { level, edit } = quick;
      assert.deepEqual({ level, edit }, byOutlines(base.html, html), `${kind}:\n${base.html}\n${html}`);
    }
  }
  for (const kind of ['letters permuted', 'equal sums of characters', 'a script']) {
    const [given, all] = decided.get(kind)!;
    assert.ok(given > 0.9 * all, `${kind}: ${given} of ${all}`);
  }
});

const page = (title: string, version: string, views: number): string =>
  `<!doctype html><title>${title} (Guava ${version})</title><h1>${title}</h1><p>All about ${title}.</p>
  <footer>${views} views</footer>`;

test('the same edit on different pages has the same fingerprint, with noise and without', () => {
  const titles = ['Ordering', 'Iterators', 'Striped'];
  const quiet = titles.map((title) => byRegions(page(title, '32.1.2', 40), page(title, '32.1.3', 40))!.edit);
  const noisy = titles.map((title, at) => byOutlines(page(title, '32.1.2', 40), page(title, '32.1.3', 41 + at)).edit);
  assert.equal(new Set([...quiet, ...noisy]).size, 1);
  const other = byRegions(page('Ordering', '32.1.2', 40), page('Ordering', '32.1.4', 40))!.edit;
  assert.notEqual(other, quiet[0]);
});

const UNCLEAR: readonly (readonly [what: string, before: string, after: string])[] = [
  ['a counter', '<p>42 views</p>', '<p>43 views</p>'],
  ['an age', '<p>tea <span>3 days ago</span></p>', '<p>tea <span>4 days ago</span></p>'],
  ['an age without a digit', '<p>Posted an hour ago</p>', '<p>Posted a day ago</p>'],
  ['an age in another language', '<p>vor 3 Tagen</p>', '<p>vor 4 Tagen</p>'],
  ['an age in Japanese', '<p>3分前</p>', '<p>4分前</p>'],
  ['a short age', '<time datetime="2024-01-01T10:00">3h</time>', '<time datetime="2024-01-01T10:00">4h</time>'],
  ['a number of its own', '<p><b>12</b> online now</p>', '<p><b>13</b> online now</p>'],
  ['a counter in two texts', '<p>12<!-- --> views</p>', '<p>13<!-- --> views</p>'],
  ['a counter with a reference', '<p>12&nbsp;345 page&#32;views</p>', '<p>12&nbsp;346 page&#32;views</p>'],
  ['the year of a copyright', '<footer>© 2024 Tea Ltd</footer>', '<footer>© 2025 Tea Ltd</footer>'],
  ['the year in a reference', '<footer>&copy; 2024 Tea</footer>', '<footer>&copy; 2025 Tea</footer>'],
  ['a year of its own', '<footer>© <div>2024</div></footer>', '<footer>© <div>2025</div></footer>'],
  ['a render time', '<p>Page generated in 0.042 seconds</p>', '<p>Page generated in 0.043 seconds</p>'],
  ['a server', '<p>This page was served by web-17</p>', '<p>This page was served by web-18</p>'],
  ['a label', '<div class="ad">Anzeige</div>', '<div class="ad"></div>'],
  ['a word in two elements', '<p>foobar</p>', '<p>foo<b>bar</b></p>'],
  ['a soft hyphen', '<p>Teapot and cups</p>', '<p>Tea\u00adpot and cups</p>'],
  ['a soft hyphen in a reference', '<p>Teapot and cups</p>', '<p>Tea&#173;pot and cups</p>'],
  ['a link relative to the page', '<a href="cup">x</a>', '<a href="/shop/cup">x</a>'],
  ['a clock', '<p>The time now is 14:03.</p>', '<p>The time now is 14:04.</p>'],
  ['a clock in German', '<p>Uhrzeit: 14:03</p>', '<p>Uhrzeit: 14:04</p>'],
  ['a token in a link', '<a href="/a?token=9f86d081884c7d65">x</a>', '<a href="/a?token=9f86d081884c7d66">x</a>'],
  ['a link within the page', '<a href="#a">x</a><p id="a">1</p>', '<a href="#b">x</a><p id="b">1</p>'],
];

test('the regions decide about links to the own host whatever their form is, and tell other hosts apart', () => {
  const link = (href: string): string => `<p>Tea <a href="${href}">x</a></p>`;
  for (const other of ['/b', 'https://tea.example/b', 'http://tea.example.org/a', 'https://tea.example:8443/a']) {
    assert.equal(byRegions(link('http://tea.example/a'), link(other))?.level, 'content', other);
  }
});

for (const [what, before, after] of UNCLEAR) {
  test(`the regions do not decide about ${what}`, () => assert.equal(byRegions(before, after), null));
}

test('the regions do not decide about the text around an advertisement, but about other text of the page', () => {
  const ad = (text: string) => `<div class="ad-slot">${text}<script src="//ads.gumgum.com/x.js"></script></div>`;
  assert.equal(byRegions(ad('Cheap tea'), ad('Cheap coffee')), null);
  const beside = (text: string) => `${ad('Cheap tea')}<h1>${text}</h1><p>Other words.</p>`;
  assert.equal(byRegions(beside('Tea'), beside('Coffee'))?.level, 'content');
  const link = (text: string) => ad(text).replace('ads.gumgum.com', 'static.example.com');
  assert.equal(byRegions(link('Cheap tea'), link('Cheap coffee'))?.level, 'content');
});

/** Differences that the level of a change does not count. */
const SAME_FOR_A_READER = [
  '<p>1[[ ||&nbsp;]]000 [[kg||kg&#8239;]]</p>',
  '<a href="/a?utm_source=[[a||b]]">x</a>',
  '<a href="#[[menu-abc||menu-xyz]]">x</a>',
  '<a href="javascript:open([[1||2]])">x</a>',
  '<p>Tea</p>[[<iframe id="sp_message_iframe_12" title="Consent"></iframe>||]]<p>pot</p>',
  '<p>Tea[[<iframe name="__tcfapiLocator"></iframe>||]]pot</p>',
  '<p>Tea[[&shy;||]]pot</p>',
  '<p>Tea[[\u00ad||]]pot</p>',
  '<a href="[[http://tea.example/a||/a]]">x</a>',
  '<a href="[[http://tea.example/a||https://TEA.example/a]]">x</a>',
  '<a href="[[//tea.example||/]]">x</a>',
  '<a href="[[https://tea.example?a=1||/?a=1]]">x</a>',
  '<a href="[[cup||https://tea.example/shop/cup]]">x</a>',
  '<a href="[[../cup||/cup]]">x</a>',
  '<a href=" [[http://tea.example/a||/a]]">x</a>',
].map((text) => ({ before: readSide(text, 'before'), after: readSide(text, 'after') }));

test('the regions contradict no comparison of pages with noise, and decide about many real changes', () => {
  const labelled = [...TUNED_KINDS, ...UNSEEN_KINDS].flatMap((site) => [...pairsOf(site, 1), ...pairsOf(site, 2)]);
  const reviewed = [
    ...REVIEWED_CHANGES.map(([before, after]) => ({ before, after })),
    ...BORDERLINE_CHANGES.map((text) => ({ before: readSide(text, 'before'), after: readSide(text, 'after') })),
    ...PLATFORM_PAIRS,
    ...BUILT_PAGES.map(({ body }) => ({ before: readSide(body, 'before'), after: readSide(body, 'after') })),
    ...SAME_FOR_A_READER,
  ];
  let [given, real] = [0, 0];
  for (const { before, after, ...pair } of [...labelled, ...reviewed]) {
    const isReal = 'label' in pair && pair.label === 'real';
    if (isReal) real++;
    const quick = byRegions(before, after);
    if (quick === null) continue;
    if (isReal) given++;
    assert.equal(quick.level, byOutlines(before, after).level, `${JSON.stringify(pair)}\n${before}\n${after}`);
  }
  assert.ok(real > 900 && given > 500, `${given} of ${real}`);
});
