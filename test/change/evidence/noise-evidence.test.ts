/** Regions that differ without meaning are learned for a host, and nothing that a page says itself is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareLooks } from '../../../src/change/evidence/compare-looks.ts';
import { hash32 } from '../../../src/change/evidence/evidence-form.ts';
import { leaveOutRegions } from '../../../src/change/evidence/leave-out-regions.ts';
import { type Look, NoiseEvidence } from '../../../src/change/evidence/noise-evidence.ts';
import { contentBetween } from '../../../src/change/level/level-between.ts';
import { DEFAULT_NOISE_RULES } from '../../../src/change/noise/noise-rules.ts';
import { ignoreNoise } from '../../../src/change/noise/remove-noise.ts';
import type { PageOutline } from '../../../src/core/page/page-outline.ts';
import { outlineOf } from '../outline-of.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 19);

const clean = (html: string): PageOutline => ignoreNoise(outlineOf(html), DEFAULT_NOISE_RULES);

/** A page of a shop: the part in question is in `extra`, the own content in `own`. */
const page = (extra: string, own = '<h1>Green tea from Uji</h1><p>Picked by hand in May by Kenji Mori.</p>'): string =>
  `<title>Green tea from Uji</title><body><nav><a href=/>Home</a></nav><main>${own}</main>${extra}`;

function learn(evidence: NoiseEvidence, [was, is]: readonly [string, string], look: Partial<Look>): void {
  const told = { kind: 'double-look', page: 1, atMs: NOW_MS, ...look } as const;
  evidence.record(told, compareLooks(clean(was), clean(is)));
}

/** Double looks at so many pages, each with two new contents. */
function looked(make: (draw: number, at: number) => string, pages = 4): NoiseEvidence {
  const evidence = new NoiseEvidence();
  for (let at = 0; at < pages; at++) {
    learn(evidence, [make(2 * at, at), make(2 * at + 1, at)], { page: hash32(`/${at}`) });
  }
  return evidence;
}

function isChange(evidence: NoiseEvidence, was: string, is: string, nowMs = NOW_MS): boolean {
  const ignored = evidence.ignored(nowMs);
  const [before, after] = [was, is].map((html) => leaveOutRegions(clean(html), ignored).outline);
  return contentBetween(before!, after!, () => null) !== null;
}

const teaser = (draw: number): string =>
  `<aside class=side><div class="teaser t${draw}"><a href="/p${draw}">${NAMES[draw % NAMES.length]}</a></div></aside>`;
const NAMES = 'Oolong,Assam,Darjeeling,Sencha,Rooibos,Matcha,Lapsang,Earl Grey'.split(',');

test('a region that differed between two looks on three pages is ignored on every page, and no sooner', () => {
  const make = (draw: number): string => page(teaser(draw));
  assert.equal(isChange(looked(make, 2), make(20), make(21)), true);
  const evidence = looked(make, 3);
  assert.equal(isChange(evidence, make(20), make(21)), false);
  assert.equal(isChange(evidence, make(20), page('')), false);
  const changed = page(teaser(21), '<h1>Green tea from Uji</h1><p>Picked by hand in June by Kenji Mori.</p>');
  assert.equal(isChange(evidence, make(20), changed), true);
});

test('one page proves nothing, however often it is looked at', () => {
  const evidence = new NoiseEvidence();
  for (let draw = 0; draw < 20; draw += 2) {
    learn(evidence, [page(teaser(draw)), page(teaser(draw + 1))], { page: 7 });
  }
  assert.deepEqual(evidence.ignored(NOW_MS), []);
});

test('a list of links that differs at nearly every visit is ignored if what it shows comes back', () => {
  const link = (at: number): string => `<li><a href=/${at % 8}>${NAMES[at % 8]}</a>`;
  const list = (draw: number): string =>
    `<aside><ul class=most-read>${link(draw * 3)}${link(draw * 5 + 1)}${link(draw * 7 + 2)}</ul></aside>`;
  const evidence = new NoiseEvidence();
  for (let visit = 0; visit < 24; visit++) {
    const look = { kind: 'visits', page: hash32(`/${visit % 3}`), atMs: NOW_MS + visit * DAY_MS } as const;
    learn(evidence, [page(list(visit)), page(list(visit + 1))], look);
    if (visit === 5) assert.deepEqual(evidence.ignored(NOW_MS), []);
  }
  assert.equal(isChange(evidence, page(list(40)), page(list(41))), false);
  const told = page('<aside><ul class=most-read><li>The shop is closed in May</ul></aside>');
  assert.equal(isChange(evidence, page(list(40)), told), true);
});

