/**
 * Finds the URLs of a style sheet: `url()`, `src()`, `@import`, `image-set()` and `image()`. One pass over the text
 * with the tokens of CSS Syntax 3 (4.3) that matter here: comments, strings, names with escapes, unquoted URLs. A URL
 * of `@namespace` is a name, and is not requested.
 */

export type CssUse = 'import' | 'font' | 'image';

/** `from`–`to` is the place of the URL in the text: a string with its quotes, or the content of `url(…)`. */
export type CssListener = (url: string, use: CssUse, from: number, to: number) => void;

/** Functions whose strings are URLs (CSS Images 4). */
const STRING_FUNCTIONS: ReadonlySet<string> = new Set(['url', 'src', 'image', 'image-set', '-webkit-image-set']);
/** At-rules whose URLs are names, and are not requested. */
const NAMING_RULES: ReadonlySet<string> = new Set(['namespace', 'document', '-moz-document']);
const MAX_URL_CHARS = 65_536;
const MAX_NESTED = 64;

export function scanCss(css: string, found: CssListener): void {
  new CssScan(css, found).run();
}

class CssScan {
  readonly #css: string;
  readonly #found: CssListener;
  #at = 0;
  /** The at-rule whose prelude is being read, in lower case without `@`; '' outside a prelude. */
  #rule = '';
  /** Blocks that are open, and the depth of the innermost `@font-face`; 0 for none. */
  #blocks = 0;
  #fontFace = 0;
  /** The end of the last unquoted URL. */
  #urlEnd = 0;
  /** For each open parenthesis: whether strings in it are URLs. */
  readonly #functions: boolean[] = [];

  constructor(css: string, found: CssListener) {
    this.#css = css;
    this.#found = found;
  }

