/**
 * Collects the inline content of one paragraph, heading or cell. In: texts, starts and ends of formats, and atoms
 * (code, images, formulas). Out: the tokens of the paragraph, which render-inline.ts writes as Markdown or as plain
 * text.
 *
 * What always holds: white space is collapsed, and stands outside of formats (`<b>a </b>b` has the tokens of
 * `<b>a</b> b`). A format without content has no tokens. Formats that are open at the end of a paragraph are opened
 * again in the next one.
 */
export const TOKEN = { TEXT: 0, SPACE: 1, BREAK: 2, ATOM: 3, CODE: 4, OPEN: 5, CLOSE: 6 } as const;

export const FORMAT = { STRONG: 0, EMPHASIS: 1, DELETED: 2, SUB: 3, SUP: 4, KEY: 5, LINK: 6 } as const;
/** How often a format may be nested in itself. Bold text in bold text is bold, but an exponent may have an exponent. */
const MOST_NESTED = [1, 1, 1, 3, 3, 2, 1] as const;

export interface Token {
  readonly kind: number;
  /** The text, the code, the atom, or the target of a link. */
  text: string;
  readonly format: number;
}

const SPACES = /[\t\n\f\r \u00a0]+/g;
/** Control characters mean nothing in a text, and a terminal may obey them. A soft hyphen is no part of its word. */
const MEANINGLESS = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\u00ad]/g;

interface OpenFormat {
  readonly format: number;
  readonly target: string;
  /** How often the format was opened while it could not be nested any deeper. */
  isIgnored: boolean;
}

export class InlineText {
  tokens: Token[] = [];
  /** The formats that are open on the page, from the outermost. */
  readonly #open: OpenFormat[] = [];
  readonly #depths = [0, 0, 0, 0, 0, 0, 0];
  /** How many of the open formats have their token. */
  #written = 0;
  #hasSpace = false;
  #hasBreak = false;
  #codeDepth = 0;
  /** True between the end of a code element and the next content. */
  #hasCodeEnded = false;

  get isEmpty(): boolean {
    return this.tokens.length === 0;
  }

  addText(raw: string): void {
    let text = isClean(raw) ? raw : raw.replace(MEANINGLESS, '').replace(SPACES, ' ');
    if (text.startsWith(' ')) {
      this.#hasSpace = true;
      text = text.slice(1);
    }
    if (text === '') return;
    const hasSpace = text.endsWith(' ');
    this.#add(this.#codeDepth > 0 ? TOKEN.CODE : TOKEN.TEXT, hasSpace ? text.slice(0, -1) : text);
    this.#hasSpace = hasSpace;
  }

  addAtom(text: string): void {
    this.#add(TOKEN.ATOM, text);
  }

  addCode(code: string): void {
    this.#add(TOKEN.CODE, code);
  }

  openCode(): void {
    this.#codeDepth++;
  }

  closeCode(): void {
    this.#codeDepth--;
    this.#hasCodeEnded = true;
  }

  addSpace(): void {
    this.#hasSpace = true;
  }

  addBreak(): void {
    if (this.tokens.length > 0) this.#hasBreak = true;
  }

  open(format: number, target: string): void {
    const depth = (this.#depths[format] as number) + 1;
    const isIgnored = depth > (MOST_NESTED[format] as number) || (this.#codeDepth > 0 && format !== FORMAT.LINK);
    if (!isIgnored) this.#depths[format] = depth;
    this.#open.push({ format, target, isIgnored });
  }

  /** Ends the innermost open format. */
  close(): void {
    const ended = this.#open.pop();
    if (ended === undefined) return;
    if (!ended.isIgnored) this.#depths[ended.format]! -= 1;
    if (this.#written <= this.#open.length) return;
    this.#written = this.#open.length;
    if (!ended.isIgnored) this.tokens.push({ kind: TOKEN.CLOSE, text: ended.target, format: ended.format });
  }

  /** Ends the paragraph and returns its tokens. */
  take(): Token[] {
    for (let i = this.#written - 1; i >= 0; i--) {
      const { format, target, isIgnored } = this.#open[i] as OpenFormat;
      if (!isIgnored) this.tokens.push({ kind: TOKEN.CLOSE, text: target, format });
    }
    const { tokens } = this;
    this.tokens = [];
    this.#written = 0;
    this.#hasSpace = false;
    this.#hasBreak = false;
    return tokens;
  }

  #add(kind: number, text: string): void {
    while (this.#open[this.#written]?.isIgnored) this.#written++;
    const last = this.tokens.at(-1);
    const isBroken = this.#hasBreak;
    const isApart = this.#hasSpace || isBroken;
    const isInner = this.#written === this.#open.length && last?.kind === kind && !isBroken;
    // Two codes with a space between them stay two codes. Without a space, Markdown can only write them as one.
    const isJoined = isInner && (kind === TOKEN.TEXT || (kind === TOKEN.CODE && !(isApart && this.#hasCodeEnded)));
    if (isJoined) last.text += isApart ? ` ${text}` : text;
    else {
      if (isApart && last !== undefined) {
        this.tokens.push({ kind: isBroken ? TOKEN.BREAK : TOKEN.SPACE, text: '', format: -1 });
      }
      while (this.#written < this.#open.length) this.#writeOpen();
      const before = this.tokens.at(-1);
      // Two codes meet if the format between them ended and began again.
      if (kind === TOKEN.CODE && before?.kind === TOKEN.CODE) before.text += text;
      else this.tokens.push({ kind, text, format: -1 });
    }
    this.#hasSpace = false;
    this.#hasBreak = false;
    this.#hasCodeEnded = false;
  }

  #writeOpen(): void {
    const { format, target, isIgnored } = this.#open[this.#written++] as OpenFormat;
    if (isIgnored) return;
    const last = this.tokens.at(-1);
    // `<b>a</b><b>b</b>` is one format.
    if (last?.kind === TOKEN.CLOSE && last.format === format && last.text === target && format !== FORMAT.LINK) {
      this.tokens.pop();
    } else this.tokens.push({ kind: TOKEN.OPEN, text: target, format });
  }
}

/** True if the text has no white space to collapse and nothing meaningless. A loop is faster than two patterns. */
function isClean(text: string): boolean {
  let before = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || (code >= 127 && code <= 160) || code === 0xad || (code === 32 && before === 32)) return false;
    before = code;
  }
  return true;
}
