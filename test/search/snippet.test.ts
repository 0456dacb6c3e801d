/** Which passage of a page is shown for a query, and which words in it are marked (E9). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SearchBlock } from '../../src/search/search-page.ts';
import { makeSnippet, type WantedWord } from '../../src/search/snippet/snippet.ts';

function word(text: string, ...phrases: readonly string[][]): WantedWord {
  const ways = phrases.map((terms) => terms.map((term, offset) => ({ terms: [term], offset })));
  return { text, terms: new Set(phrases.length === 0 ? [text] : []), phrases: ways, rarity: 1 };
}

function marked(blocks: readonly string[], ...words: readonly WantedWord[]): string[] {
  const texts = blocks.map((text): SearchBlock => ({ text, role: 'text' }));
  const { text, marks } = makeSnippet(texts, words);
  return marks.map(({ from, to }) => text.slice(from, to));
}

const PRIVATE_NETWORK = word('private network', ['private', 'network']);
const PUSH_BACK = word('push_back', ['push', 'back']);

test('E9 the snippet of a phrase shows the phrase and marks nothing else', () => {
  const blocks = [
    'A network is not private here. A private person has a network.',
    'This is a private network, and private.',
  ];
  assert.deepEqual(marked(blocks, PRIVATE_NETWORK), ['private network']);
});

test('E9 of a chunk of code, only the word as it was written is marked', () => {
  assert.deepEqual(marked(['numbers.push_back(3); // goes back'], PUSH_BACK), ['push_back']);
});

test('E9 each occurrence of a word is marked once', () => {
  assert.deepEqual(marked(['spider silk and Spider webs'], word('spider'), word('silk')), ['spider', 'silk', 'Spider']);
});

test('E9 a passage is shown rather than a heading with the same words', () => {
  const blocks = [
    'Orb webs',
    'An orb web is built by a spider that lives in the garden in autumn, and orb webs are round.',
  ];
  assert.equal(marked(blocks, word('orb')).length, 2);
});
