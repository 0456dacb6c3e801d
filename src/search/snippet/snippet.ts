/**
 * Chooses the passage of a page that shows best why it was found. In: the blocks of the page and the words of the
 * query. Out: a short text, and where the words are in it. The text is as on the page; whoever shows it makes it safe.
 */
import { analyzeText } from '../analysis/analyze.ts';
import type { Phrase } from '../evaluate/compiled-query.ts';
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
  /** As it was written. */
  readonly text: string;
  readonly terms: ReadonlySet<string>;
  /** Only the whole sequence counts. */
  readonly phrases: readonly Phrase[];
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
/** A heading or a link says no more than the title. */
const SHORT_SHARE = 0.5;
const REPEATED_SHARE = 0.1;

export function makeSnippet(blocks: readonly SearchBlock[], words: readonly WantedWord[]): Snippet {
  let best = { value: 0, text: '', matches: [] as readonly Match[], from: 0 };
  let chars = 0;
  for (const { text, role } of blocks) {
    if (chars > MAX_CHARS) break;
    chars += text.length;
    const matches = matchesIn(text, words);
    const share = role === 'template' ? TEMPLATE_SHARE : text.length < LEAD_CHARS ? SHORT_SHARE : 1;
    for (let first = 0; first < matches.length; first++) {
      const value = passageValue(matches, first, words) * share;
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
const IN_WORD = /[\p{L}\p{N}]/u;

/** A chunk of the text without the signs around it, and its terms by their positions. */
interface ReadChunk extends Mark {
  readonly terms: ReadonlyMap<number, readonly string[]>;
}

function matchesIn(text: string, words: readonly WantedWord[]): Match[] {
  const chunks: ReadChunk[] = [];
  const chunkAt: ReadChunk[] = [];
  const found: Match[] = [];
  let position = 0;
  for (const { 0: chunk, index } of text.matchAll(CHUNK)) {
    const terms = new Map<number, string[]>();
    position = analyzeText(chunk.slice(0, MAX_CHUNK_CHARS), position, (term, at) => {
      const known = terms.get(at);
      if (known === undefined) terms.set(at, [term]);
      else known.push(term);
    });
    if (UNSPACED.test(chunk)) {
      found.push(...matchesInside(chunk, index, words));
      continue;
    }
    const bare = withoutEdges(chunk.slice(0, MAX_CHUNK_CHARS));
    const read = { from: index + bare.from, to: index + bare.to, terms };
    chunks.push(read);
    for (const at of terms.keys()) chunkAt[at] = read;
  }
  for (const { from, to, terms } of chunks) {
    for (const [at, ofPosition] of terms) {
      for (const [word, wanted] of words.entries()) {
        if (ofPosition.some((term) => wanted.terms.has(term))) found.push(narrowed(text, { from, to, word }, wanted));
        for (const phrase of wanted.phrases) {
          const last = lastOfPhrase(phrase, at, chunkAt);
          if (last !== null) found.push(narrowed(text, { from, to: last.to, word }, wanted));
        }
      }
    }
  }
  return withoutOverlaps(found);
}

/** The chunk with the last term of a phrase that begins at this position; null if the phrase is not there. */
function lastOfPhrase(phrase: Phrase, start: number, chunkAt: readonly ReadChunk[]): ReadChunk | null {
  const first = phrase[0]?.offset ?? 0;
  let last: ReadChunk | null = null;
  for (const { terms, offset } of phrase) {
    const at = start + offset - first;
    const there = chunkAt[at];
    if (there?.terms.get(at)?.some((term) => terms.includes(term)) !== true) return null;
    last = there;
  }
  return last;
}

/** In `numbers.push_back(3)`, only the word as it was written is marked. */
function narrowed(text: string, match: Match, { text: written }: WantedWord): Match {
  const at = text.slice(match.from, match.to).toLowerCase().indexOf(written.toLowerCase());
  if (at < 0) return match;
  return { ...match, from: match.from + at, to: match.from + at + written.length };
}

/** The first and longest of matches that overlap stays. */
function withoutOverlaps(found: Match[]): Match[] {
  found.sort((a, b) => a.from - b.from || b.to - a.to);
  let end = 0;
  return found.filter(({ from, to }) => {
    if (from < end) return false;
    end = to;
    return true;
  });
}

/** The part of a chunk from its first letter or digit to its last one; the whole chunk if it has none. */
function withoutEdges(chunk: string): Mark {
  const characters = [...chunk];
  const first = characters.findIndex((character) => IN_WORD.test(character));
  if (first < 0) return { from: 0, to: chunk.length };
  const last = characters.findLastIndex((character) => IN_WORD.test(character));
  const lengthOf = (some: readonly string[]) => some.join('').length;
  return { from: lengthOf(characters.slice(0, first)), to: lengthOf(characters.slice(0, last + 1)) };
}

/** Scripts that are written without spaces. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** The places of the terms in a text without spaces. Neighbouring places are joined. */
function matchesInside(chunk: string, start: number, words: readonly WantedWord[]): Match[] {
  const found: Match[] = [];
  const folded = chunk.toLowerCase();
  for (const [word, { terms, phrases }] of words.entries()) {
    const inPhrases = phrases.flat().flatMap((part) => part.terms);
    for (const term of new Set([...terms, ...inPhrases])) {
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
