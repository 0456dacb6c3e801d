/** Characters with a meaning in a query. */

const QUOTES = new Set('"“”„‟«»″＂「」『』');
const SPACE = /\s/;

/** Any of them opens a phrase, and any of them closes it, because languages use them in different orders. */
export function isQuote(character: string): boolean {
  return QUOTES.has(character);
}

export function isSpace(character: string): boolean {
  return character <= ' ' || (character >= '\x80' && SPACE.test(character));
}

/** Characters that end a word. */
export function isWordEnd(character: string): boolean {
  return character === '(' || character === ')' || character === '|' || isQuote(character) || isSpace(character);
}

/** After a backslash, each of them is only a character. A letter or a digit after a backslash is not special. */
export function canBeEscaped(character: string): boolean {
  return !/[\p{L}\p{N}]/u.test(character);
}
