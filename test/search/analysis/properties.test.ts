/** What holds for every text: random words of many scripts, and text that was made to be slow. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeQuery, analyzeText, foldTerm, TermNumbers } from '../../../src/search/analysis/analyze.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { TermTable } from './matching.ts';

const PIECES = [
  ...[
    'a',
    'I',
    'word',
    'Word',
    'WORD',
    'don',
    't',
    's',
    'o',
    'l',
    'get',
    'Element',
    'ById',
    'HTML',
    'v2',
    '3',
    '000',
    '13',
    'x',
  ],
  ...['é', 'É', 'e\u0301', 'ß', 'ü', 'İ', 'ı', 'ﬁ', 'Ｆ', '３', '²', '½', '①', 'ſ', 'ά', 'ς', 'Σ', 'ж', 'Ё', 'ї'],
  ...['שלום', 'צה', 'عربي', 'ـ', 'َ', 'می', '٣', 'हिन्दी', '३', 'தமிழ்', 'አማርኛ', 'ქართული', 'հայ'],
  ...[
    '漢',
    '字',
    '東京',
    '々',
    'か',
    'か\u3099',
    'が',
    'カ',
    'ｶ',
    'ﾞ',
    'ー',
    '한',
    '국어',
    '\u1112\u1161\u11ab',
    'ภาษา',
    'ำ',
    'ລາວ',
    'ខ្មែរ',
    'မြန်',
  ],
  ...[
    '𠀀',
    '𐐀',
    '𝐇',
    '😀',
    '\ud83d',
    '\udc00',
    '\u200d',
    '\u200c',
    '\u00ad',
    '\ufeff',
    '\u200e',
    '\ufe0f',
    '\u0301',
    '\u0316',
    '\0',
  ],
];
const GAPS = [
  ...[
    '',
    '',
    '',
    ' ',
    ' ',
    '.',
    ',',
    "'",
    '’',
    '-',
    '--',
    '\u2010',
    '_',
    '__',
    ':',
    '::',
    '@',
    '#',
    '+',
    '++',
    '&',
    '/',
    '=',
  ],
  ...['·', '״', '׳', '...', ', ', '. ', '(', '"', '\n', '<<', '$', '%20', '—', '。', '、', '・'],
];

function randomText(random: SeededRandom, pieces: number): string {
  let text = '';
  for (let i = 0; i < pieces; i++) text += random.pick(PIECES) + random.pick(GAPS);
  return text;
}

test('every word of a random text, and every run of words, is found by the query that is written like it', () => {
  for (let seed = 0; seed < 800; seed++) {
    const random = new SeededRandom(seed);
    const text = randomText(random, 1 + random.below(30));
    const table = new TermTable(text);
    const words = text.split(/[ \n("<$%—。、・]+/u);
    const from = random.below(words.length);
    const to = from + 1 + random.below(4);
    for (const query of [...words, words.slice(from, to).join(' ')]) {
      if (new TermTable(query).list.length === 0) assert.deepEqual(analyzeQuery(query), [], JSON.stringify(query));
      else assert.ok(table.isFoundBy(query), `seed ${seed}: ${JSON.stringify(query)} in ${JSON.stringify(text)}`);
    }
  }
});

test('positions never fall, and terms are short, in lower case and in normal form', () => {
  for (let seed = 0; seed < 800; seed++) {
    const random = new SeededRandom(seed);
    const text = randomText(random, 40);
    let before = 5;
    const end = analyzeText(text, 5, (term, position) => {
      assert.ok(position >= before, `seed ${seed}: ${term} at ${position}`);
      before = position;
      assert.ok(term.length > 0 && term.length <= 64, term);
      assert.equal(term.toLowerCase(), term);
      assert.doesNotMatch(term, /[\s\p{C}]/u, `seed ${seed}: ${JSON.stringify(term)}`);
      for (const spelling of foldTerm(term)) assert.deepEqual(foldTerm(spelling), [], `${term} ${spelling}`);
    });
    assert.ok(end > before || end === 5);
  }
});

test('the fast path gives plain words the terms that the slow path gives them', () => {
  // A joiner without width is ignored, and a word with one takes the slow path.
  for (let seed = 0; seed < 800; seed++) {
    const random = new SeededRandom(seed);
    const words = Array.from({ length: 10 }, () => random.pick(PIECES.slice(0, 30)) + random.pick(PIECES.slice(0, 30)));
    const fast = new TermTable(words.join(' '));
    const slow = new TermTable(words.map((word) => `${word}\u2060`).join(' '));
    assert.deepEqual(fast.list, slow.list, words.join(' '));
  }
});

test('every part of a text without spaces is found, down to one character', () => {
  const texts = [
    '去年夏天学校的学生们在城市边界附近发现了一片古老的森林𠀀𠀁一',
    '昨年の夏、学校の生徒たちは都市の境界の近くで古い森を見つけました。ガラスのコップー々',
    '지난여름 학교의 학생들이 도시 경계 근처에서 오래된 숲을 발견했다',
    'ฤดูร้อนที่แล้วนักเรียนของโรงเรียนพบป่าเก่าแก่',
    'រដូវក្តៅមុន សិស្សសាលា',
  ];
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const text of texts) {
    const table = new TermTable(text);
    const characters = [...segmenter.segment(text.normalize('NFKC'))].map(({ segment }) => segment);
    for (let size = 1; size <= 5; size++) {
      for (let at = 0; at + size <= characters.length; at++) {
        const part = characters.slice(at, at + size).join('');
        if (/[\p{P}\s]/u.test(part)) continue;
        assert.ok(table.isFoundBy(part), `${part} in ${text}`);
      }
    }
    const pairs = characters.slice(0, -1).map((character, at) => `${characters[at + 1]}${character}`);
    const absent = pairs.filter((pair) => !text.normalize('NFKC').includes(pair) && !/[\p{P}\s]/u.test(pair));
    assert.ok(absent.length > 5, text);
    assert.deepEqual(
      absent.filter((pair) => table.isFoundBy(pair)),
      [],
      text,
    );
  }
});

test('a long run without spaces is found across the pieces in which it is normalised', () => {
  const random = new SeededRandom(1);
  const characters = Array.from({ length: 5_000 }, () => random.pick(['漢', '字', 'か\u3099', 'ｶﾞ', '한', '𠀀', 'ก็']));
  const table = new TermTable(characters.join(''));
  assert.equal(table.end, characters.length);
  for (let at = 0; at + 4 < characters.length; at++) assert.ok(table.isFoundBy(characters.slice(at, at + 4).join('')));
});

test('encoded data does not fill the vocabulary', () => {
  const bytes = Buffer.alloc(60_000);
  const random = new SeededRandom(7);
  for (let i = 0; i < bytes.length; i++) bytes[i] = random.below(256);
  const data = bytes.toString('base64');
  for (const text of [data, data.replaceAll(/.{76}/g, '$&\n'), bytes.toString('base64url')]) {
    const terms = new TermTable(text).positions.size;
    assert.ok(terms < 100, `${terms} terms`);
  }
  // A checksum or an identifier is something that people look for.
  for (const id of [
    '8ef53841a2b3c4d5e6f708192a3b4c5d6e7f8091',
    '123e4567-e89b-12d3-a456-426614174000',
    'dQw4w9WgXcQ',
  ]) {
    assert.ok(new TermTable(`see ${id} there`).isFoundBy(id), id);
  }
});

test('a word of more than 64 letters is found by its beginning', () => {
  const long = 'donaudampfschifffahrts'.repeat(5);
  const table = new TermTable(`the ${long} word`);
  assert.ok(table.isFoundBy(long) && table.isFoundBy(`the ${long} word`) && table.has(long.slice(0, 64)));
});

/** CPU time in milliseconds. */
function timeOf(text: string): number {
  const start = process.cpuUsage();
  analyzeText(text, 0, () => {});
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e3;
}

