/** Patterns with `*` (any letters, or none) and `?` (one letter). */

/** The letters before the first sign. Every match begins with them. */
export function prefixOf(pattern: string): string {
  const end = pattern.search(/[*?]/);
  return end < 0 ? pattern : pattern.slice(0, end);
}

/**
 * Takes time in proportion to both lengths at most. After a mismatch only the last `*` tries again, because what an
 * earlier one takes makes no difference.
 */
export function matchesPattern(word: string, pattern: string): boolean {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let starAt = 0;
  while (at < word.length) {
    const sign = pattern[inPattern];
    if (sign === '*') {
      star = inPattern++;
      starAt = at;
    } else if (sign === '?' || sign === word[at]) {
      at += sign === '?' && isPair(word, at) ? 2 : 1;
      inPattern++;
    } else if (star >= 0) {
      inPattern = star + 1;
      starAt++;
      at = starAt;
    } else return false;
  }
  while (pattern[inPattern] === '*') inPattern++;
  return inPattern === pattern.length;
}

function isPair(word: string, at: number): boolean {
  return (word.charCodeAt(at) & 0xfc00) === 0xd800 && at + 1 < word.length;
}
