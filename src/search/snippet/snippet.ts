/**
 * Chooses the passage of a page that shows best why it was found. In: the blocks of the page and the words of the
 * query. Out: a short text, and where the words are in it. The text is as on the page; whoever shows it makes it safe.
 */
import { analyzeText } from '../analysis/analyze.ts';
import type { SearchBlock } from '../search-page.ts';

export interface Snippet {
  readonly text: string;
  /** The words of the query in the text: their starts and ends, ascending, without overlaps. */
  readonly marks: readonly Mark[];
}

export interface Mark {
  readonly from: number;
  readonly to: number;
}

/** A word of the query. */
export interface WantedWord {
  readonly terms: ReadonlySet<string>;
  readonly rarity: number;
}

interface Match extends Mark {
  /** The index of the word in the query. */
  readonly word: number;
}

const SNIPPET_CHARS = 240;
/** So much text stands before the first word, if the block has it. */
const LEAD_CHARS = 60;
/** Longer pages have their best passage early. */
const MAX_CHARS = 400_000;
/** A passage of the template is shown only if no other has a word. */
const TEMPLATE_SHARE = 0.1;
const REPEATED_SHARE = 0.1;

export function makeSnippet(blocks: readonly SearchBlock[], words: readonly WantedWord[]): Snippet {
  let best = { value: 0, text: '', matches: [] as readonly Match[], from: 0 };
  let chars = 0;
  for (const { text, role } of blocks) {
    if (chars > MAX_CHARS) break;
    chars += text.length;
    const matches = matchesIn(text, words);
    for (let first = 0; first < matches.length; first++) {
      const value = passageValue(matches, first, words) * (role === 'template' ? TEMPLATE_SHARE : 1);
      if (value > best.value) best = { value, text, matches, from: matches[first]!.from };
    }
  }
  if (best.value === 0) return beginning(blocks);
  return cut(best.text, Math.max(0, best.from - LEAD_CHARS), best.matches);
}

/** The value of a passage that begins with a match: each word counts once, and a little for each repetition. */
function passageValue(matches: readonly Match[], first: number, words: readonly WantedWord[]): number {
  const end = matches[first]!.from + SNIPPET_CHARS - LEAD_CHARS;
  const seen = new Set<number>();
  let value = 0;
  for (let i = first; i < matches.length && matches[i]!.to <= end; i++) {
    const { word } = matches[i]!;
    value += (0.1 + words[word]!.rarity) * (seen.has(word) ? REPEATED_SHARE : 1);
    seen.add(word);
  }
  return value;
}

/** Without a match, the page is shown by its first text. */
function beginning(blocks: readonly SearchBlock[]): Snippet {
  const first = blocks.find(({ role, text }) => role === 'text' && text.length > LEAD_CHARS) ?? blocks[0];
  return first === undefined ? { text: '', marks: [] } : cut(first.text, 0, []);
}

/** Cuts at spaces where there are any. */
function cut(text: string, wantedFrom: number, matches: readonly Match[]): Snippet {
  const from = wantedFrom === 0 ? 0 : boundaryAt(text, wantedFrom);
  const wantedTo = Math.min(text.length, from + SNIPPET_CHARS);
  const lastSpace = text.lastIndexOf(' ', wantedTo);
  const to = wantedTo === text.length ? wantedTo : lastSpace > from + LEAD_CHARS ? lastSpace : wholeAt(text, wantedTo);
  const before = from > 0 ? '… ' : '';
  const shift = before.length - from;
  const inside = matches.filter((match) => match.from >= from && match.to <= to);
  return {
    text: `${before}${text.slice(from, to)}${to < text.length ? ' …' : ''}`,
    marks: inside.map((match) => ({ from: match.from + shift, to: match.to + shift })),
  };
}

/** The start of the next word, if it is near. */
function boundaryAt(text: string, at: number): number {
  const space = text.indexOf(' ', at);
  return space >= 0 && space - at < LEAD_CHARS / 2 ? space + 1 : wholeAt(text, at);
}

/** Does not cut a character of two units. */
function wholeAt(text: string, at: number): number {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at + 1 : at;
}

/** A part of a text without white space: a word, several words joined by signs, or a whole sentence in Chinese. */
const CHUNK = /\S+/g;
const MAX_CHUNK_CHARS = 2_000;
const EDGES = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

function matchesIn(text: string, words: readonly WantedWord[]): Match[] {
  const matches: Match[] = [];
  for (const { 0: chunk, index } of text.matchAll(CHUNK)) {
    const terms = termsOf(chunk.slice(0, MAX_CHUNK_CHARS));
    const word = words.findIndex((one) => terms.some((term) => one.terms.has(term)));
    if (word < 0) continue;
    const isUnspaced = UNSPACED.test(chunk);
    if (isUnspaced) matches.push(...matchesInside(chunk, index, words));
    else {
      const bare = chunk.replace(EDGES, '');
      const from = index + Math.max(0, chunk.indexOf(bare));
      matches.push({ from, to: from + bare.length, word });
    }
  }
  return matches;
}

/** Scripts that are written without spaces. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** The places of the terms in a text without spaces. Neighbouring places are joined. */
function matchesInside(chunk: string, start: number, words: readonly WantedWord[]): Match[] {
  const found: Match[] = [];
  const folded = chunk.toLowerCase();
  for (const [word, { terms }] of words.entries()) {
    for (const term of terms) {
      for (let at = folded.indexOf(term); at >= 0; at = folded.indexOf(term, at + 1)) {
        found.push({ from: start + at, to: start + at + term.length, word });
      }
    }
  }
  found.sort((a, b) => a.from - b.from || b.to - a.to);
  const joined: Match[] = [];
  for (const match of found) {
    const last = joined.at(-1);
    if (last === undefined || match.from > last.to) joined.push(match);
    else if (match.to > last.to) joined[joined.length - 1] = { ...last, to: match.to };
  }
  return joined;
}

function termsOf(chunk: string): string[] {
  const terms: string[] = [];
  analyzeText(chunk, 0, (term) => void terms.push(term));
  return terms;
}
