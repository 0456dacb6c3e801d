import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codesOf, compareCodes } from '../../src/change/codes/page-codes.ts';
import { bandOf, compareVersions } from '../../src/change/compare-versions.ts';
import { CHANGE_KINDS, MAX_REGIONS, type PageVersion } from '../../src/change/page-change.ts';
import { decideChange, hashesOf, hashTags, hashText } from '../../src/change/version-hashes.ts';
import type { PageOutline } from '../../src/core/page/page-outline.ts';
import { outlinePage } from '../../src/page/outline/outline.ts';
import { readableVersion } from '../../src/page/readable-version.ts';
import { randomHtml, randomNumbers } from '../page/random-html.ts';
import { randomPage, randomSentence } from '../page/random-page.ts';
import { outlineOf } from './outline-of.ts';

function versionOf(html: string, images?: Record<string, string>): PageVersion {
  const bytes = Buffer.from(html);
  const readable = () => readableVersion(bytes, 'text/html; charset=utf-8', 'http://a.test/');
  const version = { bytes, outline: outlineOf(html), readable };
  return images === undefined ? version : { ...version, images: new Map(Object.entries(images)) };
}

const compare = (before: string, after: string) => compareVersions(versionOf(before), versionOf(after));

describe('P14 the comparison finds changes that the codes miss', () => {
  const table = (name: string) => `<table><${name}>a</${name}></table>`;
  const examples = [
    ['dog bites man, man bites dog', '<p>dog bites man</p>', '<p>man bites dog</p>', ['text'], 'p'],
    ['$126 and $405', '<p>$126</p>', '<p>$405</p>', ['text'], 'p'],
    ['td and thead', `<div>${table('td')}</div>`, `<div>${table('thead')}</div>`, ['structure'], 'div > table'],
    ['an href', '<nav><a href="/a">x</a></nav>', '<nav><a href="/b">x</a></nav>', ['links'], 'nav > a'],
    [
      'a node moved on its level',
      '<main><p id="a">b</p><p id="b">c</p></main>',
      '<main><p id="b">c</p><p id="a">b</p></main>',
      ['structure'],
      'main > p#',
    ],
  ] as const;

  for (const [name, before, after, kinds, path] of examples) {
    test(`P14 ${name}`, () => {
      const change = compare(before, after);
      assert.equal(change.verdict, 'changed');
      for (const kind of kinds) assert.ok(change.kinds.includes(kind), change.kinds.join());
      assert.ok(change.regions[0]!.path.startsWith(path), change.regions[0]!.path);
      assert.equal(decideChange(hashesOf(versionOf(before)), hashesOf(versionOf(after))), 'changed');
    });
  }

  test('P14 equal determinants', () => {
    const html = '<main><img src="/logo.png"></main>';
    const [before, after] = ['1'.repeat(32), '2'.repeat(32)].map((hash) =>
      versionOf(html, { 'http://a.test/logo.png': hash }),
    );
    const images = new Map([['http://a.test/logo.png', 0n]]);
    const codes = [before, after].map((version) => codesOf(version!.outline!, images));
    assert.equal(compareCodes(codes[0]!, codes[1]!).differs, null);
    const { verdict, kinds, regions } = compareVersions(before!, after!);
    assert.deepEqual([verdict, kinds, regions], ['changed', ['images'], [{ path: 'main > img', kinds: ['images'] }]]);
    assert.equal(decideChange(hashesOf(before!), hashesOf(after!)), 'changed');
  });

  test('P14 the codes alone find no difference in these pages', () => {
    for (const [name, before, after] of examples) {
      const { differs } = compareCodes(codesOf(outlineOf(before)), codesOf(outlineOf(after)));
      assert.equal(differs, null, name);
    }
  });
});

