/**
 * Texts without the runs of one character at an end. By hand: `/x+$/` takes quadratic time when a long run ends in the
 * middle.
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
