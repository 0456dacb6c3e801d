/**
 * Detects the language of a text. In: a text of at least about three words. Out: its language as a BCP 47 code, or null
 * if the text is too short or like none of the languages. Some scripts have one language only; Latin, Cyrillic and
 * Arabic texts are compared with the frequent groups of three letters of each language (trigram-models.ts). Costs are
 * logarithms of probabilities, so they can be added.
 */
import { inflateRawSync } from 'node:zlib';
import { SCRIPTS_OF_ONE_LANGUAGE, scriptOf } from './scripts.ts';
import { TRIGRAM_MODELS } from './trigram-models.ts';

/** The beginning of a text is enough. */
const MAX_CHARS = 2_000;
/** Longer words are identifiers and encoded data. */
const WORD = /[\p{L}\p{M}]{1,40}/gu;
const FIRST_COST = 'A'.charCodeAt(0);
/** In half bits, as all costs. The rarest groups of the models cost about 26. */
const UNSEEN_COST = 32;
/** If the groups of a text cost more on average, the text is in none of the languages. */
const MAX_MEAN_COST = 28;
/** How much less a group must cost on average in the detected language than in the declared one. */
const CLEAR_COST = 1.5;
const CLEAR_GROUPS = 60;

const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  latin: 'ca cs da de en es et fi fil fr hr hu id is it lt lv ms nb nl pl pt ro sk sl sv tr vi'.split(' '),
  cyrillic: 'be bg mk ru sr uk'.split(' '),
  arabic: 'ar fa ur'.split(' '),
};
/** Declared codes for which the model of another code stands. */
const SAME: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb', tl: 'fil', iw: 'he', in: 'id' };

interface Models {
  readonly languages: readonly string[];
  /** For each group of three letters the costs of all languages, in the order of `languages`. */
  readonly costs: ReadonlyMap<string, Uint8Array>;
}

let models: Models | null = null;

export function detectLanguage(text: string): string | null {
  const sample = text.slice(0, MAX_CHARS);
  const script = scriptOf(sample);
  if (script === null || SCRIPTS_OF_ONE_LANGUAGE.has(script)) return script;
  const { best, mean } = compare(sample, script);
  return mean <= MAX_MEAN_COST ? best : null;
}

/** The declared language wins, unless the text is clearly in another language. Returns the primary code. */
export function languageOf(declared: string | null, text: string): string | null {
  const primary = /^\s*([a-z]{2,3})(?![a-z0-9])/i.exec(declared ?? '')?.[1]?.toLowerCase() ?? null;
  if (primary === null) return detectLanguage(text);
  const sample = text.slice(0, MAX_CHARS);
  const script = scriptOf(sample);
  const known = SAME[primary] ?? primary;
  if (script === null || script === known) return primary;
  const mayUse = SCRIPTS[script]?.includes(known) ?? false;
  if (!mayUse) {
    const ownScript = SCRIPTS_OF_ONE_LANGUAGE.has(known) || Object.values(SCRIPTS).some((all) => all.includes(known));
    // Serbian is written in both scripts. A language without a model is believed.
    if (!ownScript || known === 'sr') return primary;
    return sample.length >= CLEAR_GROUPS ? (detectLanguage(text) ?? primary) : primary;
  }
  const { best, mean, groups, meanOf } = compare(sample, script);
  const isClear = groups >= CLEAR_GROUPS && mean <= MAX_MEAN_COST && meanOf(known) - mean >= CLEAR_COST;
  return isClear ? best : primary;
}

interface Comparison {
  best: string | null;
  /** The mean cost of a group in the best language. */
  mean: number;
  groups: number;
  meanOf(language: string): number;
}

function compare(sample: string, script: string): Comparison {
  models ??= readModels();
  const { languages, costs } = models;
  const sums = new Float64Array(languages.length);
  let groups = 0;
  for (const [word] of sample.toLowerCase().normalize('NFC').matchAll(WORD)) {
    const padded = ` ${word} `;
    for (let at = 0; at + 3 <= padded.length; at++) {
      groups++;
      const row = costs.get(padded.slice(at, at + 3));
      for (let language = 0; language < sums.length; language++) {
        sums[language] = (sums[language] as number) + (row === undefined ? UNSEEN_COST : (row[language] as number));
      }
    }
  }
  const meanOf = (language: string): number => (sums[languages.indexOf(language)] as number) / groups;
  let best: string | null = null;
  let mean = Number.POSITIVE_INFINITY;
  for (const language of SCRIPTS[script] as readonly string[]) {
    if (meanOf(language) >= mean) continue;
    best = language;
    mean = meanOf(language);
  }
  return { best, mean, groups, meanOf };
}

function readModels(): Models {
  const lines = inflateRawSync(Buffer.from(TRIGRAM_MODELS, 'base64')).toString('utf8').split('\n');
  const languages = lines.map((line) => line.slice(0, line.indexOf('\t')));
  const costs = new Map<string, Uint8Array>();
  for (const [language, line] of lines.entries()) {
    for (let at = line.indexOf('\t') + 1; at + 4 <= line.length; at += 4) {
      // A copy, because a slice would keep the whole text in memory.
      const trigram = Buffer.from(line.slice(at, at + 3)).toString();
      const row = costs.get(trigram) ?? new Uint8Array(lines.length).fill(UNSEEN_COST);
      row[language] = line.charCodeAt(at + 3) - FIRST_COST;
      costs.set(trigram, row);
    }
  }
  return { languages, costs };
}
