import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decide } from '../../src/change/decide.ts';
import type { TemplateTest } from '../../src/change/level/level-between.ts';
import { DEFAULT_NOISE_RULES } from '../../src/change/noise/noise-rules.ts';
import { ignoreNoise } from '../../src/change/noise/remove-noise.ts';
import { outlinePage } from '../../src/page/outline/outline.ts';

const URL = 'https://tea.example/shop/green';

function versionOf(html: string, isTemplate?: TemplateTest) {
  const bytes = Buffer.from(html);
  const templateTest = isTemplate === undefined ? {} : { templateTest: () => isTemplate };
  const outline = { ...outlinePage(bytes, 'text/html; charset=utf-8')!, url: URL };
  return { bytes, outline, ...templateTest };
}

function levelOf(before: string, after: string): string | null {
  return decide(versionOf(before), versionOf(after), (outline) => ignoreNoise(outline, DEFAULT_NOISE_RULES)).level;
}

const PAGE = '<!doctype html><html><head><title>Tea</title></head><body>BODY</body></html>';
const inBody = (html: string): string => PAGE.replace('BODY', () => html);
const inHead = (html: string): string => PAGE.replace('</head>', () => `${html}</head>`);

const CONTENT: readonly (readonly [what: string, before: string, after: string])[] = [
  ['a word', '<p>red tea</p>', '<p>green tea</p>'],
  ['a word that is split', '<p>nowhere</p>', '<p>now here</p>'],
  ['the order of paragraphs', '<p>a</p><p>b</p>', '<p>b</p><p>a</p>'],
  ['a link target', '<a href="/a">tea</a>', '<a href="/b">tea</a>'],
  ['a link to another host', '<a href="/a">x</a>', '<a href="https://tea.example.org/a">x</a>'],
  ['a link to another port', '<a href="/a">x</a>', '<a href="https://tea.example:8443/a">x</a>'],
  ['a link to a host below', '<a href="https://tea.example/a">x</a>', '<a href="https://www.tea.example/a">x</a>'],
  ['the scheme of a link to another host', '<a href="http://a.example/">x</a>', '<a href="https://a.example/">x</a>'],
  [
    'a link beside a base on another host',
    '<base href="https://a.example/"><a href="/a">x</a>',
    '<base href="https://a.example/"><a href="https://tea.example/a">x</a>',
  ],
  ['a hyphen', '<p>Tea-pot</p>', '<p>Tea&shy;pot</p>'],
  ['an image', '<img src="a.png">', '<img src="b.png">'],
  ['an alternative text', '<img src="a.png" alt="a">', '<img src="a.png" alt="b">'],
  ['a tooltip', '<p title="a">x', '<p title="b">x'],
  ['a frame', '<iframe src="/a"></iframe>', '<iframe src="/b"></iframe>'],
  ['the label of a button', '<input type="submit" value="Buy">', '<input type="submit" value="Sold">'],
  ['a no-break space in code', '<pre>1 kg</pre>', '<pre>1&nbsp;kg</pre>'],
  ['the page of an application', '<a href="#/tea">x</a>', '<a href="#/coffee">x</a>'],
  ['an alternative text with a number sign', '<img src="a.png" alt="#1 a">', '<img src="a.png" alt="#1 b">'],
  ['an alternative text about data', '<img src="a.png" alt="data: a">', '<img src="a.png" alt="data: b">'],
  ['a parameter of a link', '<a href="/a?id=1&utm_source=x">x</a>', '<a href="/a?id=2&utm_source=x">x</a>'],
  ['the level of a heading', '<h2>x</h2>', '<h3>x</h3>'],
  ['a heading that becomes text', '<h2>x</h2>', '<p>x</p>'],
  ['a picture that loads later', '<img data-lazy-src="/a.png">', '<img data-lazy-src="/b.png">'],
  [
    'the target of a link within the page',
    '<a href="#a">x</a><p id="a">1</p><p id="b">2</p>',
    '<a href="#b">x</a><p id="a">1</p><p id="b">2</p>',
  ],
  ['an option', '<select><option>S</select>', '<select><option>M</select>'],
  ['a control', '<form><input name="a"></form>', '<form><input name="a"><input type="file"></form>'],
  ['spaces in code', '<pre>if a:\n  b</pre>', '<pre>if a:\nb</pre>'],
  ['text of an element that may be hidden', '<div hidden>a</div>', '<div hidden>b</div>'],
  [
    'structured data',
    '<script type="application/ld+json">{"price":"10"}</script>',
    '<script type="application/ld+json">{"price":"11"}</script>',
  ],
  [
    'the number of likes',
    '<script type="application/ld+json">{"interactionType":"LikeAction","userInteractionCount":1}</script>',
    '<script type="application/ld+json">{"interactionType":"LikeAction","userInteractionCount":2}</script>',
  ],
  ['microdata', '<p itemprop="price" content="10">x', '<p itemprop="price" content="11">x'],
];

