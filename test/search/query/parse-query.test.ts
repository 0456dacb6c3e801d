import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery } from '../../../src/search/query/parse-query.ts';
import { MAX_LEAVES, MAX_NESTING, MAX_QUERY_CHARS, MAX_WORD_CHARS } from '../../../src/search/query/query-limits.ts';
import { QUERY_NOTE_CODES } from '../../../src/search/query/query-notes.ts';
import { NOW_MS, shown } from './show-query.ts';

function check(rows: Readonly<Record<string, string>>): void {
  const found = Object.fromEntries(Object.keys(rows).map((text) => [text, shown(text)]));
  assert.deepEqual(found, rows);
}

test('E9: AND, OR, XOR, NOT and NEAR are operators in capitals and words in lower case', () => {
  check({
    'a AND b': 'and(a b)',
    'a OR b OR c': 'or(a b c)',
    'a XOR b': 'xor(a b)',
    'NOT a': 'not(a)',
    'a AND NOT b': 'and(a not(b))',
    'a NEAR b': 'near10(a b)',
    'a NEAR/3 b NEAR/3 "c d"': 'near3(a b "c d")',
    'a NEAR/3 b NEAR/5 c': 'and(near3(a b) near5(b c))',
    'salt and pepper or not near xor': 'plain(salt and pepper or not near xor)',
    'And Or nOT': 'plain(And Or nOT)',
  });
});

test('E9: words beside each other are optional, and what has an operator is required', () => {
  check({
    a: 'a',
    'a b': 'plain(a b)',
    'a "b c"': 'plain(+"b c" a)',
    '"a b" c': 'plain(+"a b" c)',
    '"a" "b"': 'and("a" "b")',
    '+a b': 'plain(+a b)',
    '+a +b': 'and(a b)',
    'a -b': 'and(a not(b))',
    'a b -c -d': 'and(plain(a b) not(c) not(d))',
    'a NOT b': 'and(a not(b))',
    '-a -b': 'and(not(a) not(b))',
    'a =b wal* intitle:c': 'plain(+=b +title:c a ~wal*)',
    'a site:b.test': 'and(a site:b.test)',
    'a b site:c.test -d +e': 'and(plain(+e a b) site:c.test not(d))',
    '(site:a.test OR site:b.test) c': 'and(c or(site:a.test site:b.test))',
    '(a)': 'a',
    '(a) ((b))': 'plain(a b)',
    '(a b) c': 'plain(+plain(a b) c)',
    '(+a) b': 'plain(+a b)',
  });
});

test('NOT binds before NEAR, then AND, XOR, OR, and words beside each other come last', () => {
  check({
    'a OR b c': 'plain(+or(a b) c)',
    'a b OR c d': 'plain(+or(b c) a d)',
    'a AND b OR c AND d': 'or(and(a b) and(c d))',
    'a OR b AND c': 'or(a and(b c))',
    'a XOR b AND c OR d': 'or(xor(a and(b c)) d)',
    'a AND b NEAR c AND d': 'and(a near10(b c) d)',
    'NOT a AND b': 'and(not(a) b)',
    'NOT a b': 'and(b not(a))',
    'NOT (a OR b)': 'not(or(a b))',
    'NOT NOT a': 'a',
    'NOT NOT NOT a': 'not(a)',
    'NOT (NOT a)': 'a',
    '(a AND b) AND c': 'and(and(a b) c)',
    'a AND b c AND d': 'and(and(a b) and(c d))',
  });
});

test('signs of Google, Lucene and Sphinx mean what they mean there', () => {
  check({
    'a | b': 'or(a b)',
    'a|b||c': 'or(a b c)',
    'a && b || !c': 'or(and(a b) not(c))',
    'a&&b': 'and(a b)',
    '!"a b" c': 'and(c not("a b"))',
    '-(a OR b) c': 'and(c not(or(a b)))',
    '-site:a.test b': 'and(b not(site:a.test))',
    'a –b −c': 'and(a not(b) not(c))',
    'a AROUND(4) b': 'near4(a b)',
    '"a b c"~5': 'near7(=a =b =c)',
    '"a - b"~1': 'near2(=a =b)',
    '"a"~5': '"a"',
    'title:a': 'title:a',
    'foo^2 bar~1 "a b"^3': 'plain(+"a b" foo bar) !boost-ignored !boost-ignored !boost-ignored',
    'date:[2026-01 TO *]': 'date:2026..',
  });
});

