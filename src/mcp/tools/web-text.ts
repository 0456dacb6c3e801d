/**
 * Text from the web on its way to a language model. What always holds: characters that people cannot see are gone,
 * because texts in them can give a model orders that no person notices; the text is bounded; and Markdown loads no
 * picture, because the address of a picture can carry data out of a conversation.
 */

/**
 * Controls except line breaks and tabs, format characters (bidirectional controls, zero-width and tag characters)
 * except the two joiners that scripts and emoji need, variation selectors that no text needs, and halves of characters.
 */
const INVISIBLE = /(?![\n\t]|\u200c|\u200d)(?:[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|[\u{E0100}-\u{E01EF}])/gu;

const MOST_URL_CHARS = 4_000;
const MOST_TITLE_CHARS = 300;

export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(INVISIBLE, (character) => (/\p{Cc}/u.test(character) ? ' ' : ''));
}

/** One line of at most `most` characters. */
export function line(text: string, most: number): string {
  const clean = visible(text)
    .replaceAll(/[\n\t]/g, ' ')
    .trim();
  return clean.length <= most ? clean : `${clean.slice(0, most - 1).trimEnd()}…`;
}

export function title(text: string): string {
  return line(text, MOST_TITLE_CHARS) || '(no title)';
}

export function url(text: string): string {
  return line(text, MOST_URL_CHARS);
}

/** Markdown whose pictures are links. */
export function markdown(text: string): string {
  return visible(text).replaceAll('![', '[picture: ');
}

/** The first items whose JSON fits into an answer, and at least one of them. */
export function fitting<Item>(items: readonly Item[], mostChars: number): Item[] {
  let left = mostChars;
  const end = items.findIndex((item) => {
    left -= JSON.stringify(item).length;
    return left < 0;
  });
  return end === -1 ? [...items] : items.slice(0, Math.max(1, end));
}

/** The part of a text for one answer. It begins and ends between lines if lines are not too long. */
export function partOf(text: string, offset: number, most: number): { readonly text: string; readonly end: number } {
  const start = wholeCharacter(text, Math.min(offset, text.length));
  if (text.length - start <= most) return { text: text.slice(start), end: text.length };
  const latest = start + most;
  const lineEnd = text.lastIndexOf('\n', latest - 1) + 1;
  const end = lineEnd > start + most / 2 ? lineEnd : wholeCharacter(text, latest);
  return { text: text.slice(start, end), end };
}

function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