test('a menu that changes on all pages is no noise, however often it changes', () => {
  const menu = (entry: number): string =>
    page(`<nav class=menu><a href=/a>Teas</a><a href=/b${entry}>Issue ${entry}</a></nav>`);
  const evidence = new NoiseEvidence();
  for (let visit = 0; visit < 60; visit++) {
    const week = Math.floor(visit / 6);
    const look = { kind: 'visits', page: visit % 6, atMs: NOW_MS + week * DAY_MS } as const;
    learn(evidence, [menu(week), menu(week + 1)], look);
  }
  assert.deepEqual(evidence.ignored(NOW_MS), []);
});

test('links that only open and close are a state, not noise', () => {
  const shop = (visit: number): string =>
    page(`<nav class=menu><a href=/shop>${visit % 2 ? 'Shop open' : 'Shop closed'}</a></nav>`);
  const evidence = new NoiseEvidence();
  for (let visit = 0; visit < 60; visit++) {
    const look = { kind: 'visits', page: visit % 3, atMs: NOW_MS } as const;
    learn(evidence, [shop(Math.floor(visit / 3)), shop(Math.floor(visit / 3) + 1)], look);
  }
  assert.deepEqual(evidence.ignored(NOW_MS), []);
});

test('addresses of the same pictures that take turns are ignored, and no other picture is', () => {
  const direct = (file: string): string =>
    page('', `<h1>Tea</h1><p class=logo><img alt=Tea src="/img/${file}?w=32"></p>`);
  const resized = (file: string): string =>
    direct(file).replace(`/img/${file}?w=32`, `https://cdn.example/width=32,format=auto/img/${file}`);
  const evidence = new NoiseEvidence();
  for (let visit = 0; visit < 18; visit++) {
    const look = { kind: 'visits', page: visit % 3, atMs: NOW_MS } as const;
    const versions = [direct('tea.png'), resized('tea.png')] as const;
    learn(evidence, Math.floor(visit / 3) % 2 ? [versions[1], versions[0]] : versions, look);
  }
  assert.equal(isChange(evidence, direct('tea.png'), resized('tea.png')), false);
  assert.equal(isChange(evidence, direct('tea.png'), resized('pot.png')), true);
  assert.equal(isChange(evidence, direct('tea.png'), direct('tea.png').replace('?w=32', '?w=32&v=2')), true);
  assert.equal(isChange(evidence, direct('tea.png'), resized('tea.png').replace('alt=Tea', 'alt=Pot')), true);
});

test('a parameter of links that is drawn for each answer is ignored, and nothing else of the link is', () => {
  const link = (value: string, text = 'Help', rest = '&from=tea'): string =>
    page('', `<h1>Tea</h1><p class=help><a href="https://help.example/faq?visit=${value}${rest}">${text}</a></p>`);
  const learned = (drawnAt: (visit: number) => string): NoiseEvidence => {
    const evidence = new NoiseEvidence();
    for (let visit = 0; visit < 12; visit++) {
      const look = { kind: 'visits', page: visit % 3, atMs: NOW_MS } as const;
      learn(evidence, [link(drawnAt(visit)), link(drawnAt(visit + 1))], look);
    }
    return evidence;
  };
  const drawn = learned((visit) => hash32(`${visit}`).toString(16).padStart(8, 'a1'));
  assert.deepEqual(
    drawn.ignored(NOW_MS).map(({ path }) => path),
    ['main > p.help ?visit'],
  );
  assert.equal(isChange(drawn, link('1f2e3d4c'), link('9a8b7c6d')), false);
  assert.equal(isChange(drawn, link('1f2e3d4c'), link('9a8b7c6d', 'Contact')), true);
  assert.equal(isChange(drawn, link('1f2e3d4c'), link('9a8b7c6d', 'Help', '&from=cups')), true);
  const today = learned((visit) => `${new Date(NOW_MS + visit * DAY_MS).toDateString().replaceAll(' ', '+')}`);
  assert.equal(isChange(today, link('Tue+Jun+30+2026'), link('Wed+Jul+01+2026')), false);
  const prices = learned((visit) => `${20 + visit}`);
  assert.equal(isChange(prices, link('40'), link('41')), true);
});

