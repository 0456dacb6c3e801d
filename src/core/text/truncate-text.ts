/** Limits the length of a text and marks the cut with an ellipsis. It never cuts through a character. */
export function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text.toWellFormed();
  const end = /[\uD800-\uDBFF]/.test(text[maxChars - 2]!) ? maxChars - 2 : maxChars - 1;
  return `${text.slice(0, end).toWellFormed()}…`;
}
