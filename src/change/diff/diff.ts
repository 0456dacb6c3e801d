/**
 * What changed between two texts, for people to read. In: the old text and the new one. Out: regions of lines, those that are
 * the same and those that changed in turn; in the changed ones pieces of words that are the same, removed or added; and how
 * many words and lines that makes.
 *
 * Always: the same and the removed pieces, put together, are the old text, the same and the added ones the new text, to the
 * last byte; it ends in bounded time whatever the texts are, at worst with all of one replaced by all of the other; and equal
 * texts have no changed region.
 */
import { alignTokens } from './align.ts';
import { lineEdges } from './edges.ts';
import { StepBudget } from './myers.ts';
import type { DiffPiece } from './piece.ts';
import { rangesBetween } from './run.ts';
import { slideEdits } from './slide.ts';
import { countWords, splitLines, TokenNames, textBetween } from './tokens.ts';
import { diffWords } from './word-diff.ts';

export type { DiffPiece, PieceKind } from './piece.ts';

/** Lines that stand, or that changed; whole ones, with their line breaks. */
export interface DiffRegion {
  readonly kind: 'same' | 'changed';
  /** The first of its lines in either text, counted from 1; where it has none there, the line it would stand before. */
  readonly oldLine: number;
  readonly oldLines: number;
  readonly newLine: number;
  readonly newLines: number;
  readonly pieces: readonly DiffPiece[];
}

export interface DiffCounts {
  readonly wordsAdded: number;
  readonly wordsRemoved: number;
  /** A line of which a word changed is one removed and one added. */
  readonly linesAdded: number;
  readonly linesRemoved: number;
}

export interface TextDiff extends DiffCounts {
  readonly regions: readonly DiffRegion[];
}

export function diffTexts(old: string, young: string): TextDiff {
  const names = new TokenNames();
  const [a, b] = [splitLines(old, names), splitLines(young, names)];
  const budget = new StepBudget();
  const aligned = alignTokens(a.ids, b.ids, { anchorsFirst: true, budget });
  const runs = slideEdits(a.ids, b.ids, aligned, lineEdges(a, b));
  const regions: DiffRegion[] = [];
  const add = (kind: DiffRegion['kind'], aFrom: number, aTo: number, bFrom: number, bTo: number) => {
    if (aFrom === aTo && bFrom === bTo) return;
    const [gone, come] = [textBetween(a, aFrom, aTo), textBetween(b, bFrom, bTo)];
    const pieces = kind === 'same' ? [{ kind, text: gone } as const] : diffWords(gone, come, budget);
    regions.push({
      kind,
      oldLine: aFrom + 1,
      oldLines: aTo - aFrom,
      newLine: bFrom + 1,
      newLines: bTo - bFrom,
      pieces,
    });
  };
  rangesBetween(runs, { aFrom: 0, aTo: a.count, bFrom: 0, bTo: b.count }).forEach(({ aFrom, aTo, bFrom, bTo }, i) => {
    add('changed', aFrom, aTo, bFrom, bTo);
    const run = runs[i];
    if (run !== undefined) add('same', run.a, run.a + run.length, run.b, run.b + run.length);
  });
  return { regions, ...countsOf(regions) };
}

function countsOf(regions: readonly DiffRegion[]): DiffCounts {
  const counts = { wordsAdded: 0, wordsRemoved: 0, linesAdded: 0, linesRemoved: 0 };
  for (const { kind, pieces, oldLines, newLines } of regions) {
    if (kind === 'same') continue;
    counts.linesRemoved += oldLines;
    counts.linesAdded += newLines;
    for (const piece of pieces) {
      if (piece.kind === 'removed') counts.wordsRemoved += countWords(piece.text);
      else if (piece.kind === 'added') counts.wordsAdded += countWords(piece.text);
    }
  }
  return counts;
}