test('evidence is stored, joined and forgotten', () => {
  const make = (draw: number): string => page(teaser(draw));
  const stored = looked(make).encode();
  const again = new NoiseEvidence(stored);
  assert.equal(isChange(again, make(20), make(21)), false);
  assert.deepEqual(again.ignored(NOW_MS), looked(make).ignored(NOW_MS));
  assert.equal(isChange(again, make(20), make(21), NOW_MS + 100 * DAY_MS), true);
  const [one, other] = [new NoiseEvidence(), new NoiseEvidence()];
  learn(one, [make(0), make(1)], { page: 1 });
  learn(one, [make(2), make(3)], { page: 2 });
  learn(other, [make(4), make(5)], { page: 3 });
  const joined = new NoiseEvidence(NoiseEvidence.join(one.encode(), other.encode()));
  assert.equal(isChange(joined, make(20), make(21)), false);
  assert.deepEqual(new NoiseEvidence(Buffer.from('{"regions":[{}]}')).ignored(NOW_MS), []);
  assert.deepEqual(new NoiseEvidence(Buffer.from('no JSON')).ignored(NOW_MS), []);
});

test('a hostile site cannot fill the memory', () => {
  const evidence = new NoiseEvidence();
  for (let at = 0; at < 400; at++) {
    const name = `x${String.fromCharCode(97 + (at % 26), 97 + Math.floor(at / 26))}`;
    const box = (text: string): string => page(`<aside><div class="${name}"><a href=/>${text}</a></div></aside>`);
    learn(evidence, [box('One'), box('Two')], { page: at, atMs: NOW_MS + at });
  }
  assert.ok(evidence.encode().length < 128 * 700, `${evidence.encode().length}`);
});

/**
 * Each attack trains us with double looks, as if the region were noise, and then changes what a reader wants to know.
 * Those that are marked show nothing suspicious before, so the region is learned.
 */
const ATTACKS: readonly (readonly [name: string, trained: (draw: number) => string, was: string, is: string])[] = [
  [
    'a price in an element called an advertisement (learned)',
    (draw) => page(`<aside><div class=ad-slot><a href=/x${draw}>Offer ${NAMES[draw % 8]}</a></div></aside>`),
    page('<aside><div class=ad-slot><a href=/x>Offer 19.90</a></div></aside>'),
    page('<aside><div class=ad-slot><a href=/x>Offer 29.90</a></div></aside>'),
  ],
  [
    'a price that differs at each look',
    (draw) => page(`<aside><p class=deal>Only € ${10 + draw}</p></aside>`),
    page('<aside><p class=deal>Only € 20</p></aside>'),
    page('<aside><p class=deal>Only € 30</p></aside>'),
  ],
  [
    'a bare number without a sign that differs at each look',
    (draw) => page(`<aside><p class=deal>Today <b>${100 + draw}</b></p></aside>`),
    page('<aside><p class=deal>Today <b>120</b></p></aside>'),
    page('<aside><p class=deal>Today <b>130</b></p></aside>'),
  ],
  [
    'a related list that becomes the main text',
    (draw) => page(`<div class=related><a href=/${draw}>${NAMES[draw % 8]}</a></div>`),
    page('', '<div class=related><h1>Tea</h1><p>The harvest was good.</p></div>'),
    page('', '<div class=related><h1>Tea</h1><p>The harvest was bad.</p></div>'),
  ],
  [
    'an article that changes at every look',
    (draw) =>
      page('', `<h1>News</h1><div class=story>${NAMES[draw % 8]} won the ${NAMES[(draw + 3) % 8]} prize.</div>`),
    page('', '<h1>News</h1><div class=story>Kenji Mori won.</div>'),
    page('', '<h1>News</h1><div class=story>Yuki Sato won.</div>'),
  ],
  [
    'an article without landmarks that changes at every look',
    (draw) => `<body><div class=box><p>${NAMES[draw % 8]} of page ${draw} won today.</p></div>`,
    '<body><div class=box><p>Kenji Mori won today.</p></div>',
    '<body><div class=box><p>Yuki Sato won today.</p></div>',
  ],
  [
    'a name that the main text has too (learned)',
    (draw) => page(`<aside><p class=by>${NAMES[draw % 8]} tea house</p></aside>`),
    page('<aside><p class=by>somebody else</p></aside>'),
    page('<aside><p class=by>Kenji Mori</p></aside>'),
  ],
  [
    'a date beside the content (learned)',
    (draw) => page(`<aside><p class=until>${NAMES[draw % 8]} week</p></aside>`),
    page('<aside><p class=until>until 3 December</p></aside>'),
    page('<aside><p class=until>until 9 December</p></aside>'),
  ],
  [
    'stock in a side column (learned)',
    (draw) => page(`<aside><p class=state>${NAMES[draw % 8]}</p></aside>`),
    page('<aside><p class=state>In stock</p></aside>'),
    page('<aside><p class=state>Sold out</p></aside>'),
  ],
  [
    'a price in the alternative text of a picture (learned)',
    (draw) => page(`<aside><a class=ad href=/${draw}><img src=/${draw}.png alt="${NAMES[draw % 8]}"></a></aside>`),
    page('<aside><a class=ad href=/1><img src=/1.png alt="Tea 4 EUR"></a></aside>'),
    page('<aside><a class=ad href=/1><img src=/1.png alt="Tea 5 EUR"></a></aside>'),
  ],
  [
    'a price in an element of its own in a teaser',
    (draw) =>
      page(
        `<aside class=side><div class=teaser><a href=/p${draw}>${NAMES[draw % 8]}</a><b class=p>${draw} €</b></div></aside>`,
      ),
    page('<aside class=side><div class=teaser><a href=/p1>Assam</a><b class=p>4 €</b></div></aside>'),
    page('<aside class=side><div class=teaser><a href=/p1>Assam</a><b class=p>5 €</b></div></aside>'),
  ],
  [
    'prose in a promotion (learned)',
    (draw) => page(`<aside><div class=promo>${NAMES[draw % 8]}</div></aside>`),
    page(`<aside><div class=promo>${'A long text tells what happened to the harvest. '.repeat(5)}</div></aside>`),
    page(`<aside><div class=promo>${'A long text tells what occurred to the harvest. '.repeat(5)}</div></aside>`),
  ],
];

