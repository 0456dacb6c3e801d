/**
 * The words of the test web: twenty topics, each with its own vocabulary, and one common vocabulary. All words are
 * seeded pseudo-words, except the four words that a user would ask for. A page mixes common words, words of its topic
 * and words of other topics.
 *
 * The noise levels below were chosen before any method was tried on this web and have not been changed since. Each
 * comment gives the reason.
 */
import { type Random, randomBelow, seededRandom } from '../../testbed/random.ts';

/**
 * With this number each topic has a twentieth of the pages: 5 % are on topic, and every other page has a topic, too.
 */
export const TOPIC_COUNT = 20;
/** The wanted topic. */
export const WANTED = 0;
/**
 * The words that a user would type: a tenth of the real words of the topic, so the crawler does not know
 * most of its vocabulary.
 */
export const WANTED_WORDS = 'spider silk, orb web';

const WANTED_PHRASES = [
  ['spider', 'silk'],
  ['orb', 'web'],
] as const;
const TOPIC_VOCABULARY = 40;
const COMMON_VOCABULARY = 4_000;
/** `web` is also an everyday word: about a quarter of all pages contain it. */
const EVERYDAY_RANK = 100;
/**
 * The nearest other topic (for example insects) shares these ranks of its vocabulary with the
 * wanted topic, including `spider`.
 */
const NEIGHBOUR = 1;
const SHARED_RANKS = [5, 9, 14, 20, 27, 33] as const;

const MIN_TEXT_WORDS = 120;
const MAX_TEXT_WORDS = 400;
/** Share of the topic's words on a page: from pages that only mention the topic to pages about little else. */
const MIN_TOPIC_SHARE = 0.02;
const MAX_TOPIC_SHARE = 0.12;
/** Share of words of any other topic: asides, advertisements, comments. */
const STRAY_SHARE = 0.02;
/** Probability that a wanted word comes with its whole phrase. */
const PHRASE_CHANCE = 0.5;
/** Titles are written so that people find the page: half of their words are of the topic. */
const TITLE_TOPIC_SHARE = 0.5;

const SYLLABLES = [
  'ba',
  'ke',
  'lo',
  'mi',
  'nu',
  'ra',
  'se',
  'to',
  'vi',
  'du',
  'fa',
  'ge',
  'po',
  'li',
  'zu',
  'ne',
] as const;

export class PageWords {
  readonly #seed: number;
  readonly #common: readonly string[];
  readonly #topics: readonly (readonly string[])[];

  constructor(seed: number) {
    this.#seed = seed;
    const order = seededRandom(seed, 11);
    const numbers = Array.from({ length: COMMON_VOCABULARY + TOPIC_COUNT * TOPIC_VOCABULARY }, (_, i) => i);
    shuffle(numbers, order);
    const common = numbers.splice(0, COMMON_VOCABULARY).map(spell);
    common[EVERYDAY_RANK] = 'web';
    this.#common = common;
    const topics = Array.from({ length: TOPIC_COUNT }, () => numbers.splice(0, TOPIC_VOCABULARY).map(spell));
    for (const [rank, word] of WANTED_PHRASES.flat().entries()) topics[WANTED]![rank] = word;
    for (const [i, rank] of SHARED_RANKS.entries()) topics[NEIGHBOUR]![rank] = topics[WANTED]![i === 0 ? 0 : rank]!;
    this.#topics = topics;
  }

  text(page: number, topic: number): string {
    const random = seededRandom(this.#seed, 12, page);
    const length = MIN_TEXT_WORDS + randomBelow(random, MAX_TEXT_WORDS - MIN_TEXT_WORDS);
    const topicShare = MIN_TOPIC_SHARE + random() * (MAX_TOPIC_SHARE - MIN_TOPIC_SHARE);
    const words = [this.title(page, topic)];
    for (let i = 0; i < length; i++) {
      const chance = random();
      if (chance < topicShare) words.push(this.#topicWords(random, topic));
      else if (chance < topicShare + STRAY_SHARE) words.push(this.topicWord(random, randomBelow(random, TOPIC_COUNT)));
      else words.push(this.commonWord(random));
    }
    return words.join(' ');
  }

  /** Returns three to five words. Links and URLs of the page take their words from the title. */
  title(page: number, topic: number): string {
    const random = seededRandom(this.#seed, 13, page);
    return Array.from({ length: 3 + randomBelow(random, 3) }, () =>
      random() < TITLE_TOPIC_SHARE ? this.topicWord(random, topic) : this.commonWord(random),
    ).join(' ');
  }

  commonWord(random: Random): string {
    return skewedPick(this.#common, random);
  }

  topicWord(random: Random, topic: number): string {
    return skewedPick(this.#topics[topic]!, random);
  }

  #topicWords(random: Random, topic: number): string {
    const word = this.topicWord(random, topic);
    const phrase = topic === WANTED && WANTED_PHRASES.find((each) => (each as readonly string[]).includes(word));
    return phrase && random() < PHRASE_CHANCE ? phrase.join(' ') : word;
  }
}

/** The probability of a rank is about one over the rank, as in a natural language. */
export function skewedPick<T>(list: ArrayLike<T>, random: Random): T {
  return list[Math.floor(Math.exp(random() * Math.log(list.length + 1))) - 1]!;
}

export function shuffle(numbers: number[], random: Random): void {
  for (let i = numbers.length - 1; i > 0; i--) {
    const j = randomBelow(random, i + 1);
    [numbers[i], numbers[j]] = [numbers[j]!, numbers[i]!];
  }
}

function spell(number: number): string {
  let word = '';
  for (let rest = number, i = 0; i < 4; i++, rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length];
  }
  return word;
}
