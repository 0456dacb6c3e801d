/**
 * The labelled set on seeds and kinds of sites that no rule was tuned on. Noise is
 * recognised, and no real change is called noise.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOISE_RULE_NAMES } from '../../../src/change/noise/rule-table.ts';
import { cleaned, explained } from './compare-versions.ts';
import { type Pair, pairsOf, TUNED_KINDS, UNSEEN_KINDS } from './labelled-pairs.ts';
import { SLOT_TYPES } from './real-edits.ts';

const HELD_OUT_SEEDS = [1_001, 1_002];
const LEAST_SHARE = 0.95;
/** Rules whose only pairs are in rules.test.ts. A clock needs the time of the response. */
const BY_HAND: ReadonlySet<string> = new Set(['clock', 'consent']);

const pairs: readonly Pair[] = [...TUNED_KINDS, ...UNSEEN_KINDS].flatMap((site) =>
  HELD_OUT_SEEDS.flatMap((seed) => pairsOf(site, seed)),
);
/** Caches the outcome by version, because every version is the first one of many pairs. */
const seen = new Map<string, string>();
function once(html: string): string {
  const text = seen.get(html) ?? cleaned(html);
  seen.set(html, text);
  return text;
}
const isEqual = ({ before, after }: Pair) => once(before) === cleaned(after);

test('the test set has all rules, all kinds of content and many pairs of each label', () => {
  const abouts = new Set(pairs.map(({ about }) => about));
  for (const rule of NOISE_RULE_NAMES) assert.ok(abouts.has(rule) || BY_HAND.has(rule), rule);
  for (const type of SLOT_TYPES) assert.ok(abouts.has(type), type);
  for (const label of ['noise', 'real', 'mixed']) {
    const count = pairs.filter((pair) => pair.label === label).length;
    assert.ok(count >= 400, `${count} ${label} pairs`);
  }
});

test('W17 noise is recognised: 95 of 100 pairs of each rule and of all together', (t) => {
  const noise = pairs.filter(({ label }) => label === 'noise');
  const counts = new Map<string, { all: number; found: number }>();
  for (const pair of noise) {
    const count = counts.get(pair.about) ?? { all: 0, found: 0 };
    count.all++;
    if (isEqual(pair)) count.found++;
    counts.set(pair.about, count);
  }
  for (const [about, { all, found }] of counts) {
    t.diagnostic(`${about}: ${found} of ${all}`);
    assert.ok(found >= all * LEAST_SHARE, `${about}: ${found} of ${all}`);
  }
});

test('P14 no real change is called noise', () => {
  const missed = pairs.filter((pair) => pair.label === 'real' && isEqual(pair));
  assert.deepEqual(
    missed.map(({ site, about }) => `${site} ${about}`),
    [],
  );
});

test('P14 no real change is hidden by noise beside it', () => {
  const missed = pairs.filter((pair) => pair.label === 'mixed' && isEqual(pair));
  assert.deepEqual(
    missed.map(({ site, about }) => `${site} ${about}`),
    [],
  );
});

test('exactly the rule that explains a difference is named', () => {
  // Only the wiki: on other sites the script rule handles the state of a script, and a draw of one
  // part may move the content of another part.
  const alone = pairs.filter(({ label, site }) => label === 'noise' && site === 'wiki');
  for (const { about, before, after } of alone) {
    if (about !== 'several' && about !== 'all') assert.deepEqual(explained(before, after), [about]);
  }
});
