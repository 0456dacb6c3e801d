import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AdvancedSearch, buildQuery } from '../../../src/search/query/build-query.ts';
import { describeQuery } from '../../../src/search/query/describe-query.ts';
import { parseQuery } from '../../../src/search/query/parse-query.ts';
import { NOW_MS, shown } from './show-query.ts';

function built(fields: AdvancedSearch): string {
  return shown(buildQuery(fields));
}

test('E10: the fields of the advanced search page become one query', () => {
  assert.equal(built({ allWords: 'a b' }), 'and(a b)');
  assert.equal(built({ exactPhrase: ' a  b ' }), '"a b"');
  assert.equal(built({ anyWord: 'a b' }), 'or(a b)');
  assert.equal(built({ anyWord: 'a' }), 'a');
  assert.equal(built({ noneOfWords: 'a b' }), 'and(not(a) not(b))');
  assert.equal(built({ allWords: 'a', anyWord: 'b c', noneOfWords: 'd' }), 'and(a or(b c) not(d))');
  assert.equal(built({ allWords: 'a b', exactPhrase: 'c d', where: 'title' }), 'and(title:a title:b title:"c d")');
  assert.equal(built({ allWords: 'a', where: 'url' }), 'url:a');
  assert.equal(built({ allWords: 'a', where: 'any' }), 'a');
  const filters = { site: 'a.test', fileType: 'pdf', language: 'de', date: 'last 7d', changed: '2026' };
  const since = '2026-11-12T21:00..';
  const limits = `site:a.test filetype:pdf lang:de date:${since} changed:2026`;
  assert.equal(built(filters), `and(${limits})`);
  assert.equal(built({ ...filters, anyWord: 'a b' }), `and(or(a b) ${limits})`);
});

test('E10: whatever stands in a field of words is words', () => {
  assert.equal(built({ allWords: 'a OR -b (c site:d e*' }), 'and(a OR -b (c site:d e*)');
  assert.equal(built({ allWords: 'a "b c" d' }), 'and(a "b c" d)');
  assert.equal(built({ noneOfWords: 'a “b c”' }), 'and(not(a) not("b c"))');
  assert.equal(built({ exactPhrase: '"a b"' }), '"a b"');
  assert.equal(built({ allWords: 'a "b' }), 'and(a "b")');
});

test('E10: empty fields are left out, and the parser says what is wrong with a value', () => {
  assert.equal(buildQuery({}), '');
  assert.equal(buildQuery({ allWords: ' - ', exactPhrase: '', site: ' ', where: 'title' }), '');
  assert.equal(built({ allWords: 'a', language: 'x" y' }), 'plain(+a lang:x" y) !bad-value');
});

test('a description says in plain lines how a query was understood', () => {
  const described = (text: string): string[] => describeQuery(parseQuery(text, NOW_MS).query);
  assert.deepEqual(described('a "b c" -d -(e NEAR f) site:g.test/h date:2026-10..2026-11 depth:0..3'), [
    'All of these:',
    '  The phrase "b c".',
    '  Pages that also have this come first: the word "a".',
    '  Not: the word "d".',
    '  Not: the word "e" and the word "f", at most 10 words apart, in any order.',
    '  The page is on g.test, below /h.',
    '  The content was fetched from 2026-10 until the end of 2026-11 (UTC).',
    '  The page is 0 to 3 links away from the seeds.',
  ]);
  assert.deepEqual(described('a XOR (intitle:=b OR c*)'), [
    'Exactly one of these:',
    '  The word "a".',
    '  At least one of these:',
    '    The word "b" in exactly this form in the title.',
    '    A word like c*.',
  ]);
  assert.deepEqual(described('NOT (a XOR b XOR c)'), [
    'Not:',
    '  An odd number of these:',
    '    The word "a".',
    '    The word "b".',
    '    The word "c".',
  ]);
  assert.deepEqual(described('a b'), [
    'At least one of these, and pages with all of them come first: the word "a", the word "b".',
  ]);
  assert.deepEqual(described(''), ['Nothing: the query finds no page.']);
});
