/** Random texts and edits from a seed, and the use of a diff as a receiver would use it: by its hunks alone. */
import { type DiffHunk, piecesOf } from '../../../src/change/diff/hunks.ts';
import type { SeededRandom } from '../../../testbed/random.ts';

const WORDS = [
  'the',
  'a',
  'of',
  'web',
  'silk',
  'spider',
  'orb',
  'dew',
  '1,299.00',
  "don't",
  '東京',
  'é',
  '🕷️',
  '\u0301',
  '_',
];
const GAPS = [' ', ' ', ' ', '  ', '\t', '', '\n', '\n', '. ', ', ', '\r\n', '\u00a0', '-', '\0'];

export function randomText(random: SeededRandom, words: number): string {
  let text = '';
  for (let i = 0; i < words; i++) text += random.pick(WORDS) + random.pick(GAPS);
  return text;
}

/**
 * Removes, replaces, doubles or moves some parts of a text, at any character, also in the middle of a surrogate pair.
 */
export function randomEdit(random: SeededRandom, text: string): string {
  let edited = text;
  for (let edits = random.below(6); edits > 0; edits--) {
    const from = random.below(edited.length + 1);
    const to = Math.min(edited.length, from + random.below(30));
    const piece = edited.slice(from, to);
    const rest = edited.slice(0, from) + edited.slice(to);
    const at = random.below(rest.length + 1);
    const changed = [
      () => rest,
      () => edited.slice(0, from) + randomText(random, 1 + random.below(8)) + edited.slice(to),
      () => edited.slice(0, to) + edited.slice(from),
      () => rest.slice(0, at) + piece + rest.slice(at),
    ];
    edited = random.pick(changed)();
  }
  return edited;
}

/** Applies the hunks to the old text. Throws if a hunk does not fit. */
export function applyHunks(old: string, hunks: readonly DiffHunk[]): string {
  const lines = old.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  let next = 0;
  let young = '';
  for (const hunk of hunks) {
    const from = hunk.oldLine - 1;
    young += lines.slice(next, from).join('');
    next = from + hunk.oldLines;
    const pieces = piecesOf(hunk);
    const replaced = pieces.filter(({ kind }) => kind !== 'added').map(({ text }) => text);
    if (replaced.join('') !== lines.slice(from, next).join('')) throw new Error(`line ${hunk.oldLine} is not so`);
    const newLine = young.split('\n').length;
    if (newLine !== hunk.newLine) throw new Error(`line ${hunk.newLine} of the new text is its line ${newLine}`);
    const made = pieces.filter(({ kind }) => kind !== 'removed').map(({ text }) => text);
    young += made.join('');
  }
  return young + lines.slice(next).join('');
}
