import assert from 'node:assert/strict';
import { test } from 'node:test';
import { didYouMean, nearest } from '../../src/core/nearest.ts';

const WORDS = ['limit', 'depth', 'max-body', 'max-links', 'user-agent'];

test('a letter too many, too few, wrong or swapped still finds the word', () => {
  assert.equal(nearest('limitt', WORDS), 'limit');
  assert.equal(nearest('limt', WORDS), 'limit');
  assert.equal(nearest('lumit', WORDS), 'limit');
  assert.equal(nearest('dpeth', WORDS), 'depth');
  assert.equal(nearest('MAX-BODY', WORDS), 'max-body');
  assert.equal(nearest('useragent', WORDS), 'user-agent');
});

test('of several near words the nearest is taken, and of equals the first', () => {
  assert.equal(nearest('max-link', ['max-body', 'max-links', 'max-lines']), 'max-links');
  assert.equal(nearest('ax', ['bx', 'cx']), 'bx');
});

test('a word that is far from all finds none', () => {
  assert.equal(nearest('concurrency', WORDS), null);
  assert.equal(nearest('', ['depth']), null);
  assert.equal(nearest('depth', []), null);
});

test('the question is ready to be put behind a message', () => {
  assert.equal(didYouMean('dept', WORDS, '--'), '; did you mean --depth?');
  assert.equal(didYouMean('nothing-like-it', WORDS), '');
});
