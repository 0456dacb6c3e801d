/**
 * Counts the words that were added and removed between two versions of a document: the one count that refresh,
 * deliveries, history, diff and the library show. The words of the title count like the words of the text.
 */
import { diffTexts } from './diff.ts';

/** Longer texts are compared in part: at most this many characters of each. Nearly all pages are much shorter. */
export const MAX_COMPARED = 1_000_000;
/** A word at the edge of the compared part is read whole, unless it is longer. */
const MAX_EDGE = 100;

/** The visible title and text of a version. */
export interface ReadableVersion {
  readonly title: string;
  /** Null for content without text, such as an image. */
  readonly text: string | null;
}

export interface ChangedWords {
  readonly wordsAdded: number;
  readonly wordsRemoved: number;
}

/** `diff` is the difference of the two texts, if the caller has it already. Null if a version has no text. */
export function countChangedWords(
  before: ReadableVersion,
  after: ReadableVersion,
  diff: ChangedWords | null = null,
): ChangedWords | null {
  if (before.text === null || after.text === null) return null;
  const isShort = Math.max(before.text.length, after.text.length) <= MAX_COMPARED;
  const text = isShort ? (diff ?? diffTexts(before.text, after.text)) : diffTexts(...parts(before.text, after.text));
  if (before.title === after.title) return { wordsAdded: text.wordsAdded, wordsRemoved: text.wordsRemoved };
  const title = diffTexts(before.title, after.title);
  return {
    wordsAdded: text.wordsAdded + title.wordsAdded,
    wordsRemoved: text.wordsRemoved + title.wordsRemoved,
  };
}

/** Both texts without their common beginning and end, cut to the limit. */
function parts(before: string, after: string): [string, string] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  for (const from = start; start > 0 && from - start < MAX_EDGE && !isSpace(before, start - 1); ) start--;
  let end = 0;
  while (
    end < most - start &&
    before.charCodeAt(before.length - end - 1) === after.charCodeAt(after.length - end - 1)
  ) {
    end++;
  }
  for (const from = end; end > 0 && from - end < MAX_EDGE && !isSpace(before, before.length - end); ) end--;
  const part = (text: string) => text.slice(start, Math.min(text.length - end, start + MAX_COMPARED));
  return [part(before), part(after)];
}

function isSpace(text: string, at: number): boolean {
  return text.charCodeAt(at) <= 0x20;
}
