/**
 * Trims one character from the start or the end of a text. It is written by hand, because `/x+$/` takes quadratic time
 * when a long run of the character ends in the middle of the text.
 */

export function withoutFirst(text: string, character: string): string {
  let start = 0;
  while (text[start] === character) start++;
  return text.slice(start);
}

export function withoutLast(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}
