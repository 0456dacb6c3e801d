/** What the change stage hands on: two versions of a page go in, what is different comes out. */
import type { PageOutline } from '../core/page-outline.ts';
import type { LevelChange } from './codes/structure-levels.ts';

export interface PageVersion {
  readonly bytes: Buffer;
  /** Null where the document is no HTML. */
  readonly outline: PageOutline | null;
  /** The hash of each image's bytes by its URL, as far as they were fetched. */
  readonly images?: ReadonlyMap<string, string>;
}

/** `identical`: byte for byte. `noise`: other bytes, but the same elements, attributes and text once noise is left out. */
export const CHANGE_VERDICTS = ['identical', 'noise', 'changed'] as const;
export type ChangeVerdict = (typeof CHANGE_VERDICTS)[number];

export const CHANGE_KINDS = [
  'structure', // elements that came, went or moved
  'text',
  'attributes', // other than those of the next two
  'links', // where anchors and frames lead
  'images', // which image is shown, or what is in it
  'other', // what no reader sees: scripts, style sheets, comments; and all of a document without an outline
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** By how many of 84 features of their text two versions share; shingles.ts says what those are. */
export const CHANGE_BANDS = [
  'none', // the same bytes
  'no-text', // 84
  'small', // 57–83
  'medium', // 29–56
  'large', // 1–28
  'complete', // 0
] as const;
export type ChangeBand = (typeof CHANGE_BANDS)[number];

export interface ChangedRegion {
  /** Such as `main > article#story > p:3`: the third p of the article, from the nearest landmark on. */
  readonly path: string;
  readonly kinds: readonly ChangeKind[];
}

export interface PageChange {
  readonly verdict: ChangeVerdict;
  /** In the order of CHANGE_KINDS; none if identical. */
  readonly kinds: readonly ChangeKind[];
  /** On which levels elements came or went (P9). */
  readonly levels: readonly LevelChange[];
  /** Where, from the top of the page down; the first MAX_REGIONS. */
  readonly regions: readonly ChangedRegion[];
  /** How many of all different five-word shingles both have, 0…1. */
  readonly shared: number;
  /** How many of 84 features both have. */
  readonly sharedFeatures: number;
  readonly band: ChangeBand;
  readonly wordsAdded: number;
  readonly wordsRemoved: number;
}

export const MAX_REGIONS = 20;