  run(): void {
    const css = this.#css;
    while (this.#at < css.length) {
      const code = css.charCodeAt(this.#at);
      if (code === QUOTE || code === APOSTROPHE) this.#string(code);
      else if (code === SLASH && css.charCodeAt(this.#at + 1) === ASTERISK) this.#skipComment();
      else if (code === AT) this.#atRule();
      else if (startsName(css, this.#at)) this.#name();
      else {
        this.#at++;
        if (code === OPEN) this.#push(false);
        else if (code === CLOSE) this.#functions.pop();
        else if (code === SEMICOLON) this.#rule = '';
        else if (code === OPEN_BLOCK) this.#openBlock();
        else if (code === CLOSE_BLOCK) this.#closeBlock();
      }
    }
  }

  #openBlock(): void {
    this.#blocks++;
    if (this.#rule === 'font-face') this.#fontFace = this.#blocks;
    this.#rule = '';
    this.#functions.length = 0;
  }

  #closeBlock(): void {
    if (this.#blocks === this.#fontFace) this.#fontFace = 0;
    this.#blocks = Math.max(0, this.#blocks - 1);
    this.#rule = '';
    this.#functions.length = 0;
  }

  #atRule(): void {
    this.#at++;
    if (startsName(this.#css, this.#at)) this.#rule = this.#readName().toLowerCase();
  }

  #name(): void {
    const name = this.#readName().toLowerCase();
    if (this.#css.charCodeAt(this.#at) !== OPEN) return;
    this.#at++;
    if (name === 'url' && !this.#quoteFollows()) {
      const from = this.#at;
      const url = this.#readUnquoted();
      this.#report(url, from, this.#urlEnd);
    } else this.#push(STRING_FUNCTIONS.has(name));
  }

  /** A string is a URL inside `url()` and similar functions, and directly after `@import`. */
  #string(quote: number): void {
    const from = this.#at;
    const text = this.#readString(quote);
    if (this.#functions.at(-1) === true || (this.#rule === 'import' && this.#functions.length === 0))
      this.#report(text, from, this.#at);
  }

  #report(url: string, from: number, to: number): void {
    if (NAMING_RULES.has(this.#rule) || url === '' || url.length > MAX_URL_CHARS) return;
    if (this.#rule === 'import') {
      this.#found(url, 'import', from, to);
      // Only the first URL is imported. The rest is a condition.
      this.#rule = 'imported';
    } else if (this.#rule !== 'imported') this.#found(url, this.#fontFace > 0 ? 'font' : 'image', from, to);
  }

  #push(stringsAreUrls: boolean): void {
    if (this.#functions.length < MAX_NESTED) this.#functions.push(stringsAreUrls);
  }

  #skipComment(): void {
    const end = this.#css.indexOf('*/', this.#at + 2);
    this.#at = end < 0 ? this.#css.length : end + 2;
  }

  #quoteFollows(): boolean {
    this.#skipWhite();
    const code = this.#css.charCodeAt(this.#at);
    return code === QUOTE || code === APOSTROPHE;
  }

  #skipWhite(): void {
    while (isWhite(this.#css.charCodeAt(this.#at))) this.#at++;
  }

  /** From a quote to the position after the closing quote. A line break ends a broken string (4.3.5). */
  #readString(quote: number): string {
    const css = this.#css;
    let text = '';
    let start = ++this.#at;
    for (; this.#at < css.length; ) {
      const code = css.charCodeAt(this.#at);
      if (code === quote) {
        text += css.slice(start, this.#at++);
        return text;
      }
      if (code === NEWLINE || code === 13 || code === 12) return '';
      if (code === BACKSLASH) {
        text += css.slice(start, this.#at) + this.#readEscape();
        start = this.#at;
      } else this.#at++;
    }
    return text + css.slice(start);
  }

  /** The content of `url(…)` without quotes, up to the position after the parenthesis. '' for a bad URL (4.3.6). */
  #readUnquoted(): string {
    const css = this.#css;
    let text = '';
    let start = this.#at;
    for (; this.#at < css.length; ) {
      const code = css.charCodeAt(this.#at);
      if (code === CLOSE || isWhite(code)) {
        text += css.slice(start, this.#at);
        this.#urlEnd = this.#at;
        this.#skipWhite();
        if (this.#at >= css.length) return text;
        if (css.charCodeAt(this.#at) !== CLOSE) return this.#skipBadUrl();
        this.#at++;
        return text;
      }
      if (code === QUOTE || code === APOSTROPHE || code === OPEN) return this.#skipBadUrl();
      if (code === BACKSLASH) {
        text += css.slice(start, this.#at) + this.#readEscape();
        start = this.#at;
      } else this.#at++;
    }
    this.#urlEnd = css.length;
    return text + css.slice(start);
  }

  #skipBadUrl(): string {
    while (this.#at < this.#css.length && this.#css.charCodeAt(this.#at) !== CLOSE) {
      this.#at += this.#css.charCodeAt(this.#at) === BACKSLASH ? 2 : 1;
    }
    this.#at++;
    return '';
  }

  #readName(): string {
    const css = this.#css;
    let name = '';
    let start = this.#at;
    for (; this.#at < css.length; ) {
      const code = css.charCodeAt(this.#at);
      if (code === BACKSLASH && css.charCodeAt(this.#at + 1) !== NEWLINE) {
        name += css.slice(start, this.#at) + this.#readEscape();
        start = this.#at;
      } else if (isNameCode(code)) this.#at++;
      else break;
    }
    return name + css.slice(start, this.#at);
  }

  /** From a backslash to the position after the escape (4.3.7). An escaped line break is nothing. */
  #readEscape(): string {
    const css = this.#css;
    let at = this.#at + 1;
    let value = 0;
    while (at < this.#at + 7 && at < css.length && isHex(css.charCodeAt(at))) {
      value = value * 16 + Number.parseInt(css[at]!, 16);
      at++;
    }
    if (at === this.#at + 1) {
      const isBreak = css.charCodeAt(at) === NEWLINE || css.charCodeAt(at) === 13 || css.charCodeAt(at) === 12;
      const length = (css.codePointAt(at) ?? 0) > 0xffff ? 2 : isBreak && css.startsWith('\r\n', at) ? 2 : 1;
      this.#at = Math.min(css.length, at + length);
      return isBreak ? '' : css.slice(at, at + length);
    }
    if (css.startsWith('\r\n', at)) at += 2;
    else if (isWhite(css.charCodeAt(at))) at++;
    this.#at = at;
    const isBad = value === 0 || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff);
    return isBad ? '\ufffd' : String.fromCodePoint(value);
  }
}

const QUOTE = 34;
const APOSTROPHE = 39;
const OPEN = 40;
const CLOSE = 41;
const ASTERISK = 42;
const DASH = 45;
const SLASH = 47;
const SEMICOLON = 59;
const AT = 64;
const BACKSLASH = 92;
const OPEN_BLOCK = 123;
const CLOSE_BLOCK = 125;
const NEWLINE = 10;

function startsName(css: string, at: number): boolean {
  const code = css.charCodeAt(at);
  if (code === BACKSLASH) return at + 1 < css.length && css.charCodeAt(at + 1) !== NEWLINE;
  return isNameCode(code) && !(code >= 48 && code <= 57);
}

function isNameCode(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 97 && lower <= 122) || (code >= 48 && code <= 57) || code === DASH || code === 95 || code >= 128;
}

function isWhite(code: number): boolean {
  return code === 32 || code === 9 || code === NEWLINE || code === 12 || code === 13;
}

function isHex(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);
}
