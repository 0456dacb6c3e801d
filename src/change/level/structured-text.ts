/**
 * Reads structured data of a page (JSON-LD) by its meaning. In: the type and the text of a script. Out: the same data
 * in one fixed form, without values that are drawn anew for each response; '' if it is no structured data.
 */
import { looksDrawn } from '../noise/looks-random.ts';

const JSON_LD = /^\s*application\/ld\+json\b/i;
/** A longer text, or one that is nested deeper, is compared as it is written. */
const MAX_CHARS = 1_000_000;
const MAX_DEPTH = 64;
/** Tools set it at each build. The visible date of an article counts, and so does `datePublished`. */
const MODIFIED_KEY = 'dateModified';
/** Counts of those who watched or read something. Likes and shares are votes and count. */
const READERS = /(?:Watch|View|Read|Listen)Action/;
const READERS_KEY = 'userInteractionCount';
/** Keys whose values may be drawn: an identifier within the page, or a token. */
const TOKEN_KEY = /^(?:@id|\w{0,24}(?:token|nonce|csrf|session_?id|request_?id))$/i;

export function dataMeaning(type: string, text: string): string {
  if (!JSON_LD.test(type)) return '';
  if (text.length > MAX_CHARS) return text;
  try {
    return write(JSON.parse(text), '', 0);
  } catch {
    return text.replace(/\s+/g, ' ').trim();
  }
}

class TooDeep extends Error {}

function write(value: unknown, key: string, depth: number): string {
  if (depth > MAX_DEPTH) throw new TooDeep();
  if (Array.isArray(value)) return `[${value.map((item) => write(item, key, depth + 1)).join()}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value)
      .filter(([name]) => name !== MODIFIED_KEY && !(name === READERS_KEY && countsReaders(value)))
      .sort(([one], [other]) => (one < other ? -1 : 1));
    return `{${fields.map(([name, item]) => `${JSON.stringify(name)}:${write(item, name, depth + 1)}`).join()}}`;
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  if (TOKEN_KEY.test(key)) {
    // `https://www.example.com/#9f86d081884c`: only the part behind the page may be drawn.
    const part = key === '@id' ? value.lastIndexOf('#') + 1 : 0;
    if (looksDrawn(value.slice(part))) return JSON.stringify(`${value.slice(0, part)}*`);
  }
  return JSON.stringify(value.replace(/\s+/g, ' ').trim());
}

function countsReaders(counter: object): boolean {
  const { interactionType } = counter as { readonly interactionType?: unknown };
  const type =
    typeof interactionType === 'object' && interactionType !== null
      ? (interactionType as { readonly '@type'?: unknown })['@type']
      : interactionType;
  return typeof type === 'string' && READERS.test(type);
}
