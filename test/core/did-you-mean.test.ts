import assert from 'node:assert/strict';
import { test } from 'node:test';
import { didYouMean, nearest } from '../../src/core/did-you-mean.ts';

const WORDS = ['limit', 'depth', 'max-body', 'max-links', 'user-agent'];

test('a word with an extra, missing, wrong or swapped letter is found', () => {
  assert.equal(nearest('limitt', WORDS), 'limit');
  assert.equal(nearest('limt', WORDS), 'limit');
  assert.equal(nearest('lumit', WORDS), 'limit');
  assert.equal(nearest('dpeth', WORDS), 'depth');
  assert.equal(nearest('MAX-BODY', WORDS), 'max-body');
  assert.equal(nearest('useragent', WORDS), 'user-agent');
});

test('the nearest of several words is chosen, and the first of equal ones', () => {
  assert.equal(nearest('max-link', ['max-body', 'max-links', 'max-lines']), 'max-links');
  assert.equal(nearest('ax', ['bx', 'cx']), 'bx');
});

test('a word that is unlike all others finds none', () => {
  assert.equal(nearest('concurrency', WORDS), null);
  assert.equal(nearest('', ['depth']), null);
  assert.equal(nearest('depth', []), null);
});

test('the suggestion can be appended to a message', () => {
  assert.equal(didYouMean('dept', WORDS, '--'), '; did you mean --depth?');
  assert.equal(didYouMean('nothing-like-it', WORDS), '');
});
