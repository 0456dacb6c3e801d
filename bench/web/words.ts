/** Pseudo-words: text that looks, compresses and tokenises like prose, but contains no real author's text. */
import { type Random, randomBelow, seededRandom } from '../../testbed/random.ts';

const ONSETS = [
  'b',
  'br',
  'c',
  'd',
  'dr',
  'f',
  'g',
  'gl',
  'h',
  'k',
  'l',
  'm',
  'n',
  'p',
  'pr',
  'r',
  's',
  'st',
  't',
  'v',
];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ai', 'ea', 'ou', 'é', 'ö'];
const CODAS = ['', '', '', 'n', 'r', 's', 'l', 't', 'nd', 'st'];
/** About one word in twelve has non-ASCII letters, so that UTF-8 decoding is exercised but ASCII stays the rule. */
const PLAIN_VOWEL_COUNT = 8;
const VOCABULARY_SIZE = 6_000;

export class Words {
  readonly #vocabulary: readonly string[];

  constructor(seed: number) {
    const random = seededRandom(seed, 1);
    this.#vocabulary = Array.from({ length: VOCABULARY_SIZE }, () => makeWord(random));
  }

  /** Low ranks come far more often than high ranks, as in a natural language. */
  pick(random: Random): string {
    const skew = random();
    return this.#vocabulary[Math.floor(skew * skew * skew * VOCABULARY_SIZE)]!;
  }

  sentence(random: Random): string {
    const length = 6 + randomBelow(random, 14);
    let sentence = capitalise(this.pick(random));
    for (let position = 1; position < length; position++) {
      sentence += (position % 7 === 6 ? ', ' : ' ') + this.pick(random);
    }
    return `${sentence}.`;
  }

  title(random: Random): string {
    return capitalise(`${this.pick(random)} ${this.pick(random)} ${this.pick(random)}`);
  }

  /** Two words that fit into a path: ASCII letters only. */
  slug(random: Random): string {
    return `${this.pick(random)}-${this.pick(random)}`.replaceAll('é', 'e').replaceAll('ö', 'o');
  }
}

function makeWord(random: Random): string {
  const syllables = 1 + randomBelow(random, 3);
  let word = '';
  for (let count = 0; count < syllables; count++) {
    const vowels = randomBelow(random, 24) === 0 ? VOWELS.length : PLAIN_VOWEL_COUNT;
    word += ONSETS[randomBelow(random, ONSETS.length)]! + VOWELS[randomBelow(random, vowels)]!;
  }
  return word + CODAS[randomBelow(random, CODAS.length)]!;
}

function capitalise(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}
