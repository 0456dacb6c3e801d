/** The types of the change stage. In: two versions of a page. Out: their differences. */
import type { PageOutline } from '../core/page/page-outline.ts';
import type { LevelChange } from './codes/structure-codes.ts';
import type { ReadableVersion } from './diff/changed-words.ts';
import type { TemplateTest } from './level/level-between.ts';

export interface PageVersion {
  readonly bytes: Buffer;
  /** Null if the document is not HTML. */
  readonly outline: PageOutline | null;
  /** The hash of each image's bytes by its URL, for the images that were fetched. */
  readonly images?: ReadonlyMap<string, string>;
  /** Returns what a reader sees, for counting words. It is called only if something changed. Absent: no count. */
  readonly readable?: () => ReadableVersion;
  /** Returns a test for lines that are template of the host. It is called only if the content changed. */
  readonly templateTest?: () => TemplateTest;
}

/**
 * `identical`: the bytes are equal. `noise`: the bytes differ, but without
 * noise the elements, attributes and text are equal.
 */
const CHANGE_VERDICTS = ['identical', 'noise', 'changed'] as const;
export type ChangeVerdict = (typeof CHANGE_VERDICTS)[number];

export const CHANGE_KINDS = [
  'structure', // elements that were added, removed or moved
  'text',
  'attributes', // other attributes than those of the next two kinds
  'links', // the targets of anchors and frames
  'images', // the image that is shown, or its content
  'other', // content that no reader sees (scripts, style sheets, comments), or any document without an outline
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Bands by the number of text features, out of 84, that two versions share. shingles.ts defines the features. */
const CHANGE_BANDS = [
  'none', // the same bytes
  'no-text', // 84
  'small', // 57–83
  'medium', // 29–56
  'large', // 1–28
  'complete', // 0
] as const;
export type ChangeBand = (typeof CHANGE_BANDS)[number];

export interface ChangedRegion {
  /** A path such as `main > article#story > p:3`: the third p of the article, beginning at the nearest landmark. */
  readonly path: string;
  readonly kinds: readonly ChangeKind[];
}

/** The description of a change. */
export interface PageChange {
  /** In the order of CHANGE_KINDS. Empty if the versions are identical. */
  readonly kinds: readonly ChangeKind[];
  /** The levels on which elements were added or removed (P9). */
  readonly levels: readonly LevelChange[];
  /** The changed regions from the top of the page down, at most MAX_REGIONS. */
  readonly regions: readonly ChangedRegion[];
  /** The share of all distinct five-word shingles that both versions have, 0…1. */
  readonly shared: number;
  /** The number of the 84 features that both versions have. */
  readonly sharedFeatures: number;
  readonly band: ChangeBand;
  /** The words of the title and the text, as `diff` counts them. Noise counts too. */
  readonly wordsAdded: number;
  readonly wordsRemoved: number;
}

export const MAX_REGIONS = 20;