test('signs inside words and between words are no operators', () => {
  check({
    'near-duplicate a-b': 'plain(near-duplicate a-b)',
    'C++ C# .NET AT&T': 'plain(C++ C# .NET AT&T)',
    '--help': '--help',
    'Yahoo! what?': 'plain(Yahoo! what?)',
    'https://a.test/?b=c&d=*': 'https://a.test/?b=c&d=*',
    '12:30 std::vector': 'plain(12:30 std::vector)',
    'a - b': 'plain(a b) !sign-ignored',
    'Bonjour ! Hello': 'plain(Bonjour Hello) !sign-ignored',
    'main()': 'main',
    'f(x)': 'plain(f x)',
    '27" monitor': 'plain(27 monitor)',
    '27" monitor "a b"': 'plain(+"a b" 27 monitor)',
    '€ 5 🦊': 'plain(€ 5 🦊)',
  });
});

test('phrases have quotation marks of any language', () => {
  for (const text of ['“a b”', '„a b“', '”a b”', '«a b»', '»a b«', '「a b」', '"a  \n b"', '" a b "', '＂a b＂']) {
    assert.equal(shown(text), '"a b"', text);
  }
  check({
    '"a b""c d"': 'and("a b" "c d")',
    '"a \\"b\\" c"': '"a "b" c"',
    '"AND" a': 'plain(+"AND" a)',
    '"(a"': '"(a"',
    '"!"': 'nothing !sign-ignored !nothing-to-search',
  });
});

test('wildcards work inside words and at their ends, and a question mark behind a word is punctuation', () => {
  check({
    'wal*': '~wal*',
    '*ing': '~*ing',
    'colou?r': '~colou?r',
    'who? =wal?': 'plain(who? ~wal?)',
    '**a**': '~*a*',
    '*': 'nothing !sign-ignored !nothing-to-search',
    'foo/*': 'foo/* !wildcard-ignored',
    'intitle:wal*': 'title:~wal*',
  });
});

test('a field belongs to the word, the phrase or the parentheses directly behind it', () => {
  check({
    'intitle:a b': 'plain(+title:a b)',
    'inurl:docs InAnchor:a': 'and(url:docs anchor:a)',
    'intitle:"a b"': 'title:"a b"',
    'intitle:=a': 'title:=a',
    'intitle:(a OR b) c': 'plain(+or(title:a title:b) c)',
    'intitle:(a b)': 'plain(title:a title:b)',
    'a intitle:(b)': 'plain(+title:b a)',
    'intitle:(a inurl:b any:c)': 'plain(+url:b +c title:a)',
    'intitle:(a NEAR/2 b)': 'near2(title:a title:b)',
    'site:(a.test OR b.test)': 'or(site:a.test site:b.test)',
    'filetype:(pdf | docx) a': 'and(a or(filetype:pdf filetype:docx))',
    'lang:"de"': 'lang:de',
  });
});

test('a backslash takes the meaning from a sign, and from a whole word at its beginning', () => {
  check({
    '\\AND \\-a \\(b\\)': 'plain(AND -a (b))',
    'a\\*': 'a*',
    'site\\:a': 'site:a',
    'C:\\Windows\\System': 'C:\\Windows\\System',
    'a\\ b': 'a b',
    'a\\': 'a\\',
  });
});

