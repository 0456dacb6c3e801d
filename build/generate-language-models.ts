/**
 * Generates src/page/encoding/detect/language-models.ts, from which the encoding of undeclared pages is guessed. In: a
 * folder with one file per language, `<language>.tsv`, with a word and its count per line. Out: how often one letter
 * follows another in each language, and the most frequent characters of Chinese, Japanese and Korean.
 *
 * Run it with `node build/generate-language-models.ts <folder>`, then `npm run format`. The committed models come from
 * the word frequencies of the Python package `wordfreq` (first 60,000 words of each language; traditional Chinese by
 * its table of characters), for Thai from `pythainlp`, and for Estonian, Belarusian and Serbian from the translated
 * messages of Debian packages, which also give a half of the German words (`wordfreq` has no ß). Before the run, words
 * were written as old encodings write them: Greek with a final ς, Romanian with cedillas, Persian with ي, and
 * Vietnamese with tones as separate marks where windows-1258 has no letter. Only counts of letters are taken from the
 * lists.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';

const OUT = join(import.meta.dirname, '..', 'src', 'page', 'encoding', 'detect', 'language-models.ts');

const LATIN = 'ca cs da de en es et fi fr hr hu is it lt lv nb nl pl pt ro sk sl sv tr vi'.split(' ');
const OTHER = 'ru uk bg mk be sr el he ar fa th'.split(' ');
const IDEOGRAPHIC = 'ja zh zh-Hant ko'.split(' ');

/** Languages that write no spaces between words. */
const UNSPACED = new Set(['th']);
/** The share of the word ends at which such a language has a space. */
const SPACE_SHARE = 0.15;
const MIN_LETTER_SHARE = 2e-5;
/** Costs are in units of 0.8 bits, so that they fit into four bits. */
const UNITS_PER_BIT = 1.25;
const MAX_COST = 15;
/** How many characters each band has, from the most frequent character on. */
const BANDS = [24, 72, 160, 256];
const LINE = 100;

const folder = process.argv[2];
if (folder === undefined) throw new Error('Give the folder with the word lists.');

function wordsOf(language: string): [string, number][] {
  const lines = readFileSync(join(folder as string, `${language}.tsv`), 'utf8').split('\n');
  return lines
    .filter((line) => line.includes('\t'))
    .map((line) => line.split('\t') as [string, string])
    .map(([word, count]) => [word.toLowerCase(), Number(count)]);
}

/** The characters outside ASCII, the most frequent first, and their share of all characters. */
function charactersOf(words: readonly [string, number][]): [string, number][] {
  const counts = new Map<string, number>();
  let all = 0;
  for (const [word, count] of words) {
    for (const character of word) {
      counts.set(character, (counts.get(character) ?? 0) + count);
      all += count;
    }
  }
  return [...counts]
    .filter(([character]) => character > '\x7f')
    .map(([character, count]): [string, number] => [character, count / all])
    .sort((left, right) => right[1] - left[1]);
}

const costOf = (share: number, max: number): number => Math.min(max, Math.round(-Math.log2(share) * UNITS_PER_BIT));

