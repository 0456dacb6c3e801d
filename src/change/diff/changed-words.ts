/**
 * Counts the words that were added and removed between two versions of a document: the one count that refresh,
 * deliveries, history, diff and the library show. The words of the title count like the words of the text.
 */
import { diffTexts } from './diff.ts';

/** What a reader sees of a version. */
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
  const text = diff ?? diffTexts(before.text, after.text);
  if (before.title === after.title) return { wordsAdded: text.wordsAdded, wordsRemoved: text.wordsRemoved };
  const title = diffTexts(before.title, after.title);
  return {
    wordsAdded: text.wordsAdded + title.wordsAdded,
    wordsRemoved: text.wordsRemoved + title.wordsRemoved,
  };
}
