import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { REASONS } from '../../src/core/reasons.ts';
import { FETCH_REASONS } from '../../src/fetch/fetch-reasons.ts';
import {
  hostPauseMs,
  MAX_RETRY_AFTER_MS,
  nextTry,
  parseRetryAfter,
  RETRY_RULES,
  retryRule,
  SET_ASIDE_MS,
} from '../../src/fetch/retry.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

test('every reason of a fetch has a rule, and every rule a reason of the closed list', () => {
  assert.deepEqual(Object.keys(RETRY_RULES).sort(), [...FETCH_REASONS].sort());
  for (const reason of FETCH_REASONS) assert.ok(reason in REASONS, reason);
});

test('P7 pages that are gone or forbidden are given up at once and remembered', () => {
  for (const reason of ['not-found', 'gone', 'forbidden'] as const) {
    assert.deepEqual(nextTry(reason, 1, null, NOW), { kind: 'give-up' });
    assert.equal(RETRY_RULES[reason].remember, true);
  }
});

test('C4 three failures in a row set a URL aside for a day', () => {
  assert.deepEqual(nextTry('connection-reset', 1, null, NOW), { kind: 'retry', atMs: NOW + 1_000 });
  assert.deepEqual(nextTry('connection-reset', 2, null, NOW), { kind: 'retry', atMs: NOW + 5_000 });
  assert.deepEqual(nextTry('connection-reset', 3, null, NOW), { kind: 'set-aside', untilMs: NOW + SET_ASIDE_MS });
  assert.deepEqual(nextTry('connection-reset', 4, null, NOW), { kind: 'retry', atMs: NOW + 1_000 });
});

test('a URL is set aside three times, then given up', () => {
  const kinds = Array.from({ length: 12 }, (_, i) => nextTry('connection-reset', i + 1, null, NOW).kind);
  assert.equal(kinds.filter((kind) => kind === 'set-aside').length, 3);
  assert.equal(kinds.at(-1), 'give-up');
});

test('every sequence of failures ends', () => {
  for (const reason of FETCH_REASONS) assert.equal(nextTry(reason, 1_000, null, NOW).kind, 'give-up', reason);
});

test('Retry-After replaces our own delay, but a retry is never immediate', () => {
  assert.deepEqual(nextTry('rate-limited', 1, 7_000, NOW), { kind: 'retry', atMs: NOW + 7_000 });
  assert.deepEqual(nextTry('rate-limited', 2, 600_000, NOW), { kind: 'retry', atMs: NOW + 600_000 });
  assert.deepEqual(nextTry('rate-limited', 1, 0, NOW), { kind: 'retry', atMs: NOW + 1_000 });
});

test('a problem of the host delays the host, and a problem of a page does not', () => {
  assert.equal(retryRule('dns-failed')?.blocksHost, true);
  assert.equal(retryRule('rate-limited')?.blocksHost, true);
  assert.equal(retryRule('connection-reset')?.blocksHost, false);
});

test('a host that cannot be reached is left alone longer each time, at first only for seconds', () => {
  const pauses = [0];
  // A pause counts from the last request, so the gate sees it a little shorter than it was meant.
  for (let i = 0; i < 6; i++) pauses.push(hostPauseMs('connect-failed', pauses.at(-1)! * 0.9, null));
  assert.deepEqual(pauses.slice(1), [1_000, 5_000, 25_000, 125_000, 625_000, 625_000]);
  const delays = [1, 2, 3, 4, 5].map((failures) => nextTry('connect-failed', failures, null, NOW));
  assert.deepEqual(
    delays.map((next) => next.kind === 'retry' && next.atMs - NOW),
    [1_000, 5_000, 25_000, 125_000, 625_000],
    'a URL waits as long as its host',
  );
  assert.equal(hostPauseMs('rate-limited', 30_000, null), 30_000);
  assert.equal(hostPauseMs('rate-limited', 30_000, 7_000), 7_000);
  assert.equal(hostPauseMs('connection-reset', 30_000, null), 0);
});

test('reasons that no fetch returns are never retried', () => {
  assert.equal(retryRule('robots-disallowed'), null);
  assert.deepEqual(nextTry('robots-disallowed', 1, null, NOW), { kind: 'give-up' });
});

test('Retry-After: seconds, dates, bounds, garbage', () => {
  assert.equal(parseRetryAfter('120', NOW), 120_000);
  assert.equal(parseRetryAfter(' 0 ', NOW), 0);
  assert.equal(parseRetryAfter('Thu, 01 Jan 2026 00:01:00 GMT', NOW), 60_000);
  assert.equal(parseRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', NOW), 0);
  assert.equal(parseRetryAfter('Thursday, 01-Jan-26 00:00:10 GMT', NOW), 10_000);
  assert.equal(parseRetryAfter('99999999999999999999', NOW), MAX_RETRY_AFTER_MS);
  assert.equal(parseRetryAfter('Fri, 01 Jan 2100 00:00:00 GMT', NOW), MAX_RETRY_AFTER_MS);
  for (const garbage of ['', '-1', '1.5', 'soon', '2026-01-01', 'Mon', '1'.repeat(100)]) {
    assert.equal(parseRetryAfter(garbage, NOW), null, garbage);
  }
});

test('the table in docs/fetch.md is the table of the code', async () => {
  const text = await readFile(new URL('../../docs/fetch.md', import.meta.url), 'utf8');
  const section = text.split('## Trying again')[1]!.split('\n## ')[0]!;
  const documented = [...section.matchAll(/^\| `([a-z-]+)` \| (\d+) \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$/gm)].map(
    (row) => row.slice(1),
  );
  const delay = (ms: number): string => (ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1_000} s`);
  const yes = (is: boolean): string => (is ? 'yes' : '–');
  const expected = Object.entries(RETRY_RULES).map(([reason, rule]) => [
    reason,
    String(rule.tries),
    rule.tries > 0 ? delay(rule.delayMs) : '–',
    rule.tries > 0 ? String(rule.factor) : '–',
    yes(rule.blocksHost),
    yes(rule.remember),
  ]);
  assert.deepEqual(documented, expected);
});
