/** The table of words finds the same as a comparison with every word. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FoundWord, TermTable } from '../../../src/search/spelling/term-table.ts';
import { SeededRandom } from '../../../testbed/random.ts';

/** The definition, without a band, a filter or an early end. */
function edits(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const choices = [table[i - 1]![j]! + 1, table[i]![j - 1]! + 1];
      choices.push(table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) choices.push(table[i - 2]![j - 2]! + 1);
      table[i]![j] = Math.min(...choices);
    }
  }
  return table[a.length]![b.length]!;
}

function randomWords(random: SeededRandom, count: number, letters: string): string[] {
  const words = new Set<string>();
  while (words.size < count) {
    words.add(Array.from({ length: 2 + random.below(9) }, () => random.pick([...letters])).join(''));
  }
  return [...words].sort();
}

function near(table: TermTable, word: string, maxEdits: number, sameFirstLetter = false): [string, number][] {
  const found: [string, number][] = [];
  table.visitNear(word, maxEdits, sameFirstLetter, ({ text }, count) => found.push([text, count]));
  return found.sort();
}

test('E12: exactly the words within a number of edits are found, in Latin and in Cyrillic letters', () => {
  const random = new SeededRandom(1);
  let total = 0;
  for (const letters of ['abc', 'abcdefghijklmnop', 'абвгде']) {
    const words = randomWords(random, 200, letters);
    const table = new TermTable(words.map((term) => ({ term, documents: 1 })));
    assert.equal(table.count, words.length);
    for (const word of [...words.slice(0, 15), ...randomWords(random, 15, letters)]) {
      for (const maxEdits of [1, 2, 3]) {
        const expected = words
          .map((other): [string, number] => [other, edits(word, other)])
          .filter(([, count]) => count <= maxEdits)
          .sort();
        assert.deepEqual(near(table, word, maxEdits), expected);
        const sameFirst = expected.filter(([other]) => other[0] === word[0]);
        assert.deepEqual(near(table, word, maxEdits, true), sameFirst);
        total += expected.length;
      }
    }
  }
  assert.ok(total > 2_000, `${total} words are not too few to say anything`);
});

test('E12: the most frequent words with a prefix are found, in order of frequency', () => {
  const random = new SeededRandom(2);
  const terms = randomWords(random, 500, 'abcd').map((term, i) => ({ term, documents: 1 + ((i * 7919) % 1_009) }));
  const table = new TermTable(terms);
  for (const prefix of ['a', 'b', 'ab', 'dcb', 'abcd', 'aaaaaaaaaaaaaaa']) {
    const expected = terms
      .filter(({ term }) => term.startsWith(prefix))
      .sort((a, b) => b.documents - a.documents)
      .slice(0, 10)
      .map(({ term, documents }): FoundWord => ({ text: term, documents }));
    assert.deepEqual(table.mostFrequent(prefix, 10), expected);
  }
});

test('E12: a full table leaves out the rarest words and keeps its order', () => {
  const random = new SeededRandom(3);
  const terms = randomWords(random, 1_000, 'abcdef').map((term, i) => ({ term, documents: 1 + (i % 10) }));
  const table = new TermTable(terms, 300);
  assert.ok(table.count <= 300 && table.count >= 100, `${table.count} words are kept`);
  for (const { term, documents } of terms.filter((each) => each.documents === 10)) {
    const exact = near(table, term, 1).filter(([, count]) => count === 0);
    assert.deepEqual(exact, [[term, 0]], `${term} on ${documents} pages is kept`);
    assert.deepEqual(
      table.mostFrequent(term, 50).find(({ text }) => text === term),
      { text: term, documents },
    );
  }
});

test('E12: numbers, identifiers, CJK pairs and very long terms are not in the table', () => {
  const terms = ['12', 'a1', 'push_back', '情報', 'ข้อมูล', 'x', 'y'.repeat(33)];
  assert.equal(new TermTable(terms.map((term) => ({ term, documents: 9 }))).count, 0);
  const words = ['straße', 'écran', 'слово', 'λογος', 'מילה', 'z'.repeat(32)];
  assert.equal(new TermTable(words.map((term) => ({ term, documents: 9 }))).count, words.length);
});
