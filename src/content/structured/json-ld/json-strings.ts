/** Reads the strings and words of JSON as pages write them. */

const BACKSLASH = 92;
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const HEX = /^[0-9a-f]{4}$/i;
/** After a quote that ends a string, one of these follows. */
const ENDING = /[\t\n\f\r ]*(?:[:}\]]|,[\s]*(?:["'{}[\]\d/-]|true|false|null|[\w$@]{1,60}[\t ]{0,3}:|$)|\/[/*]|$)/y;
/** The comma may be missing between two lines. */
const NEXT_LINE = /[\t ]*[\n\r]\s*["']/y;
const WORD_END = /[\s,:;{}[\]"'/<]/g;

/** In: the position of the opening quote. Out: the text, and the position after the closing quote. */
export function readString(text: string, start: number): { value: string; end: number } {
  const quote = text.charCodeAt(start);
  const parts: string[] = [];
  let from = start + 1;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) {
      const escaped = readEscape(text, at);
      parts.push(text.slice(from, at), escaped.character);
      from = escaped.end;
      at = from - 1;
    } else if (code === quote && isEnding(text, at + 1)) {
      parts.push(text.slice(from, at));
      return { value: parts.length === 1 ? (parts[0] as string) : parts.join(''), end: at + 1 };
    }
  }
  parts.push(text.slice(from));
  return { value: parts.join(''), end: text.length };
}

/** A quote inside a string, which should have been escaped, is followed by more words. */
function isEnding(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  // Most quotes are followed by a colon or a closing brace.
  if (code === 58 || code === 125) return true;
  ENDING.lastIndex = at;
  if (ENDING.test(text)) return true;
  NEXT_LINE.lastIndex = at;
  return NEXT_LINE.test(text);
}

/** Unknown escapes stand for their character: `\'` is an apostrophe. */
function readEscape(text: string, at: number): { character: string; end: number } {
  const sign = text[at + 1] ?? '';
  if (sign === 'u') {
    const digits = text.slice(at + 2, at + 6);
    if (HEX.test(digits)) return { character: String.fromCharCode(Number.parseInt(digits, 16)), end: at + 6 };
  }
  return { character: ESCAPES[sign] ?? sign, end: at + 1 + sign.length };
}

/** A number, a literal or a bare name. `null` and `undefined` are no value. */
export function readWord(text: string, start: number): { word: string | null; end: number } {
  WORD_END.lastIndex = start + 1;
  const end = WORD_END.test(text) ? WORD_END.lastIndex - 1 : text.length;
  const word = text.slice(start, end);
  return { word: word === 'null' || word === 'undefined' ? null : word, end };
}
