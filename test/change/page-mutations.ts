/**
 * Changes that the codes of the papers miss, or nearly miss. Each function takes a page and returns one that differs in
 * a single thing, or null if it found nothing to change.
 */
import { randomBlock } from '../page/random-page.ts';

type Random = () => number;

/** A page in pieces: its blocks, and the positions of its texts and attribute values. */
export interface MutablePage {
  readonly html: string;
  readonly blocks: readonly string[];
  /** Start and end of each text of two characters or more. */
  readonly texts: readonly (readonly [number, number])[];
  readonly values: readonly (readonly [number, number])[];
}

const below = (random: Random, limit: number): number => Math.floor(random() * limit);
const pick = <T>(random: Random, list: readonly T[]): T => list[below(random, list.length)] as T;

/** At most two nested blocks: then a million small pages take the time of a few thousand large ones. */
const BLOCK_DEPTH = 2;

export function mutablePage(random: Random): MutablePage {
  const blocks = ['<table><tr><td>$126</td><td><span>a</span><code>b</code></td></tr></table>'];
  for (let count = below(random, 2); count >= 0; count--) blocks.push(randomBlock(random, BLOCK_DEPTH));
  const html = `<!doctype html><title>t</title><main>${blocks.join('')}<img src="/a.png" alt="a"></main>`;
  const texts = rangesOf(html, /(?<=>)[^<]{2,}/g);
  return { html, blocks, texts, values: rangesOf(html, /(?<==")[^"]+/g) };
}

function rangesOf(html: string, pattern: RegExp): [number, number][] {
  return Array.from(html.matchAll(pattern), ({ index, 0: found }) => [index, index + found.length]);
}

export const MUTATIONS: Readonly<Record<string, (page: MutablePage, random: Random) => string | null>> = {
  'letters permuted': ({ html, texts }, random) => {
    const [start, end] = pick(random, texts);
    const one = start + below(random, end - start);
    const other = start + below(random, end - start);
    if (html[one] === html[other]) return null;
    return replaceTwo(html, one, html[other] as string, other, html[one] as string);
  },
  'equal sums of characters': ({ html, texts }, random) => {
    const [start, end] = pick(random, texts);
    const one = start + below(random, end - start);
    const other = start + below(random, end - start);
    if (one === other || !isInner(html[one] as string) || !isInner(html[other] as string)) return null;
    return replaceTwo(html, one, shift(html[one] as string, 1), other, shift(html[other] as string, -1));
  },
  'tags with the same first and last letter': ({ html }, random) => {
    const [from, to] = pick(random, SAME_LETTERS);
    const open = html.indexOf(`<${from}`);
    const close = html.lastIndexOf(`</${from}>`);
    if (open < 0 || html.indexOf(`<${from}`, open + 1) >= 0) return null;
    return `${html.slice(0, open)}<${to}${html.slice(open + 1 + from.length, close)}</${to}>${html.slice(close + from.length + 3)}`;
  },
  'an attribute': ({ html, values }, random) => {
    const [start, end] = pick(random, values);
    const at = start + below(random, end - start);
    const letter = String.fromCharCode(97 + below(random, 26));
    return html[at] === letter ? null : html.slice(0, at) + letter + html.slice(at + 1);
  },
  'a node moved on its level': ({ html, blocks }, random) => {
    const at = below(random, blocks.length - 1);
    const moved = [...blocks];
    [moved[at], moved[at + 1]] = [moved[at + 1] as string, moved[at] as string];
    const after = html.replace(blocks.join(''), () => moved.join(''));
    return after === html ? null : after;
  },
  'one space': ({ html, texts }, random) => {
    const [start, end] = pick(random, texts);
    const at = start + below(random, end - start + 1);
    return `${html.slice(0, at)} ${html.slice(at)}`;
  },
};

const SAME_LETTERS = [
  ['td', 'thead'],
  ['span', 'section'],
  ['code', 'cite'],
  ['article', 'aside'],
  ['figure', 'frame-e'],
  ['em', 'e-m'],
] as const;

function isInner(letter: string): boolean {
  return letter > 'a' && letter < 'z';
}

function shift(letter: string, by: number): string {
  return String.fromCharCode(letter.charCodeAt(0) + by);
}

function replaceTwo(text: string, one: number, forOne: string, other: number, forOther: string): string {
  const [low, high] = one < other ? [one, other] : [other, one];
  const [forLow, forHigh] = one < other ? [forOne, forOther] : [forOther, forOne];
  return text.slice(0, low) + forLow + text.slice(low + 1, high) + forHigh + text.slice(high + 1);
}