test('the time is linear in hostile text', () => {
  const texts: Readonly<Record<string, (length: number) => string>> = {
    'one word': (length) => 'a'.repeat(length),
    'one word of capitals and small letters': (length) => 'aB'.repeat(length / 2),
    'combining marks': (length) => 'e\u0301\u0316'.repeat(1) + '\u0301\u0316'.repeat(length / 2),
    'marks after a Chinese character': (length) => `漢${'\u0316\u0301'.repeat(length / 2)}`,
    hyphens: (length) => '-'.repeat(length),
    'parts with hyphens': (length) => 'a-'.repeat(length / 2),
    'groups of a number': (length) => '000,'.repeat(length / 4),
    apostrophes: (length) => "a'".repeat(length / 2),
    'dots and marks': (length) => '.\u0301'.repeat(length / 2),
    'joiners without width': (length) => 'a\u200d'.repeat(length / 2),
    'halves of characters': (length) => '\ud83d'.repeat(length),
    'ligatures that become eighteen letters': (length) => '\ufdfa'.repeat(length / 8),
    'Chinese characters': (length) => '漢'.repeat(length / 2),
  };
  for (const [name, make] of Object.entries(texts)) {
    const [small, large] = [make(40_000), make(320_000)];
    timeOf(small);
    const [short, long] = [timeOf(small), timeOf(large)];
    // Quadratic time would be 64 times as long. The small text takes a millisecond at least, against noise.
    assert.ok(long < 8 * 4 * Math.max(short, 2), `${name}: ${short} ms, then ${long} ms`);
  }
});

test('the terms of a text are the same with a table of numbers, and each term has one number', () => {
  const numbers = new TermNumbers();
  const known = new Map<string, number>();
  const note = (term: string, number: number): void => {
    assert.equal(numbers.terms[number], term);
    assert.equal(known.get(term) ?? number, number, term);
    known.set(term, number);
  };
  let taken = 0;
  for (let seed = 0; seed < 800; seed++) {
    const random = new SeededRandom(seed);
    // Enough different words for the table to grow.
    const text = `${randomText(random, 40)} ${seed}th Word${seed} word${seed} ${'x'.repeat(seed % 70)}`;
    const expected: [string, number][] = [];
    const expectedEnd = analyzeText(text, 5, (term, position) => void expected.push([term, position]));
    const found: [string, number][] = [];
    const plain = {
      letters: numbers.letters,
      take(length: number, hash: number, position: number) {
        taken++;
        const number = numbers.find(length, hash);
        found.push([numbers.terms[number]!, position]);
        note(numbers.terms[number]!, number);
      },
    };
    const end = analyzeText(
      text,
      5,
      (term, position) => {
        found.push([term, position]);
        note(term, numbers.numberOf(term));
      },
      plain,
    );
    assert.deepEqual([found, end], [expected, expectedEnd], `seed ${seed}: ${JSON.stringify(text)}`);
  }
  assert.equal(new Set(numbers.terms).size, numbers.terms.length);
  assert.ok(taken > 5_000 && numbers.terms.length > 3_000);
});
