/** Text of bounded length, with a sign where something is missing. Never cut through the middle of a character. */
export function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text.toWellFormed();
  const end = /[\uD800-\uDBFF]/.test(text[maxChars - 2]!) ? maxChars - 2 : maxChars - 1;
  return `${text.slice(0, end).toWellFormed()}…`;
}
