/** Reads the prefixes that an attribute `prefix` declares: `og: http://ogp.me/ns# my: http://my.example/`. */
import { splitWords } from './structured-item.ts';

/** The prefixes in lower case, with their addresses. Words that are no pair are left out. */
export function readPrefixList(text: string | null): [prefix: string, address: string][] {
  const words = splitWords(text);
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < words.length; at++) {
    const prefix = words[at] as string;
    if (!prefix.endsWith(':')) continue;
    pairs.push([prefix.slice(0, -1).toLowerCase(), words[at + 1] as string]);
    at++;
  }
  return pairs;
}
