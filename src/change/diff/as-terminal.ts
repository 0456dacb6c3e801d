/**
 * Formats hunks in colour: removed text is red and struck through, added text is green and underlined, so that
 * nobody has to distinguish red from green. The caller must remove control characters from the text first,
 * because a terminal would obey ECMA-48 sequences.
 */
import type { DiffHunk } from './hunks.ts';
import { markedLines } from './marked-lines.ts';

const PLAIN = '\x1b[0m';

export function asTerminal(hunks: readonly DiffHunk[]): string {
  return markedLines(hunks, {
    removed: ['\x1b[31;9m', PLAIN],
    added: ['\x1b[32;4m', PLAIN],
    place: ['\x1b[2m── ', ` ──${PLAIN}`],
  });
}

/** Formats hunks as plain text, `[-removed-]{+added+}`, for files, pipes and terminals without colours. */
export function asPlain(hunks: readonly DiffHunk[]): string {
  return markedLines(hunks, { removed: ['[-', '-]'], added: ['{+', '+}'], place: ['@@ ', ' @@'] });
}