const LAYOUT: readonly (readonly [what: string, before: string, after: string])[] = [
  ['a class', '<p class="a">x', '<p class="b">x'],
  ['a style attribute', '<p style="color:red">x', '<p style="color:blue">x'],
  ['a style sheet', '<style>p{color:red}</style>', '<style>p{color:blue}</style>'],
  ['an element around the content', '<p>x</p>', '<div><p>x</p></div>'],
  ['the element of a text', '<p>x <b>y</b></p>', '<p>x <strong>y</strong></p>'],
  ['a new id of the same target', '<a href="#a">x</a><p id="a">1</p>', '<a href="#b">x</a><p id="b">1</p>'],
  ['a stand-in of a picture', '<img src="data:image/gif;base64,R0lG">', '<img src="data:image/gif;base64,R1lG">'],
  ['a no-break space', '<p>1 kg</p>', '<p>1&nbsp;kg</p>'],
  ['a soft hyphen', '<p>Tea&shy;pot</p>', '<p>Teapot</p>'],
  ['a soft hyphen in an alternative text', '<img src="a.png" alt="Tea\u00adpot">', '<img src="a.png" alt="Teapot">'],
  [
    'the scheme of a link to the own host',
    '<a href="http://tea.example/a">x</a>',
    '<a href="https://tea.example/a">x</a>',
  ],
  ['a link with its own host', '<a href="/a?id=1#b">x</a>', '<a href="//TEA.example/a?id=1#b">x</a>'],
  ['a link to the root of its own host', '<a href="/">x</a>', '<a href="https://tea.example">x</a>'],
  ['a link relative to the page', '<a href="../cup">x</a>', '<a href="/cup">x</a>'],
  ['a picture of the own host', '<img src="cup.png">', '<img src="https://tea.example/shop/cup.png">'],
  ['a tracking parameter', '<a href="/a?id=1&utm_source=a#b">x</a>', '<a href="/a?id=1&utm_source=b#b">x</a>'],
  ['a target within the page that is not there', '<a href="#menu-abc">x</a>', '<a href="#menu-xyz">x</a>'],
  ['a script in a link', '<a href="javascript:open(1)">x</a>', '<a href="javascript:open(2)">x</a>'],
  ['two blocks instead of one', '<p>x <a href="/">y</a> z</p>', '<p>x <a href="/">y</a></p><p>z</p>'],
];

const HIDDEN: readonly (readonly [what: string, before: string, after: string])[] = [
  ['a script', '<script>let a = 1</script>', '<script>let a = 2</script>'],
  ['a script that is new', '', '<script src="/a.js"></script>'],
  ['hydration state', '<script>self.__next_f.push([1,"a"])</script>', '<script>self.__next_f.push([1,"b"])</script>'],
  [
    'state as JSON',
    '<script type="application/json">{"a":1}</script>',
    '<script type="application/json">{"a":2}</script>',
  ],
  ['a data attribute', '<p data-state="a">x', '<p data-state="b">x'],
  ['an event handler', '<p onclick="a()">x', '<p onclick="b()">x'],
  ['a comment', '<p>x<!-- a -->', '<p>x<!-- b -->'],
  [
    'a token in a link',
    '<a href="/a?csrf_token=9f86d081884c7d65">x</a>',
    '<a href="/a?csrf_token=9f86d081884c7d66">x</a>',
  ],
  [
    'the address of a challenge',
    '<meta http-equiv="refresh" content="5; URL=\'/a?bm-verify=AAQAA\'">',
    '<meta http-equiv="refresh" content="5; URL=\'/a?bm-verify=AAQBB\'">',
  ],
  [
    'a mail address in other character references',
    '<a href="mailto:&amp;#97;@x.test">x</a>',
    '<a href="mailto:&amp;#x61;@x.test">x</a>',
  ],
  ['a hidden field', '<input type="hidden" name="v" value="1">', '<input type="hidden" name="v" value="2">'],
  ['the order of attributes', '<p id="a" class="b">x', '<p class="b" id="a">x'],
  [
    'the form of structured data',
    '<script type="application/ld+json">{"a": 1, "b": [2]}</script>',
    '<script type="application/ld+json">{"b":[2],"a":1}</script>',
  ],
  [
    'the time at which structured data was built, its drawn ids and the number of views',
    `<script type="application/ld+json">{"@id":"/#9f86d081884c","dateModified":"2026-01-01","name":"Tea",
      "interactionStatistic":{"interactionType":{"@type":"WatchAction"},"userInteractionCount":7}}</script>`,
    `<script type="application/ld+json">{"@id":"/#0a1b2c3d4e5f","dateModified":"2026-01-02","name":"Tea",
      "interactionStatistic":{"interactionType":{"@type":"WatchAction"},"userInteractionCount":9}}</script>`,
  ],
  [
    'the time at which microdata was built',
    '<meta itemprop="dateModified" content="2026-01-01">',
    '<meta itemprop="dateModified" content="2026-01-02">',
  ],
  ['the order of rules for robots', '<meta name="robots" content="a, b">', '<meta name="robots" content="B,a">'],
  [
    'a signature of a picture',
    '<img src="/a.png?X-Amz-Date=20260101T000000Z&X-Amz-Expires=300&X-Amz-Signature=9f86d081884c7d65">',
    '<img src="/a.png?X-Amz-Date=20260102T000000Z&X-Amz-Expires=300&X-Amz-Signature=0a1b2c3d4e5f6071">',
  ],
];