describe('the verdict', () => {
  test('identical is byte for byte', () => {
    const change = compare('<p>x', '<p>x');
    assert.deepEqual(change, {
      verdict: 'identical',
      level: null,
      part: null,
      kinds: [],
      levels: [],
      regions: [],
      shared: 1,
      sharedFeatures: 84,
      band: 'none',
      wordsAdded: 0,
      wordsRemoved: 0,
    });
  });

  test('different bytes without a visible difference are noise', () => {
    const { verdict, kinds, band } = compare('<p class="a">x &amp; y</p>', "<P class='a' >x & y</p>");
    assert.deepEqual([verdict, kinds, band], ['noise', ['other'], 'no-text']);
  });

  test('an ignored difference is noise, and any other difference is a change', () => {
    const ignoring = ({ nodes, isCut }: PageOutline): PageOutline => ({
      isCut,
      nodes: nodes.map((node) => (node.kind === 'text' ? { ...node, text: node.text.replace(/\d+/g, '') } : node)),
    });
    const [before, after] = ['<p>seen 5 times', '<p>seen 6 times'].map((html) => versionOf(html));
    assert.equal(compareVersions(before!, after!).verdict, 'changed');
    assert.equal(compareVersions(before!, after!, ignoring).verdict, 'noise');
    assert.equal(compareVersions(before!, versionOf('<p>heard 6 times'), ignoring).verdict, 'changed');
  });

  test('a document without an outline has changed if its bytes differ', () => {
    const [before, after] = ['a', 'b'].map((text) => ({ bytes: Buffer.from(text), outline: null }));
    assert.equal(compareVersions(before!, before!).verdict, 'identical');
    const { verdict, kinds, band } = compareVersions(before!, after!);
    assert.deepEqual([verdict, kinds, band], ['changed', ['other'], 'complete']);
    assert.equal(compareVersions(before!, versionOf('<p>b')).verdict, 'changed');
    assert.equal(decideChange(hashesOf(before!), hashesOf(after!)), 'changed');
  });

  test('an image that was fetched only once does not count', () => {
    const html = '<img src=a.png>';
    assert.equal(compareVersions(versionOf(html, { a: '1' }), versionOf(html, { b: '2' })).verdict, 'identical');
    assert.equal(compareVersions(versionOf(html, { a: '1' }), versionOf(html)).verdict, 'identical');
  });

  test('comparing node by node and comparing hashes give the same verdict', () => {
    const random = randomNumbers(21);
    const seen = new Map<string, number>();
    for (let round = 0; round < 3_000; round++) {
      const before = round % 2 === 0 ? randomPage(random) : `<p>${randomHtml(random)}`;
      const at = Math.floor(random() * before.length);
      const letter = ' <>/abp"\n'[Math.floor(random() * 9)] as string;
      const after = before.slice(0, at) + letter + before.slice(at + Math.floor(random() * 3));
      const { verdict, kinds } = compare(before, after);
      assert.equal(
        verdict,
        decideChange(hashesOf(versionOf(before)), hashesOf(versionOf(after))),
        `${before}\n${after}`,
      );
      assert.equal(kinds.length === 0, verdict === 'identical');
      seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
    }
    assert.ok((seen.get('changed') ?? 0) > 1_000 && (seen.get('noise') ?? 0) > 50, JSON.stringify([...seen]));
  });
});

describe('the hashed data is unambiguous', () => {
  const different: readonly (readonly [string, string])[] = [
    ['<p>a<b></b></p>', '<p><b></b>a</p>'],
    ['<p>a</p>b', '<p>ab</p>'],
    ['<p>a</p><p>b</p>', '<p>ab</p><p></p>'],
    ['<p a="b c">', '<p a="b" c>'],
    ['<p a="">', '<p>'],
    ['<p><b></b></p>', '<p></p><b></b>'],
    ['<p>1:a', '<p>1:1:a'],
    ['<x-1><y>', '<x-><1y>'],
  ];
  for (const [before, after] of different) {
    test(`${before} and ${after}`, () => {
      const of = (html: string) => hashTags(outlineOf(html)) + hashText(outlineOf(html));
      assert.notEqual(of(before), of(after));
      assert.equal(compare(before, after).verdict, 'changed');
    });
  }
  test('hashes have 128 bits', () => assert.match(hashesOf(versionOf('<p>x')).bytes, /^[0-9a-f]{32}$/));
});

