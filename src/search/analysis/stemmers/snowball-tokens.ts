/** Splits a program in the Snowball language into tokens. Its string definitions and comments are gone then. */

export interface Token {
  readonly kind: 'name' | 'number' | 'literal' | 'symbol' | 'end';
  /** The text of a literal is the characters that it stands for. */
  readonly text: string;
}

const SYMBOLS = ['<-', '->', '<+', '=>', '+=', '-=', '*=', '/=', '==', '!=', '>=', '<='];
const END: Token = { kind: 'end', text: '' };

export function readTokens(source: string): Token[] {
  const tokens: Token[] = [];
  const definitions = new Map<string, string>();
  let escapes = '';
  let at = 0;
  const skipSpace = (): void => {
    while (at < source.length && source.charCodeAt(at) <= 32) at++;
  };
  const readWhile = (pattern: RegExp): string => {
    const start = at;
    while (at < source.length && pattern.test(source[at] as string)) at++;
    return source.slice(start, at);
  };
  const readLiteral = (): string => {
    let text = '';
    for (at++; at < source.length && source[at] !== "'"; ) {
      if (source[at] !== escapes[0]) {
        text += source[at++];
        continue;
      }
      const end = source.indexOf(escapes[1] as string, at);
      text += charactersOf(source.slice(at + 1, end), definitions);
      at = end + 1;
    }
    at++;
    return text;
  };

  for (;;) {
    skipSpace();
    if (at >= source.length) return [...tokens, END];
    const character = source[at] as string;
    if (source.startsWith('//', at)) {
      at = endOr(source, source.indexOf('\n', at));
    } else if (source.startsWith('/*', at)) {
      at = endOr(source, source.indexOf('*/', at) + 2);
    } else if (character === "'") {
      tokens.push({ kind: 'literal', text: readLiteral() });
    } else if (/[0-9]/.test(character)) {
      tokens.push({ kind: 'number', text: readWhile(/[0-9]/) });
    } else if (/[A-Za-z]/.test(character)) {
      const name = readWhile(/[A-Za-z0-9_]/);
      skipSpace();
      if (name === 'stringescapes') {
        // Two characters, with or without a space between them.
        escapes = source[at++] as string;
        skipSpace();
        escapes += source[at++];
      } else if (name === 'stringdef') {
        const defined = readWhile(/\S/);
        skipSpace();
        definitions.set(defined, readLiteral());
      } else {
        tokens.push({ kind: 'name', text: name });
      }
    } else {
      const text = SYMBOLS.find((symbol) => source.startsWith(symbol, at)) ?? character;
      tokens.push({ kind: 'symbol', text });
      at += text.length;
    }
  }
}

function charactersOf(name: string, definitions: ReadonlyMap<string, string>): string {
  const text = definitions.get(name);
  if (text !== undefined) return text;
  if (name.startsWith('U+')) return String.fromCodePoint(Number.parseInt(name.slice(2), 16));
  if (name === "'") return name;
  throw new Error(`The string {${name}} is not defined.`);
}

function endOr(source: string, at: number): number {
  return at <= 1 ? source.length : at;
}

/** Reads the tokens one by one. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(source: string) {
    this.#tokens = readTokens(source);
  }

  peek(): Token {
    return this.#tokens[this.#at] as Token;
  }

  next(): Token {
    return this.#tokens[this.#at++] as Token;
  }

  /** Reads a name or a symbol, if it is the next token. */
  takes(text: string): boolean {
    const token = this.peek();
    if (token.kind === 'literal' || token.text !== text) return false;
    this.#at++;
    return true;
  }

  expect(text: string): void {
    if (!this.takes(text)) throw new Error(`There is ${this.peek().text} where ${text} should be.`);
  }
}
