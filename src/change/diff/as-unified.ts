/**
 * Formats hunks in the unified format of `diff -u` (POSIX.1-2024, diff), which `patch` accepts.
 * A diff without changes gives the empty string.
 */
import type { DiffRegion } from './diff.ts';
import type { DiffHunk } from './hunks.ts';

export interface UnifiedNames {
  /** The name of the compared document: a URL, or any text without a line break. */
  readonly name: string;
  readonly oldMs: number;
  readonly newMs: number;
}

export function asUnified(hunks: readonly DiffHunk[], { name, oldMs, newMs }: UnifiedNames): string {
  if (hunks.length === 0) return '';
  const parts = [`--- ${name}\t${stamp(oldMs)}\n+++ ${name}\t${stamp(newMs)}\n`];
  for (const { oldLine, oldLines, newLine, newLines, regions } of hunks) {
    parts.push(`@@ -${span(oldLine, oldLines)} +${span(newLine, newLines)} @@\n`);
    for (const region of regions) parts.push(regionText(region));
  }
  return parts.join('');
}

function regionText({ kind, pieces }: DiffRegion): string {
  const without = (gone: 'added' | 'removed') =>
    pieces
      .filter((piece) => piece.kind !== gone)
      .map(({ text }) => text)
      .join('');
  if (kind === 'same') return prefixed(' ', without('added'));
  return prefixed('-', without('added')) + prefixed('+', without('removed'));
}

function prefixed(sign: string, text: string): string {
  if (text === '') return '';
  const lines = text.split('\n');
  const last = lines.pop()!;
  const whole = lines.map((line) => `${sign}${line}\n`).join('');
  return last === '' ? whole : `${whole}${sign}${last}\n\\ No newline at end of file\n`;
}

/** A range without lines is named by the line before it. */
function span(line: number, lines: number): string {
  return lines === 1 ? `${line}` : `${lines === 0 ? line - 1 : line},${lines}`;
}

/** `2025-11-15 09:46:40.123000000 +0000` */
function stamp(epochMs: number): string {
  return `${new Date(epochMs).toISOString().replace('T', ' ').replace('Z', '000000')} +0000`;
}