describe('kinds', () => {
  const page = (body: string) => `<html><body><main>${body}</main></body></html>`;
  const cases: Record<string, [before: string, after: string, kinds: string[]]> = {
    text: ['<p>a b c', '<p>a x c', ['text']],
    structure: ['<p>a</p>', '<p>a</p><hr>', ['structure']],
    attributes: ['<p class=a>x', '<p class=b>x', ['attributes']],
    'the order of attributes': ['<p a=1 b=2>x', '<p b=2 a=1>x', ['attributes']],
    links: ['<a href=1 class=x>y</a>', '<a href=2 class=x>y</a>', ['links']],
    'links and attributes': ['<a href=1 class=x>y</a>', '<a href=2 class=z>y</a>', ['attributes', 'links']],
    images: ['<img src=1.png>', '<img src=2.png>', ['images']],
    'images of a picture': ['<picture><source srcset=1></picture>', '<picture><source srcset=2></picture>', ['images']],
    'an image that came': ['x', 'x<img src=1>', ['structure', 'images']],
    'a link that came': ['<ul><li>x</ul>', '<ul><li>x<li><a href=1>y</a></ul>', ['structure', 'text', 'links']],
    scripts: ['<script>1</script>x', '<script>2</script>x', ['other']],
    'white space': ['<p>a b', '<p>a  b', ['text']],
  };
  for (const [name, [before, after, kinds]] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(compare(page(before), page(after)).kinds, kinds));
  }
  test('the kinds are a closed list', () => {
    assert.deepEqual(CHANGE_KINDS, ['structure', 'text', 'attributes', 'links', 'images', 'other']);
  });
});

