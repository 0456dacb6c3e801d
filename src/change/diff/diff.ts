/**
 * The differences between two texts, for people to read. In: the old text and the new text. Out: regions of lines,
 * alternately the same and changed; within the changed regions, pieces of words that are the same, removed or added;
 * and the numbers of changed words and lines.
 *
 * What always holds: the same and the removed pieces together are exactly the old text, and the same and the added
 * pieces together are exactly the new text. The time is bounded whatever the texts are; in the worst case, all of one
 * text is replaced by all of the other. Equal texts have no changed region.
 */
import { alignTokens } from './align.ts';
import { lineEdges, slideEdits } from './edit-boundaries.ts';
import { StepBudget } from './myers.ts';
import type { DiffPiece } from './piece.ts';
import { rangesBetween } from './run.ts';
import { countWords, splitLines, TokenNames, textBetween } from './tokens.ts';
import { diffWords } from './word-diff.ts';

export type { DiffPiece, PieceKind } from './piece.ts';

/** Whole lines with their line breaks, either unchanged or changed. */
export interface DiffRegion {
  readonly kind: 'same' | 'changed';
  /**
   * The number of the first line in each text, from 1. For a region without
   * lines in a text, the line that would follow it.
   */
  readonly oldLine: number;
  readonly oldLines: number;
  readonly newLine: number;
  readonly newLines: number;
  readonly pieces: readonly DiffPiece[];
}

export interface DiffCounts {
  readonly wordsAdded: number;
  readonly wordsRemoved: number;
  /** A line with a changed word counts as one removed and one added line. */
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
