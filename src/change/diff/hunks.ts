/**
 * Groups a diff into hunks: changes with a few lines of context. In: a diff and the number of context lines. Out:
 * hunks, in order. Changes whose contexts meet share a hunk. A diff without changes has no hunks.
 */
import type { DiffPiece, DiffRegion, TextDiff } from './diff.ts';

export interface DiffHunk extends Omit<DiffRegion, 'kind' | 'pieces'> {
  /** Unchanged and changed regions in turn. Unchanged regions are cut to the lines that are shown. */
  readonly regions: readonly DiffRegion[];
}

export function hunksOf({ regions }: TextDiff, contextLines: number): DiffHunk[] {
  const groups: DiffRegion[][] = [];
  let open: DiffRegion[] | null = null;
  regions.forEach((region, i) => {
    if (region.kind === 'changed') {
      if (open === null) {
        open = [];
        groups.push(open);
      }
      open.push(region);
      return;
    }
    const isLast = i === regions.length - 1;
    if (open !== null && !isLast && region.oldLines <= 2 * contextLines) {
      open.push(region);
      return;
    }
    if (open !== null) open.push(firstLines(region, contextLines));
    open = null;
    if (isLast) return;
    open = [lastLines(region, contextLines)];
    groups.push(open);
  });
  return groups.map((group) => toHunk(group.filter(({ oldLines, newLines }) => oldLines + newLines > 0)));
}

/** The pieces of a hunk. Neighbouring pieces of the same kind are joined. */
export function piecesOf({ regions }: DiffHunk): DiffPiece[] {
  const pieces: DiffPiece[] = [];
  for (const piece of regions.flatMap((region) => region.pieces)) {
    const last = pieces.at(-1);
    if (last?.kind === piece.kind) pieces[pieces.length - 1] = { kind: last.kind, text: last.text + piece.text };
    else pieces.push(piece);
  }
  return pieces;
}

function toHunk(regions: readonly DiffRegion[]): DiffHunk {
  const { oldLine, newLine } = regions[0]!;
  const oldLines = regions.reduce((sum, region) => sum + region.oldLines, 0);
  const newLines = regions.reduce((sum, region) => sum + region.newLines, 0);
  return { oldLine, oldLines, newLine, newLines, regions };
}

function firstLines(region: DiffRegion, lines: number): DiffRegion {
  if (region.oldLines <= lines) return region;
  const { text } = region.pieces[0]!;
  let end = 0;
  for (let line = 0; line < lines; line++) end = text.indexOf('\n', end) + 1;
  return { ...region, oldLines: lines, newLines: lines, pieces: [{ kind: 'same', text: text.slice(0, end) }] };
}

function lastLines(region: DiffRegion, lines: number): DiffRegion {
  if (region.oldLines <= lines) return region;
  const { text } = region.pieces[0]!;
  const skipped = region.oldLines - lines;
  let start = text.length;
  for (let line = 0; line < lines; line++) start = text.lastIndexOf('\n', start - 2) + 1;
  return {
    ...region,
    oldLine: region.oldLine + skipped,
    newLine: region.newLine + skipped,
    oldLines: lines,
    newLines: lines,
    pieces: [{ kind: 'same', text: text.slice(start) }],
  };
}