describe('where', () => {
  const page = (story: string) =>
    `<html><head><title>t</title></head><body><header>h</header><main><article id="story"><h1>x</h1>${story}</article></main></body></html>`;

  test('the third paragraph of an article', () => {
    const change = compare(page('<p>a</p><p>b</p><p>c</p>'), page('<p>a</p><p>b</p><p>d</p>'));
    assert.deepEqual(change.regions, [{ path: 'main > article#story > p:3', kinds: ['text'] }]);
  });

  test('an added element is named once, together with its content', () => {
    const change = compare(
      page('<p>a</p>'),
      page('<p>a</p><section><ul><li>1</li><li><a href=x>2</a></li></ul></section>'),
    );
    assert.deepEqual(change.regions, [
      { path: 'main > article#story > section', kinds: ['structure', 'text', 'links'] },
    ]);
    assert.deepEqual(change.kinds, ['structure', 'text', 'links']);
    assert.deepEqual(
      change.levels.map(({ level, difference }) => [level, difference]),
      [
        [5, 1],
        [6, 1],
        [7, 2],
        [8, 1],
      ],
    );
  });

  test('a removed element is named at its old place', () => {
    const change = compare(page('<p>a</p><p>b</p><p>c</p>'), page('<p>a</p><p>c</p>'));
    assert.deepEqual(change.regions, [{ path: 'main > article#story > p:2', kinds: ['structure', 'text'] }]);
    assert.deepEqual(change.levels, [{ level: 5, before: 4, after: 3, difference: -1 }]);
  });

  test('a long path is shortened to its ids and its last elements', () => {
    const deep = (text: string) =>
      `<main><div><div id="list"><div><div><div><ul><li>a</li><li>${text}</li></ul></div></div></div></div></div></main>`;
    assert.deepEqual(compare(deep('b'), deep('c')).regions[0]?.path, 'main div#list ul > li:2');
  });

  test('only the first regions are named, up to the limit', () => {
    const items = (text: string) =>
      `<ul>${Array.from({ length: 100 }, (_, at) => `<li>${at} ${text}</li>`).join('')}</ul>`;
    const { regions } = compare(items('a'), items('b'));
    assert.equal(regions.length, MAX_REGIONS);
    assert.equal(regions[0]!.path, 'ul > li:1');
  });

  test('names from the page are shown as plain text', () => {
    const id = (text: string) => `<p id="a&quot;>\n\u001b[31m&lt;script&gt;${'x'.repeat(100)}">${text}</p>`;
    assert.match(compare(id('a'), id('b')).regions[0]!.path, /^p#[\p{L}\p{N}_.:-]{1,40}$/u);
  });

  test('moved paragraphs are found, and paragraphs that stay are not named', () => {
    const random = randomNumbers(5);
    const paragraphs = Array.from({ length: 300 }, () => `<p>${randomSentence(random, 12)}</p>`);
    const moved = [...paragraphs];
    moved.splice(200, 0, ...moved.splice(50, 1));
    const change = compare(`<main>${paragraphs.join('\n')}</main>`, `<main>${moved.join('\n')}</main>`);
    assert.ok(change.regions.length <= 4, JSON.stringify(change.regions));
    assert.deepEqual([change.wordsAdded, change.wordsRemoved], [12, 12]);
    assert.ok(change.kinds.includes('structure'));
  });
});

describe('how much', () => {
  test('added and removed words are counted, each occurrence once', () => {
    const { wordsAdded, wordsRemoved } = compare('<p>a b b c</p><p>same</p>', '<p>a b d e c c</p><p>same</p>');
    assert.deepEqual([wordsAdded, wordsRemoved], [3, 1]);
  });

  test('the six bands', () => {
    const of = (features: number) => bandOf(features);
    assert.deepEqual([84, 83, 57, 56, 29, 28, 1, 0].map(of), [
      'no-text',
      'small',
      'small',
      'medium',
      'medium',
      'large',
      'large',
      'complete',
    ]);
  });

  test('a page with completely new text is in the band "complete"', () => {
    const { band, shared, sharedFeatures } = compare(
      '<p>one two three four five six',
      '<p>seven eight nine ten eleven twelve',
    );
    assert.deepEqual([band, shared, sharedFeatures], ['complete', 0, 0]);
  });

  test('a page with only new markup is in the band "no-text"', () => {
    const { band, shared } = compare('<p>one two three four five six', '<div class=x>one two three four five six');
    assert.deepEqual([band, shared], ['no-text', 1]);
  });
});

describe('bad input', () => {
  const bodies: Record<string, Buffer> = {
    nothing: Buffer.alloc(0),
    binary: Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7919) % 256)),
    'ten megabytes of <': Buffer.alloc(10_000_000, '<'),
    'a million elements in each other': Buffer.from('<div>'.repeat(1e6)),
    'a million different words': Buffer.from(Array.from({ length: 1e6 }, (_, at) => `w${at}`).join(' ')),
    'a hundred thousand paragraphs': Buffer.from(Array.from({ length: 1e5 }, (_, at) => `<p>${at}`).join('')),
    'the same paragraph many times': Buffer.from('<p>x y</p>'.repeat(1e5)),
    'one element with many attributes': Buffer.from(`<p ${'a=b '.repeat(3e5)}>x`),
  };
  for (const [name, bytes] of Object.entries(bodies)) {
    test(`${name}: bounded time, and the last byte counts`, () => {
      const start = process.cpuUsage().user;
      const other = Buffer.concat([bytes.subarray(1), Buffer.from('z')]);
      const [before, after] = [bytes, other].map((body) => ({ bytes: body, outline: outlinePage(body, 'text/html') }));
      assert.equal(compareVersions(before!, before!).verdict, 'identical');
      assert.equal(compareVersions(before!, after!).verdict, 'changed');
      assert.equal(decideChange(hashesOf(before!), hashesOf(after!)), 'changed');
      const seconds = (process.cpuUsage().user - start) / 1e6;
      assert.ok(seconds < 20, `${seconds} s`);
    });
  }
});