/** Class 0 is whatever ends a word, then come the letters of ASCII (26 classes, or one), then `letters`. */
function pairCosts(words: readonly [string, number][], letters: string, isLatin: boolean, unspaced: boolean): number[] {
  const asciiClasses = isLatin ? 26 : 1;
  const size = 1 + asciiClasses + letters.length;
  const counts = new Float64Array(size * size);
  const firsts = new Float64Array(size);
  const lasts = new Float64Array(size);
  const classOf = (letter: string): number => {
    if (letter >= 'a' && letter <= 'z') return isLatin ? letter.charCodeAt(0) - 96 : 1;
    const at = letters.indexOf(letter);
    return at < 0 ? 0 : 1 + asciiClasses + at;
  };
  const add = (from: number, to: number, count: number): void => {
    counts[from * size + to] = (counts[from * size + to] as number) + count;
  };
  for (const [word, count] of words) {
    let before = 0;
    for (const [at, letter] of [...word].entries()) {
      const now = classOf(letter);
      if (at > 0 || !unspaced) add(before, now, count);
      else firsts[now] = (firsts[now] as number) + count;
      before = now;
    }
    if (unspaced) lasts[before] = (lasts[before] as number) + count;
    else add(before, 0, count);
  }
  if (unspaced) {
    const all = firsts.reduce((sum, count) => sum + count, 0);
    for (let from = 0; from < size; from++) {
      add(from, 0, (lasts[from] as number) * SPACE_SHARE);
      add(0, from, (firsts[from] as number) * SPACE_SHARE);
      for (let to = 0; to < size; to++)
        add(from, to, ((lasts[from] as number) * (firsts[to] as number) * (1 - SPACE_SHARE)) / all);
    }
  }
  const costs: number[] = [];
  for (let from = 0; from < size; from++) {
    const all = counts.subarray(from * size, (from + 1) * size).reduce((sum, count) => sum + count, 0);
    for (let to = 0; to < size; to++) {
      // Pairs of ASCII bytes are never scored.
      if (from <= asciiClasses && to <= asciiClasses) costs.push(3);
      else costs.push(costOf((counts[from * size + to] as number) / all || 0, MAX_COST));
    }
  }
  return costs;
}

function writtenText(text: string): string {
  const quoted = Array.from({ length: Math.ceil(text.length / LINE) }, (_, at) =>
    JSON.stringify(text.slice(at * LINE, (at + 1) * LINE)),
  );
  return quoted.join(' +\n  ');
}

const models: string[] = [];
const costs: number[] = [];
for (const [languages, isLatin] of [
  [LATIN, true],
  [OTHER, false],
] as const) {
  for (const language of languages) {
    const words = wordsOf(language);
    const letters = charactersOf(words).filter(
      ([letter, share]) => /(?![ªº])[\p{L}\p{M}]/u.test(letter) && share >= MIN_LETTER_SHARE,
    );
    const kept = letters
      .map(([letter]) => letter)
      .sort()
      .join('');
    models.push(`  [${JSON.stringify(language)}, ${isLatin}, ${JSON.stringify(kept)}],`);
    costs.push(...pairCosts(words, kept, isLatin, UNSPACED.has(language)));
  }
}
if (costs.length % 2 === 1) costs.push(0);
const packed = Buffer.from(
  Array.from({ length: costs.length / 2 }, (_, at) => ((costs[2 * at] as number) << 4) | (costs[2 * at + 1] as number)),
);

const ideographic = IDEOGRAPHIC.map((language) => {
  const characters = charactersOf(wordsOf(language));
  const bands: string[] = [];
  let from = 0;
  for (const size of BANDS) {
    const band = characters.slice(from, from + size);
    const share = band.reduce((sum, [, each]) => sum + each, 0) / size;
    bands.push(`    [${costOf(share, 99)}, ${writtenText(band.map(([character]) => character).join(''))}],`);
    from += size;
  }
  const rest = characters.slice(from).reduce((sum, [, each]) => sum + each, 0);
  return `  ${JSON.stringify(language)}: [\n${bands.join('\n')}\n  ], // ${(rest * 100).toFixed(0)} % of a text are other characters`;
});

writeFileSync(
  OUT,
  `/** Generated by build/generate-language-models.ts, which describes the content. */

/** Language, whether its letters are Latin, and its letters outside ASCII. */
export const MODELS: readonly (readonly [language: string, isLatin: boolean, letters: string])[] = [
${models.join('\n')}
];

/** The cost of each pair of letter classes, in the order of MODELS: four bits each, deflated, as Base64. */
export const PAIR_COSTS =
  ${writtenText(deflateRawSync(packed, { level: 9 }).toString('base64'))};

/** Bands of characters of equal cost, the most frequent characters first. */
export const CHARACTERS: Readonly<Record<string, readonly (readonly [cost: number, characters: string])[]>> = {
${ideographic.join('\n')}
};
`,
);
