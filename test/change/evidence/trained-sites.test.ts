/**
 * The worst case: a site has trained us to ignore every region of its pages, except for lists of links in the content,
 * which must show the same on several pages. The generated pages of twenty kinds of sites (test/change/noise) change in
 * one piece of content each, with and without noise.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leaveOutRegions } from '../../../src/change/evidence/leave-out-regions.ts';
import type { IgnoredRegion } from '../../../src/change/evidence/noise-evidence.ts';
import { regionsOf } from '../../../src/change/evidence/page-regions.ts';
import { contentBetween } from '../../../src/change/level/level-between.ts';
import { DEFAULT_NOISE_RULES } from '../../../src/change/noise/noise-rules.ts';
import { ignoreNoise } from '../../../src/change/noise/remove-noise.ts';
import type { PageOutline } from '../../../src/core/page/page-outline.ts';
import { pairsOf, TUNED_KINDS, UNSEEN_KINDS } from '../noise/labelled-pairs.ts';
import { outlineOf } from '../outline-of.ts';

/** Labels and targets of the menu are not the content of a page. */
const OF_THE_MENU: ReadonlySet<string> = new Set(['link', 'label']);

const EVERYTHING = { proof: 'double-look', pages: 6, looks: 6, sinceMs: 0, needsLinks: false } as const;

function ignoringAll(...pages: readonly PageOutline[]): readonly IgnoredRegion[] {
  const paths = new Set(pages.flatMap((page) => regionsOf(page).regions.map(({ path }) => path)));
  return [...paths].map((path) => ({ ...EVERYTHING, path, mayBeUnclear: false, known: new Set() }));
}

test('no change of content is ignored, even if every region of a site was learned as noise', () => {
  const pairs = [...TUNED_KINDS, ...UNSEEN_KINDS].flatMap((site) => pairsOf(site, 1_001));
  let changes = 0;
  for (const { label, about, site, before, after } of pairs) {
    if (label === 'noise' || OF_THE_MENU.has(about)) continue;
    const [was, is] = [before, after].map((html) => ignoreNoise(outlineOf(html), DEFAULT_NOISE_RULES));
    if (contentBetween(was!, is!, () => null) === null) continue;
    changes++;
    const [wasLeft, isLeft] = [was!, is!].map((page) => leaveOutRegions(page, ignoringAll(was!, is!)).outline);
    assert.notEqual(
      contentBetween(wasLeft!, isLeft!, () => null),
      null,
      `${site}: ${about}\n${before}\n${after}`,
    );
  }
  assert.ok(changes > 400, `${changes}`);
});
