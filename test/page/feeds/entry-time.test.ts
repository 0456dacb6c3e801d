import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryTimeMs } from '../../../src/page/link-list.ts';

const NOON = Date.UTC(2026, 10, 15, 12);

test('W3C times, with and without a zone, and dates alone', () => {
  for (const text of [
    '2026-11-15T12:00:00Z',
    '2026-11-15T13:00:00+01:00',
    '2026-11-15T12:00Z',
    '2026-11-15T12:00:00.000Z',
  ]) {
    assert.equal(entryTimeMs(text), NOON, text);
  }
  assert.equal(entryTimeMs('2026-11-15T12:00:00'), NOON, 'without a zone it is UTC, on every machine');
  assert.equal(entryTimeMs('2026-11-15 12:00:00'), NOON);
  assert.equal(entryTimeMs(' 2026-11-15 '), Date.UTC(2026, 10, 15));
  assert.equal(entryTimeMs('2026-11'), Date.UTC(2026, 10, 1));
});

test('the dates of RSS', () => {
  assert.equal(entryTimeMs('Sun, 15 Nov 2026 12:00:00 GMT'), NOON);
  assert.equal(entryTimeMs('15 Nov 2026 12:00 +0000'), NOON);
  assert.equal(entryTimeMs('Sun, 15 Nov 2026 07:00:00 EST'), NOON);
});

test('other text is not a time', () => {
  for (const text of [
    '',
    'yesterday',
    '0',
    '1e9',
    '2026-13-45',
    '1969-01-01',
    '9999-01-01',
    '15/11/2026',
    'x'.repeat(100),
  ]) {
    assert.equal(entryTimeMs(text), 0, text);
  }
});
