/**
 * The change detection and the noise rules together: single changes that codes
 * are known to miss, and the labelled pairs.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareVersions } from '../../../src/change/compare-versions.ts';
import { DEFAULT_NOISE_RULES } from '../../../src/change/noise/noise-rules.ts';
import { ignoreNoise } from '../../../src/change/noise/remove-noise.ts';
import { MUTATIONS, mutablePage } from '../page-mutations.ts';
import { randomNumbers } from '../random-text.ts';
import { explained, isChanged, outlineOf } from './compare-versions.ts';
import { pairsOf } from './labelled-pairs.ts';

const PAGES = 600;

test('P14 no single change is hidden as noise, except a space that is not shown', () => {
  const random = randomNumbers(77);
  for (let count = 0; count < PAGES; count++) {
    const page = mutablePage(random);
    for (const [name, mutate] of Object.entries(MUTATIONS)) {
      const mutated = mutate(page, random);
      if (mutated === null || mutated === page.html || isChanged(page.html, mutated)) continue;
      assert.equal(name, 'one space', mutated);
      assert.deepEqual(explained(page.html, mutated), ['white-space'], mutated);
    }
  }
});

test('W17 the verdict on two versions is noise, or a change, as labelled', () => {
  const version = (html: string) => ({ bytes: Buffer.from(html), outline: outlineOf(html), images: new Map() });
  for (const { label, about, before, after } of pairsOf('forumThread', 1_003)) {
    const change = compareVersions(version(before), version(after), (outline) =>
      ignoreNoise(outline, DEFAULT_NOISE_RULES),
    );
    assert.equal(change.verdict, label === 'noise' ? 'noise' : 'changed', about);
  }
});
