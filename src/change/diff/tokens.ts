/**
 * Splits a text into lines or words. Each token has a number; equal tokens have the same number in both texts. A word
 * is a run of letters and digits, a number with its points, one letter of a script without spaces between words, a line
 * break, or any other character. White space is not a token: it belongs to the token that follows, so that two
 * sentences do not match only by their spaces.
 *
 * What always holds: the tokens and the white space before them together are the text.
 */
export interface Tokens {
  readonly text: string;
  readonly count: number;
  readonly ids: Int32Array;
  readonly starts: Int32Array;
  /** The text between the end of a token and the start of the next token is white space. */
  readonly ends: Int32Array;
}

/** Assigns numbers to the tokens of two texts that are compared. */
export class TokenNames {
  readonly #ids = new Map<string, number>();

  idOf(token: string): number {
    let id = this.#ids.get(token);
    if (id === undefined) {
      id = this.#ids.size;
      this.#ids.set(token, id);
    }
    return id;
  }
}

/** Each line includes its line break. The last line may have none. */
export function splitLines(text: string, names: TokenNames): Tokens {
  const ends: number[] = [];
  for (let at = 0; at < text.length; ) {
    const feed = text.indexOf('\n', at);
    at = feed < 0 ? text.length : feed + 1;
    ends.push(at);
  }
  const starts = ends.map((_, i) => (i === 0 ? 0 : ends[i - 1]!));
  return tokensOf(text, starts, ends, names);
}

const SPACELESS =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const LETTER = `(?:(?![${SPACELESS}])[\\p{L}\\p{M}\\p{N}_])`;
const NUMBER = '\\p{Nd}+(?:[.,:]\\p{Nd}+)+';
const WORD = `${NUMBER}|${LETTER}+(?:['’]${LETTER}+)*|[${SPACELESS}]\\p{M}*`;
/** Every character is in one token or is white space. */
const TOKENS = new RegExp(`${WORD}|\\n|\\S`, 'gu');
const WORDS = new RegExp(WORD, 'gu');

/** The last token is empty. It carries the white space at the end of the text. */
export function splitWords(text: string, names: TokenNames): Tokens {
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    starts.push(index);
    ends.push(index + token.length);
  }
  starts.push(text.length);
  ends.push(text.length);
  return tokensOf(text, starts, ends, names);
}

export function countWords(text: string): number {
  let words = 0;
  WORDS.lastIndex = 0;
  while (WORDS.test(text)) words++;
  return words;
}

function tokensOf(text: string, starts: readonly number[], ends: readonly number[], names: TokenNames): Tokens {
  const ids = new Int32Array(starts.length);
  for (let i = 0; i < ids.length; i++) ids[i] = names.idOf(text.slice(starts[i], ends[i]));
  return { text, count: ids.length, ids, starts: Int32Array.from(starts), ends: Int32Array.from(ends) };
}

/** The index where the white space before a token begins. For the token after the last one, the end of the text. */
export function gapStart({ ends }: Tokens, token: number): number {
  return token === 0 ? 0 : ends[token - 1]!;
}

/** Tokens `from` to `to` with the white space before them. */
export function textBetween(tokens: Tokens, from: number, to: number): string {
  return tokens.text.slice(gapStart(tokens, from), gapStart(tokens, to));
}