describe('the level of a change', () => {
  for (const [level, cases] of [
    ['content', CONTENT],
    ['layout', LAYOUT],
    ['hidden', HIDDEN],
  ] as const) {
    for (const [what, before, after] of cases) {
      test(`${what} is ${level}`, () => {
        assert.equal(levelOf(inBody(before), inBody(after)), level);
        assert.equal(levelOf(inBody(after), inBody(before)), level);
      });
    }
  }

  for (const [name, level] of [
    ['description', 'hidden'],
    ['og:title', 'content'],
    ['og:image', 'content'],
    ['robots', 'content'],
    ['generator', 'hidden'],
    ['google-site-verification', 'hidden'],
    ['build-version', 'hidden'],
  ] as const) {
    test(`the metadata ${name} is ${level}`, () => {
      const page = (value: string): string => inHead(`<meta property="${name}" content="${value}">`);
      assert.equal(levelOf(page('tea'), page('coffee')), level);
    });
  }

  test('links of the head: the canonical address is content, a style sheet is layout, the rest is hidden', () => {
    const page = (rel: string, href: string): string => inHead(`<link rel="${rel}" href="${href}">`);
    for (const [rel, level] of [
      ['canonical', 'content'],
      ['stylesheet', 'layout'],
      ['preload', 'hidden'],
      ['icon', 'hidden'],
    ] as const) {
      assert.equal(levelOf(page(rel, '/one'), page(rel, '/two')), level, rel);
    }
  });

  test('equal bytes have no level, and bytes without an outline are content', () => {
    assert.equal(levelOf('<p>x', '<p>x'), null);
    const [before, after] = ['a', 'b'].map((text) => ({ bytes: Buffer.from(text), outline: null }));
    assert.equal(decide(before!, after!).level, 'content');
  });

  test('text cannot pretend to be an attribute, and the end of a huge page counts', () => {
    assert.equal(levelOf('<p>x<img alt="y"></p>', '<p>x&#1;alt=y&#1;</p>'), 'content');
  });
});

describe('the part of a change', () => {
  const isTemplate: TemplateTest = (line) => line.startsWith('menu') || line.startsWith('foot');
  const partOf = (before: string, after: string) =>
    decide(versionOf(before, isTemplate), versionOf(after, isTemplate)).part;

  test('own if the own content changed, template if only lines of the template changed', () => {
    const page = (menu: string, text: string): string => `<ul><li>${menu}</ul><p>${text}</p><p>end</p>`;
    assert.equal(partOf(page('menu a', 'x'), page('menu b', 'x')), 'template');
    assert.equal(partOf(page('menu a', 'x'), page('menu a', 'y')), 'own');
    assert.equal(partOf(page('menu a', 'x'), page('menu b', 'y')), 'own');
    assert.equal(partOf(page('menu a', 'x'), `${page('menu a', 'x')}<p>menu c</p>`), 'template');
    assert.equal(partOf(page('menu a', 'x'), `${page('menu a', 'x')}<p>more</p>`), 'own');
  });

  test('new text in the place of template is template, although the template does not have it yet', () => {
    assert.equal(partOf('<p>x</p><p>foot 2025</p>', '<p>x</p><p>all rights reserved</p>'), 'template');
  });

  test('is unknown without a template, and below the level content', () => {
    assert.equal(decide(versionOf('<p>x'), versionOf('<p>y')).part, null);
    assert.equal(partOf('<p class="a">x', '<p class="b">x'), null);
  });
});
