/**
 * Counts edits between two words: a letter is added, left out or replaced, or two neighbours are exchanged
 * (Damerau–Levenshtein, in the form in which no letter is edited twice). In: the letters of a word, and the place of a
 * word in a list. Out: the number of edits, or any larger number than `maxEdits`.
 */
import { LONGEST_WORD } from './word-kind.ts';

const MAX_EDITS = 3;
const WIDTH = LONGEST_WORD + MAX_EDITS + 2;
let before = new Uint8Array(WIDTH);
let previous = new Uint8Array(WIDTH);
let current = new Uint8Array(WIDTH);

export function editsBetween(
  word: Uint16Array,
  letters: Uint16Array,
  at: number,
  length: number,
  maxEdits: number,
): number {
  // Most words differ in a few letters in the middle. Equal ends need no table.
  let start = 0;
  let wordEnd = word.length;
  let end = length;
  while (start < wordEnd && start < end && word[start] === letters[at + start]) start++;
  while (wordEnd > start && end > start && word[wordEnd - 1] === letters[at + end - 1]) {
    wordEnd--;
    end--;
  }
  const rows = wordEnd - start;
  const columns = end - start;
  if (rows === 0 || columns === 0) return rows + columns;
  const over = maxEdits + 1;
  if (Math.abs(rows - columns) > maxEdits) return over;
  for (let j = 0; j <= columns; j++) previous[j] = Math.min(j, over);
  for (let i = 1; i <= rows; i++) {
    const first = Math.max(1, i - maxEdits);
    const last = Math.min(columns, i + maxEdits);
    current[first - 1] = first === 1 ? i : over;
    let least = current[first - 1]!;
    const code = word[start + i - 1]!;
    for (let j = first; j <= last; j++) {
      const other = letters[at + start + j - 1]!;
      let edits = previous[j - 1]! + (code === other ? 0 : 1);
      if (j < i + maxEdits && previous[j]! + 1 < edits) edits = previous[j]! + 1;
      if (current[j - 1]! + 1 < edits) edits = current[j - 1]! + 1;
      if (i > 1 && j > 1 && code === letters[at + start + j - 2]! && word[start + i - 2] === other) {
        if (before[j - 2]! + 1 < edits) edits = before[j - 2]! + 1;
      }
      current[j] = edits;
      if (edits < least) least = edits;
    }
    if (least > maxEdits) return over;
    [before, previous, current] = [previous, current, before];
  }
  return previous[columns]!;
}
