/**
 * The codes of a page, and their comparison between two versions.
 *
 * In: an outline, and the codes of the page's images if known. Out: the codes of the page; for two versions, the first
 * code that differs (P13): structure, then text, then images. A code is compared only if all codes before it are equal.
 *
 * What always holds: codes only describe. Equal codes do not prove that nothing changed (P14); the hashes decide that.
 */
import type { PageOutline } from '../../core/page/page-outline.ts';
import { readableText } from '../readable-text.ts';
import { compareLevels, countLevels, type StructureLetters, sameLetters, structureLetters } from './structure-codes.ts';
import { countBytes, type TextAverage, type TextRoot, textAverage, textBytes, textRoot } from './text-codes.ts';

/** The codes in the order of comparison. */
export const CODE_NAMES = ['structure-letters', 'structure-levels', 'text-average', 'text-root', 'images'] as const;
export type CodeName = (typeof CODE_NAMES)[number];

export interface PageCodes {
  readonly letters: StructureLetters;
  readonly levels: readonly number[];
  readonly average: TextAverage;
  readonly root: TextRoot;
  /** The image codes by the URL of the image. */
  readonly images: ReadonlyMap<string, bigint>;
}

export interface CodeComparison {
  /** The first code that differs; null if none does. */
  readonly differs: CodeName | null;
  /** The codes that were compared, in order. */
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
