import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KeepRule, keepRule, ruleText } from '../../../src/core/options/keep-rule.ts';

test('--keep accepts all, a number of versions, or a time', () => {
  const day = 86_400_000;
  const cases: [unknown, KeepRule][] = [
    ['all', { kind: 'all' }],
    ['1', { kind: 'newest', contents: 1 }],
    [12, { kind: 'newest', contents: 12 }],
    ['90m', { kind: 'span', spanMs: 90 * 60_000 }],
    ['36h', { kind: 'span', spanMs: 1.5 * day }],
    [' 30 d ', { kind: 'span', spanMs: 30 * day }],
    ['2w', { kind: 'span', spanMs: 14 * day }],
    ['2y', { kind: 'span', spanMs: 730 * day }],
  ];
  for (const [given, rule] of cases) {
    assert.deepEqual(keepRule(given), rule, String(given));
    assert.deepEqual(keepRule(rule), rule, 'a stored rule is parsed again');
    assert.deepEqual(keepRule(ruleText(rule)), rule);
  }
});

test('an invalid rule is refused, and the message shows valid ones', () => {
  for (const given of ['', '0', '0d', '-1', 'none', '5 apples', '1.5', '30s', true, null, {}, '9'.repeat(400)]) {
    // An object of an unknown kind cannot be a rule that we stored, but reading it as "keep all" does no harm.
    if (typeof given === 'object' && given !== null) assert.deepEqual(keepRule(given), { kind: 'all' });
    else
      assert.throws(
        () => keepRule(given),
        /must be all, a number of versions .*, or a time such as 30d/,
        String(given),
      );
  }
  assert.throws(() => keepRule('101y'), /longer than a hundred years/);
});
