import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveRefreshOptions } from '../../../src/core/options/refresh-options.ts';
import { idleOptions } from '../../../src/crawl/delivery/idle-options.ts';

function messages(given: Readonly<Record<string, unknown>>): readonly string[] {
  return idleOptions(resolveRefreshOptions([{ from: 'a test', given }]));
}

test('options that have no effect without a listener are named, with what they need', () => {
  assert.deepEqual(messages({ when: ['price < 100'], quietHours: ['22:00-07:00'], digest: '6h' }), [
    '--when has no effect, because nothing is delivered; use it with --on-change, --webhook or --feed',
    '--quiet-hours and --digest have no effect, because nothing is delivered; use them with --on-change or --webhook',
  ]);
});

test('a feed has conditions, but no quiet hours and no form of a chat', () => {
  assert.deepEqual(
    messages({ feed: 'a.atom', when: ['price < 100'], tellNoise: true, digest: '6h', webhookFormat: 'slack' }),
    [
      '--digest has no effect, because a feed is always current; use it with --on-change or --webhook',
      '--webhook-format has no effect, because there is no webhook; use it with --webhook',
    ],
  );
});

test('nothing is said if all options have an effect, or if none is given', () => {
  assert.deepEqual(messages({}), []);
  const all = { when: ['price < 100'], tellNoise: true, digest: '6h', quietHours: ['22:00-07:00'], timeZone: 'UTC' };
  assert.deepEqual(messages({ ...all, webhook: 'https://example.com/hook', webhookFormat: 'slack' }), []);
  assert.deepEqual(messages({ ...all, onChange: 'cat' }), []);
});
