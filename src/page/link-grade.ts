/**
 * Grades how prominent a link is on its page (E6). It uses values that the scan
 * counts anyway, so it costs nearly nothing.
 */
import { TAGS } from './html/html-names.ts';
import type { LinkGrade } from './parsed-page.ts';

const BOLD = TAGS.id('b');
const STRONG = TAGS.id('strong');
const ITALIC = TAGS.id('i');
const EM = TAGS.id('em');

/**
 * 1 is plain, 2 is bold or italic, 3 is both. `openTags` counts the start tags of each name that have no end tag yet.
 */
export function gradeVisibility(openTags: readonly number[]): LinkGrade {
  const bold = (openTags[BOLD] as number) + (openTags[STRONG] as number) > 0;
  const italic = (openTags[ITALIC] as number) + (openTags[EM] as number) > 0;
  return bold && italic ? 3 : bold || italic ? 2 : 1;
}

/** 3 in the first third of a document, 2 in the second, 1 in the last. */
export function gradePosition(at: number, length: number): LinkGrade {
  return 3 * at < length ? 3 : 3 * at < 2 * length ? 2 : 1;
}

/** The length of a document without trailing white space and zeros, which some documents have as padding. */
export function writtenLength(bytes: Buffer): number {
  let length = bytes.length;
  while (length > 0 && (bytes[length - 1] as number) <= 32) length--;
  return length;
}
