/**
 * Changes that the codes of the papers miss, or nearly miss. Each function takes a page and returns one that differs in
 * a single thing, or null if it found nothing to change.
 */
import type { ChangeLevel } from '../../src/core/page/change-class.ts';
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

/** Behind the content, so that the positions of texts and values are in the content. */
const UNSEEN = `<style>p{margin:1234px}</style><script>let state=1234</script>
<script type="application/ld+json">{"name":"tea","price":1234}</script><meta name="generator" content="v1234">
<i data-state="1234"></i><input type="hidden" name="v" value="1234">`;

/** At most two nested blocks: then a million small pages take the time of a few thousand large ones. */
const BLOCK_DEPTH = 2;

export function mutablePage(random: Random): MutablePage {
  const blocks = ['<table><tr><td>$126</td><td><span>a</span><code>b</code></td></tr></table>'];
  for (let count = below(random, 2); count >= 0; count--) blocks.push(randomBlock(random, BLOCK_DEPTH));
  const seen = `<!doctype html><title>t</title><main>${blocks.join('')}<img src="/a.png" alt="a"></main>`;
  const texts = rangesOf(seen, /(?<=>)[^<]{2,}/g);
  return { html: seen + UNSEEN, blocks, texts, values: rangesOf(seen, /(?<==")[^"]+/g) };
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
  'an element around a block': ({ html, blocks }, random) => {
    const block = pick(random, blocks);
    return html.replace(block, () => `<div>${block}</div>`);
  },
  'a style sheet': ({ html }, random) => withNumber(html, 'margin:', random),
  'a script': ({ html }, random) => withNumber(html, 'state=', random),
  'state of a script': ({ html }, random) => withNumber(html, 'data-state="', random),
  'metadata without meaning': ({ html }, random) => withNumber(html, 'content="v', random),
  'a hidden field': ({ html }, random) => withNumber(html, 'value="', random),
  'structured data': ({ html }, random) => withNumber(html, '"price":', random),
  'the order of structured data': ({ html }) => html.replace('"name":"tea","price":1234', '"price":1234,"name":"tea"'),
};

/** Puts another number in the place of 1234. */
function withNumber(html: string, before: string, random: Random): string {
  return html.replace(`${before}1234`, `${before}${2_000 + below(random, 8_000)}`);
}

/** The level that each mutation has by its construction. `at` is the place of the first difference. */
const LEVELS: Readonly<Record<keyof typeof MUTATIONS, (html: string, at: number, after: string) => ChangeLevel>> = {
  'letters permuted': () => 'content',
  'equal sums of characters': () => 'content',
  // The words of the table cell stand on two lines if one of them is in a section.
  'tags with the same first and last letter': (_html, _at, after) =>
    after.includes('<section>a') ? 'content' : 'layout',
  'an attribute': (html, at) => (/(?:class|id)="[^"]*$/.test(html.slice(0, at + 1)) ? 'layout' : 'content'),
  'a node moved on its level': () => 'content',
  'one space': spaceLevel,
  'an element around a block': () => 'layout',
  'a style sheet': () => 'layout',
  'a script': () => 'hidden',
  'state of a script': () => 'hidden',
  'metadata without meaning': () => 'hidden',
  'a hidden field': () => 'hidden',
  'structured data': () => 'content',
  'the order of structured data': () => 'hidden',
};

/** A space is content between two letters, and anywhere in preformatted text. */
function spaceLevel(html: string, at: number): ChangeLevel {
  if (html.lastIndexOf('<pre', at - 1) > html.lastIndexOf('</pre', at - 1)) return 'content';
  return /[^\s<>]/.test(html[at - 1] as string) && /[^\s<>]/.test(html[at] as string) ? 'content' : 'layout';
}

export function levelOfMutation(kind: string, before: string, after: string): ChangeLevel {
  let at = 0;
  while (before[at] === after[at]) at++;
  return LEVELS[kind]!(before, at, after);
}

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
