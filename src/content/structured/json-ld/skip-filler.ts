/** Skips everything between the tokens of JSON: white space, control characters, comments and wrappers. */

const SPACE = 32;
const SLASH = 47;
const STAR = 42;
const LESS = 60;
const MINUS = 45;
const CLOSE_BRACKET = 93;
const DELETE = 127;
const NO_BREAK_SPACE = 160;
const BYTE_ORDER_MARK = 0xfeff;

/** Spaces and the openings and closings of wrappers, with or without the slashes of a script comment. */
const WRAPPER = /(?:\/\/[\t ]*)?(?:<!\[CDATA\[|\]\]>|-->)/y;
const HTML_COMMENT = /(?:\/\/[\t ]*)?<!--\s*/y;
const LINE_END = /[\n\r\u2028\u2029]/g;

/** The position of the next token, or the length of the text. */
export function skipFiller(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code <= SPACE || (code >= DELETE && isOddSpace(code))) at++;
    else if (code === SLASH || code === LESS || code === MINUS || code === CLOSE_BRACKET) {
      const after = skipMarkup(text, at, code);
      if (after === at) return at;
      at = after;
    } else return Math.min(at, text.length);
  }
}

function isOddSpace(code: number): boolean {
  return code <= NO_BREAK_SPACE || code === BYTE_ORDER_MARK || (code >= 0x2000 && code <= 0x200f) || code === 0x2028;
}

function skipMarkup(text: string, at: number, code: number): number {
  WRAPPER.lastIndex = at;
  if (WRAPPER.test(text)) return WRAPPER.lastIndex;
  HTML_COMMENT.lastIndex = at;
  if (HTML_COMMENT.test(text)) {
    // The comment is a wrapper if JSON follows. Otherwise it is a remark.
    const inside = HTML_COMMENT.lastIndex;
    const next = text[inside];
    return next === '{' || next === '[' || next === '/' ? inside : endOf(text, '-->', inside);
  }
  if (code !== SLASH) return at;
  const second = text.charCodeAt(at + 1);
  if (second === STAR) return endOf(text, '*/', at + 2);
  if (second !== SLASH) return at + 1;
  LINE_END.lastIndex = at;
  return LINE_END.test(text) ? LINE_END.lastIndex : text.length;
}

function endOf(text: string, sign: string, from: number): number {
  const at = text.indexOf(sign, from);
  return at < 0 ? text.length : at + sign.length;
}
