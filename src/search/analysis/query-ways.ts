/** Combines the readings of the words of a query into sequences of terms. */
import type { Compound } from './compound.ts';

export interface QueryWay {
  readonly terms: readonly { readonly term: string; readonly offset: number }[];
}

/** One way to read a word, and the number of positions that it takes then. */
export interface Reading extends QueryWay {
  readonly length: number;
}

/** Further ways of a phrase are left out, except for the first and the last. */
const MAX_WAYS = 8;

/** The last reading is that of a text which is written like the query. */
export function readingsOf(compound: Compound): Reading[] {
  // Without its symbols C++ would be C.
  if (compound.marked !== null) {
    return [{ terms: [{ term: compound.marked, offset: 0 }], length: compound.length }];
  }
  const readings: Reading[] = [];
  if (compound.whole !== null) readings.push({ terms: [{ term: compound.whole, offset: 0 }], length: 1 });
  if (compound.segments.some(({ parts }) => parts.length > 0)) {
    readings.push(
      phraseOf(
        compound.segments.map(({ term }) => term),
        compound.segments.length,
      ),
    );
  }
  const parts = compound.segments.flatMap<string | null>(({ term, parts }) => (parts.length > 0 ? parts : term));
  readings.push(phraseOf(parts, compound.length));
  return readings;
}

/** Every second pair is enough, because the positions say that the pairs are neighbours. */
export function runReading(characters: readonly string[]): Reading {
  const last = characters.length - 2;
  if (last < 0) return phraseOf(characters, characters.length);
  const terms: { term: string; offset: number }[] = [];
  const add = (at: number) => terms.push({ term: `${characters[at]}${characters[at + 1]}`, offset: at });
  for (let at = 0; at <= last; at += 2) add(at);
  if (last % 2 === 1) add(last);
  return { terms, length: characters.length };
}

export function combineReadings(words: readonly (readonly Reading[])[]): QueryWay[] {
  const count = words.reduce((product, readings) => product * readings.length, 1);
  let ways: Reading[] = [{ terms: [], length: 0 }];
  if (count <= MAX_WAYS) {
    for (const readings of words) ways = ways.flatMap((way) => readings.map((reading) => join(way, reading)));
  } else {
    const first = words.map((readings) => readings[0] as Reading);
    const last = words.map((readings) => readings.at(-1) as Reading);
    ways = [joinAll(first), joinAll(last)];
  }
  return ways.filter(({ terms }) => terms.length > 0).map(({ terms }) => ({ terms }));
}

function join(before: Reading, after: Reading): Reading {
  return joinAll([before, after]);
}

function joinAll(readings: readonly Reading[]): Reading {
  const terms: { term: string; offset: number }[] = [];
  let length = 0;
  for (const reading of readings) {
    for (const { term, offset } of reading.terms) terms.push({ term, offset: offset + length });
    length += reading.length;
  }
  return { terms, length };
}

function phraseOf(terms: readonly (string | null)[], length: number): Reading {
  const known = terms.map((term, offset) => ({ term, offset }));
  return { terms: known.filter((one): one is { term: string; offset: number } => one.term !== null), length };
}
