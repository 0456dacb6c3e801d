/**
 * Hunks in colour: red and struck through, green and underlined, so that nobody has to tell red from green. What is shown must
 * have no control characters of its own (ECMA-48 sequences would be obeyed): that is for the caller to see to.
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