for (const [name, trained, was, is] of ATTACKS) {
  test(`nobody can train us to ignore ${name}`, () => {
    const evidence = looked(trained, 8);
    if (name.endsWith('(learned)')) assert.equal(isChange(evidence, trained(40), trained(41)), false);
    assert.equal(isChange(evidence, was, is), true);
    assert.equal(isChange(evidence, trained(40), is), true);
  });
}

test('a counter of visitors on several pages is learned, a counter of votes is not', () => {
  const count = (label: string) => (draw: number) =>
    page(`<aside><p class=count>${label}: <b>${48_213 + draw * 7}</b></p></aside>`);
  const visitors = count('Visitors');
  assert.equal(isChange(looked(visitors), visitors(30), visitors(31)), false);
  const votes = count('Votes');
  assert.equal(isChange(looked(votes), votes(30), votes(31)), true);
});

test('links in the main content are learned only if pages show what others have shown', () => {
  const related = (draw: number) =>
    page(
      '',
      `<h1>Tea</h1><p>A text about tea and water.</p><div class=more><a href=/p${draw}>${NAMES[draw % 8]}</a></div>`,
    );
  const ownLink = (draw: number, at = 0) =>
    related(draw).replace(/href=\/p\d+>\w+/, `href=/part${at}-${draw}>Part ${at} ${draw}`);
  assert.equal(
    isChange(
      looked((draw) => related(draw % 4), 6),
      related(1),
      related(2),
    ),
    false,
  );
  assert.equal(isChange(looked(ownLink, 6), ownLink(20), ownLink(21)), true);
});

test('a parameter that only names another entry is never learned, whatever differs within a moment', () => {
  const make = (draw: number): string => page(`<p><a href="/get?id=${draw}&price=${draw * 100}">Another</a></p>`);
  assert.equal(isChange(looked(make, 6), make(17), make(18)), true);
});

test('pictures of the same name in different folders are different pictures', () => {
  const at = (server: string, folder: number) =>
    page(`<div class=hero><img src="${server}/p/${folder}/main.jpg"></div>`);
  const evidence = new NoiseEvidence();
  for (let folder = 0; folder < 4; folder++) {
    const moved = [at('', folder), at('https://cdn.example', folder)] as const;
    learn(evidence, moved, { page: hash32(`/${folder}`) });
  }
  assert.equal(isChange(evidence, at('', 1), at('https://cdn.example', 1)), false);
  assert.equal(isChange(evidence, at('', 1), at('', 2)), true);
});

test('a page with thousands of short regions and a long content is compared in linear time', () => {
  const hostile = (word: string) =>
    `<main><p>${'aa '.repeat(60_000)}</p></main>${`<b class=x>aa aab ${word}</b>`.repeat(8_000)}`;
  const started = process.cpuUsage();
  compareLooks(outlineOf(hostile('one')), outlineOf(hostile('two')));
  const { user } = process.cpuUsage(started);
  assert.ok(user < 3_000_000, `${user} µs`);
});
