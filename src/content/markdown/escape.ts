/**
 * Escapes text so that Markdown reads it as the same text. A sign is escaped only where it could mean something:
 * `snake_case`, `a[i]` and `x < y` stay as they are. The end of a text counts as a place where anything may follow.
 */

const SPECIAL = /[\\`*_[\]<&~$!]/;
const ENTITY = /&#?\w{1,32};/y;
const LINE_START = /^(?:#{1,6}(?:\s|$)|>|[-+](?:\s|$)|[-=\s]+$|[-|:][-|:\s]*$|\[[ xX]\](?:\s|$))/;
const NUMBER_START = /^(\d{1,9})([.)])(?=\s|$)/;

/**
 * `before` is the character before the text, or ''. `after` is the character after it, or '' if it is not known. In the
 * text of a link, all brackets are escaped.
 */
export function escapeText(text: string, before: string, after: string, inLink: boolean): string {
  if (!SPECIAL.test(text)) return text;
  let escaped = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (!needsEscape(text, at, at === 0 ? before : (text[at - 1] as string), text[at + 1] ?? after, inLink)) continue;
    escaped += `${text.slice(from, at)}\\`;
    from = at;
  }
  return escaped + text.slice(from);
}

function needsEscape(text: string, at: number, before: string, next: string, inLink: boolean): boolean {
  switch (text[at]) {
    case '`':
    case '*':
    case '~':
    case '$':
      return true;
    case '_':
      return !isWordCharacter(before) || !isWordCharacter(next);
    case '\\':
      return next === '' || isAsciiPunctuation(next);
    case '[':
      return inLink || next === '^' || next === '';
    case ']':
      return inLink || next === '' || next === '(' || next === '[' || next === ':';
    case '<':
      return next === '' || /[a-z/!?]/i.test(next);
    case '!':
      return next === '' || next === '[';
    case '&':
      if (next === '') return true;
      ENTITY.lastIndex = at;
      return ENTITY.test(text) || (/^&#?\w{0,31}$/.test(text.slice(at, at + 33)) && text.length - at < 33);
    default:
      return false;
  }
}

/** Escapes the start of a line of a paragraph, where Markdown would see a heading, a list, a quote or a rule. */
export function escapeLineStart(line: string): string {
  const first = line.charCodeAt(0);
  // Letters cannot start a block.
  if ((first | 0x20) >= 0x61 && (first | 0x20) <= 0x7a) return line;
  if (LINE_START.test(line)) return `\\${line}`;
  return line.replace(NUMBER_START, '$1\\$2');
}

export function codeSpan(code: string): string {
  if (!code.includes('`')) return code.startsWith(' ') && code.endsWith(' ') ? `\` ${code} \`` : `\`${code}\``;
  const fence = '`'.repeat(longestRun(code) + 1);
  return `${fence} ${code} ${fence}`;
}

export function codeFence(code: string): string {
  return '`'.repeat(Math.max(3, longestRun(code) + 1));
}

function longestRun(text: string): number {
  let longest = 0;
  for (let at = text.indexOf('`'); at >= 0; at = text.indexOf('`', at)) {
    const start = at;
    while (text[at] === '`') at++;
    longest = Math.max(longest, at - start);
  }
  return longest;
}

/** The target of a link. Angle brackets keep parentheses and spaces together. */
export function linkTarget(url: string): string {
  if (!/[\s()<>\\|&]/.test(url)) return url === '' ? '<>' : url;
  const safe = url
    .replace(/[\s<>\\|]/g, (sign) => `%${(sign.codePointAt(0) as number).toString(16).toUpperCase().padStart(2, '0')}`)
    .replace(/&(?=#?\w{1,32};)/g, '&amp;');
  return /[()]/.test(safe) ? `<${safe}>` : safe;
}

export function linkTitle(title: string): string {
  const text = title.replace(/\s+/g, ' ').trim();
  return text === '' ? '' : ` "${text.replace(/[\\"]/g, '\\$&').replace(/&(?=#?\w{1,32};)/g, '\\&')}"`;
}

function isWordCharacter(sign: string): boolean {
  return sign !== '' && /[\p{L}\p{N}]/u.test(sign);
}

export function isAsciiPunctuation(sign: string): boolean {
  const code = sign.charCodeAt(0);
  return (
    (code >= 33 && code <= 47) ||
    (code >= 58 && code <= 64) ||
    (code >= 91 && code <= 96) ||
    (code >= 123 && code <= 126)
  );
}
