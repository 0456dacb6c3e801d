import { isWhite } from './scan-tag.ts';

/**
 * The URL of `<meta http-equiv=refresh content="…">` in every spelling that browsers accept (HTML standard, "shared
 * declarative refresh steps"). Null if the page only reloads itself or the value is invalid.
 */
export function parseMetaRefresh(content: string): string | null {
  let at = skipWhite(content, 0);
  const timeStart = at;
  while (isDigit(content.charCodeAt(at))) at++;
  if (at === timeStart && content[at] !== '.') return null;
  while (isDigit(content.charCodeAt(at)) || content[at] === '.') at++;
  if (at >= content.length) return null;
  if (content[at] !== ';' && content[at] !== ',' && !isWhite(content.charCodeAt(at))) return null;
  at = skipWhite(content, at);
  if (content[at] === ';' || content[at] === ',') at = skipWhite(content, at + 1);
  if (at >= content.length) return null;

  // `url=` may be missing, and the URL itself may begin with u, ur or url. In that case the whole rest is the URL.
  const whole = content.slice(at);
  if (isLetter(content, at, 'u')) {
    if (!isLetter(content, at + 1, 'r') || !isLetter(content, at + 2, 'l')) return whole;
    at = skipWhite(content, at + 3);
    if (content[at] !== '=') return whole;
    at = skipWhite(content, at + 1);
  }
  const quote = content[at];
  if (quote !== '"' && quote !== "'") return content.slice(at);
  const end = content.indexOf(quote, at + 1);
  return content.slice(at + 1, end < 0 ? undefined : end);
}

function skipWhite(text: string, from: number): number {
  let at = from;
  while (isWhite(text.charCodeAt(at))) at++;
  return at;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isLetter(text: string, at: number, lower: string): boolean {
  return text[at]?.toLowerCase() === lower;
}
