import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_WORDS, WordScan } from '../../src/frontier/topic/word-scan.ts';

function textWords(text: string): number[] {
  const scan = new WordScan();
  scan.readText(text);
  return [...scan.hashes.subarray(0, scan.count)];
}

function urlWords(url: string): number[] {
  const scan = new WordScan();
  scan.readUrl(url, url.indexOf('/', 8));
  return [...scan.hashes.subarray(0, scan.count)];
}

test('words are equal in upper and lower case, with and without accents, composed or decomposed', () => {
  const plain = textWords('araignee toile');
  assert.equal(plain.length, 2);
  for (const spelling of ['Araignée TOILE', 'araigne\u0301e, toïle', '«ARAIGNÉE»\ntoi\u00adle']) {
    assert.deepEqual(textWords(spelling), plain, spelling);
  }
  assert.notDeepEqual(textWords('toile araignee'), plain);
  assert.deepEqual(textWords('ﬁbre ｏｒｂ'), textWords('fibre orb'));
  assert.deepEqual(textWords('ПАУК Σπειρά'), textWords('паук σπειρα'));
});

test('a plural counts as its singular, and words that only look like a plural are not changed', () => {
  for (const [plural, singular] of [
    ['spiders', 'spider'],
    ['webs', 'web'],
    ['Flies', 'fly'],
    ['spinnerets', 'spinneret'],
  ] as const) {
    assert.deepEqual(textWords(plural), textWords(singular), plural);
  }
  for (const [left, right] of [
    ['glass', 'glas'],
    ['araneus', 'araneu'],
    ['silk', 'silks and'],
    ['axis', 'axi'],
    ['gas', 'ga'],
  ] as const) {
    assert.notDeepEqual(textWords(left), textWords(right), left);
  }
});

test('scripts without spaces give pairs of neighbouring letters', () => {
  assert.equal(textWords('蜘蛛の巣').length, 3);
  assert.equal(textWords('蜘蛛の巣')[0], textWords('蜘蛛')[0]);
  assert.deepEqual(textWords('網 web'), [...textWords('網'), ...textWords('web')]);
  assert.equal(textWords('蜘蛛web').length, 2);
});

test('a URL is split at every character that is not a letter, and before a capital after a small letter', () => {
  const expected = textWords('orb web spider silk');
  for (const path of [
    '/orb-web/spider_silk',
    '/orbWeb/SpiderSilks2',
    '/orb%20web/?spider+silk',
    '/2/orb.web;spider=silk#3',
  ]) {
    assert.deepEqual(urlWords(`http://host.test${path}`), expected, path);
  }
  assert.deepEqual(urlWords('http://spider.test/p/80'), textWords('p'));
  assert.deepEqual(urlWords('http://host.test/araign%C3%A9e'), textWords('araignee'));
});

test('nothing in a text or URL throws, and no text gives more words than the limit', () => {
  assert.ok(urlWords('http://host.test/%E9%zz%/orb').length > 0);
  assert.ok(urlWords(`http://host.test/${'%'.repeat(5_000)}`).length === 0);
  assert.deepEqual(textWords(''), []);
  assert.ok(textWords('\ud800 \udfff\ud800 🕷').length > 0);
  assert.equal(textWords('a b '.repeat(MAX_WORDS)).length, MAX_WORDS);
  assert.equal(textWords('網'.repeat(3 * MAX_WORDS)).length, MAX_WORDS);
  assert.deepEqual(textWords('x'.repeat(100_000)), textWords('x'.repeat(40)));
});