test('a query that is not complete is read as far as possible, and a note says so', () => {
  check({
    '': 'nothing !nothing-to-search',
    '()': 'nothing !nothing-to-search',
    AND: 'AND !operators-as-words',
    'NOT (OR)': 'plain(NOT OR) !operators-as-words',
    'Portland OR': 'Portland !operator-ignored',
    'OR a': 'a !operator-ignored',
    'a AND OR b': 'and(a b) !operator-ignored',
    'a NOT AND b': 'and(a not(b)) !operator-ignored',
    'a NOT': 'a !operator-ignored',
    '(a OR) b': 'plain(a b) !operator-ignored',
    'a OR () b': 'plain(a b)',
    '(a b': 'plain(a b) !parenthesis-not-closed',
    'a) b': 'plain(a b) !parenthesis-not-opened',
    '"a b': 'plain(a b) !quote-not-closed',
    'a NEAR (b OR c)': 'and(a or(b c)) !near-became-and',
    'a NEAR -b': 'and(a not(b)) !near-became-and',
    'a NEAR wal*': 'and(a ~wal*) !near-became-and',
    'inanchor:a NEAR b': 'and(anchor:a b) !near-became-and',
    'a NEAR/0 b': 'near10(a b) !near-distance',
    'a NEAR/5000 b': 'near1000(a b) !near-distance',
    'a NEAR/x b': 'near10(a b) !near-distance',
    'site: a': 'plain(site: a) !field-without-value',
    'titel:a': 'titel:a !unknown-field',
    'date:foo a': 'plain(date:foo a) !bad-value',
    'intitle:"!" a': 'a !sign-ignored',
    'date:2027..2026': 'date:2026..2027 !range-turned',
    '-OR a': 'and(a not(OR))',
  });
});

test('limits: what is beyond them is left out, and a note says so', () => {
  const words = Array.from({ length: MAX_LEAVES + 5 }, (_, at) => `w${at}`);
  const many = parseQuery(words.join(' '), NOW_MS);
  assert.ok(many.query.kind === 'plain' && many.query.optional.length === MAX_LEAVES);
  assert.deepEqual(
    many.notes.map(({ code }) => code),
    ['too-many-words'],
  );
  assert.equal(shown(`a OR "${words.join(' ')}"`), 'a !too-many-words');
  assert.equal(shown(`a ${'x'.repeat(MAX_WORD_CHARS + 1)}`), `plain(a ${'x'.repeat(MAX_WORD_CHARS)}) !word-too-long`);
  assert.equal(shown(`a${' '.repeat(MAX_QUERY_CHARS)}b`), 'a !query-too-long');
  const open = '('.repeat(MAX_NESTING);
  const close = ')'.repeat(MAX_NESTING);
  assert.equal(shown(`${open}a${close} OR b`), 'or(a b)');
  assert.equal(shown(`${open}(a${close}) OR b`), 'or(a b) !nested-too-deep');
  assert.equal(shown(`${'('.repeat(30_000)}a OR b${')'.repeat(30_000)} c`), 'plain(+or(a b) c) !nested-too-deep');
  assert.equal(shown(`${'NOT '.repeat(15_001)}a`), 'not(a)');
});

test('every code of a note has a query that leads to it', () => {
  const texts = [
    ...[' '.repeat(MAX_QUERY_CHARS + 1), 'a '.repeat(MAX_LEAVES + 1), '('.repeat(MAX_NESTING + 2)],
    ...[
      'x'.repeat(MAX_WORD_CHARS + 1),
      '"a',
      '(a',
      'a)',
      'a OR',
      'OR',
      '-',
      'a/*',
      'a^2',
      'a NEAR (b c)',
      'a NEAR/0 b',
    ],
    ...['site:', 'titel:a', 'depth:a', 'date:2027..2026', ''],
  ];
  const notes = texts.flatMap((text) => parseQuery(text, NOW_MS).notes);
  assert.deepEqual(new Set(notes.map(({ code }) => code)), new Set(QUERY_NOTE_CODES));
  for (const { message } of notes) assert.match(message, /^["A-Z].*[.?]$/s);
});

test('a note of the same kind is given at most three times', () => {
  const { notes } = parseQuery(Array.from({ length: 50 }, (_, at) => `date:x${at}`).join(' '), NOW_MS);
  assert.equal(notes.length, 3);
});

test('the places of words are known, so that a correction can replace them', () => {
  const text = 'helo  (=wrld OR "a b") site:a.test -foo* intitle:titel';
  const { words } = parseQuery(text, NOW_MS);
  assert.deepEqual(
    words.map(({ text: word, start, end }) => [word, text.slice(start, end)]),
    [
      ['helo', 'helo'],
      ['wrld', '=wrld'],
      ['foo*', 'foo*'],
      ['titel', 'titel'],
    ],
  );
});
