/**
 * The codes of a page, and what they say of two versions.
 *
 * In: an outline, and the codes of the page's images where they are known. Out: its codes, and of two such which code is the first
 * that differs (P13): structure, then text, then images, each looked at only when the ones before say "same".
 *
 * Always: codes describe. That they are all the same is no proof that nothing changed (P14); hashes decide that.
 */
import type { PageOutline } from '../../core/page-outline.ts';
import { readableText } from '../readable-text.ts';
import { type StructureLetters, sameLetters, structureLetters } from './structure-letters.ts';
import { compareLevels, countLevels } from './structure-levels.ts';
import { type TextAverage, textAverage } from './text-average.ts';
import { countBytes, textBytes } from './text-bytes.ts';
import { type TextRoot, textRoot } from './text-root.ts';

/** In the order they are compared. */
export const CODE_NAMES = ['structure-letters', 'structure-levels', 'text-average', 'text-root', 'images'] as const;
export type CodeName = (typeof CODE_NAMES)[number];

export interface PageCodes {
  readonly letters: StructureLetters;
  readonly levels: readonly number[];
  readonly average: TextAverage;
  readonly root: TextRoot;
  /** By the image's URL. */
  readonly images: ReadonlyMap<string, bigint>;
}

export interface CodeComparison {
  /** The first code that differs; null if none does. */
  readonly differs: CodeName | null;
  /** The codes that were looked at, in order. */
  readonly compared: readonly CodeName[];
}

const NO_IMAGES: ReadonlyMap<string, bigint> = new Map();

export function codesOf(outline: PageOutline, images = NO_IMAGES): PageCodes {
  const text = countBytes(textBytes(readableText(outline)));
  return {
    letters: structureLetters(outline),
    levels: countLevels(outline),
    average: textAverage(text),
    root: textRoot(text),
    images,
  };
}

const IS_SAME: Readonly<Record<CodeName, (before: PageCodes, after: PageCodes) => boolean>> = {
  'structure-letters': (before, after) => sameLetters(before.letters, after.letters),
  'structure-levels': (before, after) => compareLevels(before.levels, after.levels).length === 0,
  'text-average': (before, after) => before.average.code === after.average.code,
  'text-root': (before, after) => before.root.code === after.root.code,
  images: (before, after) => {
    if (before.images.size !== after.images.size) return false;
    return before.images.entries().every(([url, code]) => after.images.get(url) === code);
  },
};

export function compareCodes(before: PageCodes, after: PageCodes): CodeComparison {
  const compared: CodeName[] = [];
  for (const name of CODE_NAMES) {
    compared.push(name);
    if (!IS_SAME[name](before, after)) return { differs: name, compared };
  }
  return { differs: null, compared };
}
