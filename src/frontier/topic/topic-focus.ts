/**
 * Topic focus (P3): the relevance of a page from its title and text, and the expected relevance of a URL before it is
 * fetched.
 *
 * In: a topic, then the texts and links of pages as they are fetched. Out: numbers from 0 (unrelated) to 1. What always
 * holds: a number depends only on the topic, the input and the counts so far; memory is bounded for any input; time is
 * linear in the text. Each unit has a focus of its own.
 */
import { ON_TOPIC } from '../../core/on-topic.ts';
import { PageBag } from './page-bag.ts';
import type { Phrase, Topic } from './topic.ts';
import { WordFrequencies } from './word-frequencies.ts';
import { pairHash, WordScan } from './word-scan.ts';

export class TopicFocus {
  readonly #topic: Topic;
  readonly #table: FeatureTable;
  readonly #frequencies: WordFrequencies;
  readonly #scan = new WordScan();
  readonly #bag = new PageBag();
  /** The count of each feature on the page being judged, and the list of the features that occur. */
  readonly #times: Uint32Array;
  readonly #present: number[] = [];
  /**
   * The weight of each word times its rarity, divided by the greatest one. Pairs have a strength of 0: a pair that no
   * page has would be the rarest feature of all, and make its own words look common.
   */
  readonly #strengths: Float64Array;

  constructor(topic: Topic) {
    this.#topic = topic;
    this.#table = new FeatureTable(topic);
    this.#frequencies = new WordFrequencies(topic.hashes.length);
    this.#times = new Uint32Array(topic.hashes.length);
    this.#strengths = new Float64Array(topic.hashes.length);
    this.#weigh();
  }

  /**
   * Judges a page by the counts of the pages before it, then adds the page to the counts. The title closes its share of
   * the gap that the text leaves open. Examples have so many words that most titles would contain some of them.
   */
  judgePage({ title, text }: PageWords): number {
    this.#scan.readText(title);
    const ofTitle = this.#topic.phrases.length === 0 ? 0 : TITLE_WEIGHT * this.#evidence();
    this.#scan.readText(text);
    this.#bag.fill(this.#scan);
    this.#countFeatures();
    const relevance = 1 - (1 - ofTitle) * (1 - this.#textRelevance());
    this.#frequencies.learn(this.#bag, this.#present, relevance >= ON_TOPIC);
    this.#weigh();
    return relevance;
  }

  /** The relevance of a URL that is linked from a page whose trail (off-topic-trail.ts) passes on `inherited`. */
  judgeLink(link: LinkWords, inherited: number): number {
    const scan = this.#scan;
    scan.readText(link.anchor);
    const anchor = this.#evidence();
    const anchorSpeaks = this.#speaks();
    scan.readUrl(link.url, link.pathAt);
    const url = this.#evidence();
    let around = 0;
    if (link.around !== undefined) {
      scan.readText(link.around);
      around = this.#evidence();
    }
    return linkRelevance({ anchor, url, around, inherited, anchorSpeaks });
  }

  #countFeatures(): void {
    for (const feature of this.#present) this.#times[feature] = 0;
    this.#present.length = 0;
    const { hashes, count } = this.#scan;
    for (let i = 0; i < count; i++) {
      const feature = this.#table.find(hashes[i]!);
      if (feature !== NO_FEATURE) this.#countFeature(feature);
      if (i === 0 || !this.#topic.pairStarts.has(hashes[i - 1]!)) continue;
      const pair = this.#table.find(pairHash(hashes[i - 1]!, hashes[i]!));
      if (pair !== NO_FEATURE) this.#countFeature(pair);
    }
  }

  #countFeature(feature: number): void {
    if (this.#times[feature]!++ === 0) this.#present.push(feature);
  }

  #textRelevance(): number {
    if (this.#present.length === 0) return 0;
    const { phrases } = this.#topic;
    if (phrases.length === 0) return steep(this.#cosine() / HALF_COSINE);
    return 1 - phrases.reduce((open, phrase) => open * (1 - steep(this.#presenceOf(phrase) / HALF_PRESENCE)), 1);
  }

  /** The cosine of the tf-idf vectors of the page and the topic. */
  #cosine(): number {
    let product = 0;
    let squares = 0;
    let topicSquares = 0;
    for (const strength of this.#strengths) topicSquares += strength * strength;
    for (const feature of this.#present) {
      const weight = damped(this.#times[feature]!) * this.#frequencies.featureRarity(feature);
      product += weight * this.#strengths[feature]!;
      // The buckets below are not exact. For topic words the exact count is used here.
      squares += weight * weight;
    }
    const { hashes, times, count } = this.#bag;
    for (let i = 0; i < count; i++) {
      if (this.#table.find(hashes[i]!) !== NO_FEATURE) continue;
      const weight = damped(times[i]!) * this.#frequencies.rarity(hashes[i]!);
      squares += weight * weight;
    }
    return product === 0 ? 0 : product / Math.sqrt(squares * topicSquares);
  }

  /**
   * From 0 to 1: the mean presence of the words, weighted by their strengths. A pair closes its share of the gap that
   * the words leave open, so it can only add.
   */
  #presenceOf({ words, pairs }: Phrase): number {
    // With this number of mentions, half of the greatest presence is reached.
    const half = HALF_MENTIONS + this.#scan.count / WORDS_A_MENTION;
    let sum = 0;
    let whole = 0;
    for (const word of words) {
      const strength = this.#strengths[word]! ** 2;
      whole += strength;
      sum += (strength * this.#times[word]!) / (this.#times[word]! + half);
    }
    let mentions = 0;
    for (const pair of pairs) mentions += this.#times[pair]!;
    const open = (1 - sum / whole) * (1 - (PAIR_WEIGHT * mentions) / (mentions + half));
    return 1 - open;
  }

  /**
   * How certainly the last scanned words belong to the topic. Each word closes a share of the gap that is still open.
   */
  #evidence(): number {
    const { hashes, count } = this.#scan;
    let open = 1;
    for (let i = 0; i < count; i++) {
      const feature = this.#table.find(hashes[i]!);
      if (feature === NO_FEATURE) continue;
      open *= 1 - WORD_CERTAINTY * this.#strengths[feature]! ** 2;
    }
    return 1 - open;
  }

  /** True if at least one of the last scanned words is not common. */
  #speaks(): boolean {
    const { hashes, count } = this.#scan;
    for (let i = 0; i < count; i++) if (!this.#frequencies.isCommon(hashes[i]!)) return true;
    return false;
  }

  #weigh(): void {
    const strengths = this.#strengths;
    const { weights } = this.#topic;
    let greatest = Number.MIN_VALUE;
    for (let word = 0; word < weights.length; word++) {
      strengths[word] = weights[word]! * this.#frequencies.featureRarity(word);
      greatest = Math.max(greatest, strengths[word]!);
    }
    for (let word = 0; word < weights.length; word++) strengths[word]! /= greatest;
  }
}

export interface PageWords {
  readonly title: string;
  /** The own text of the page. Text that all pages of a site share says nothing about this page. */
  readonly text: string;
}

/** A ratio of 1 gives one half, and a mention in passing nearly nothing. */
function steep(ratio: number): number {
  const cube = ratio * ratio * ratio;
  return cube / (1 + cube);
}

function damped(times: number): number {
  return times === 1 ? 1 : 1 + Math.log(times);
}

/** Found by experiment (docs/topic.md): pages on topic lie well above these values, other pages well below. */
const HALF_PRESENCE = 0.3;
const HALF_COSINE = 0.2;
/** The title says what the page is about, in a few words. A word in it alone makes the page relevant. */
const TITLE_WEIGHT = 0.6;
/**
 * A word is half present with two mentions and one more for each 200 words of the page: a long page mentions many
 * things in passing.
 */
const HALF_MENTIONS = 2;
const WORDS_A_MENTION = 200;
/** The certainty that a phrase is meant if its words stand together. */
const PAIR_WEIGHT = 0.5;

/*
 * Maps the hash of a word to the number of a topic feature. It is asked for every word of every page and link, and
 * most words are not features.
 */

/** The table is so sparse that a word outside the topic nearly always meets a free slot at once. */
const SLOTS_A_FEATURE = 8;

const NO_FEATURE = -1;

class FeatureTable {
  readonly #mask: number;
  readonly #keys: Int32Array;
  /** The feature number plus one. 0 means that the slot is free. */
  readonly #features: Uint16Array;

  constructor({ hashes }: Topic) {
    const slots = 2 ** Math.ceil(Math.log2(hashes.length * SLOTS_A_FEATURE));
    this.#mask = slots - 1;
    this.#keys = new Int32Array(slots);
    this.#features = new Uint16Array(slots);
    for (const [feature, hash] of hashes.entries()) {
      let slot = hash & this.#mask;
      while (this.#features[slot] !== 0) slot = (slot + 1) & this.#mask;
      this.#keys[slot] = hash;
      this.#features[slot] = feature + 1;
    }
  }

  find(hash: number): number {
    let slot = hash & this.#mask;
    for (let feature = this.#features[slot]!; feature !== 0; feature = this.#features[slot]!) {
      if (this.#keys[slot] === hash) return feature - 1;
      slot = (slot + 1) & this.#mask;
    }
    return NO_FEATURE;
  }
}

/**
 * The relevance of a URL before it is fetched, from the words of its link and the place of the link. Each source gives
 * a number from 0 to 1 and closes its share of the gap that is still open. One clear word is therefore enough, and a
 * silent source costs nothing: many links say “read more”, and many URLs are numbers.
 *
 * The weights follow measurements on the test web: how often links of each kind led to pages on topic (docs/topic.md).
 */
interface LinkWords {
  /** The URL in normal form. */
  readonly url: string;
  /** Offset of the path in the URL. The host name is skipped because all pages of the host share it. */
  readonly pathAt: number;
  readonly anchor: string;
  /** The words before and after the link, if they are known. */
  readonly around?: string;
}

interface LinkEvidence {
  /** How certainly the words of each source belong to the topic, from 0 to 1. */
  readonly anchor: number;
  readonly url: number;
  readonly around: number;
  /**
   * The relevance that the page passes on to its links: its own, or the rest of its parents' relevance
   * (off-topic-trail.ts).
   */
  readonly inherited: number;
  /** True if the anchor has meaningful words, unlike “read more”. */
  readonly anchorSpeaks: boolean;
}

export const LINK_WEIGHTS = {
  anchor: 0.9,
  url: 0.9,
  /** The words around a link describe the current page as often as the link. */
  around: 0.4,
  /** Half of the links of pages on topic lead to pages on topic. */
  inherited: 0.5,
} as const;

/** The certainty that the strongest word of the topic gives. Weaker words give less. */
const WORD_CERTAINTY = 0.9;
/**
 * Reduces the inherited relevance if the anchor has meaningful words but none of the topic. The reduction is small,
 * because a topic never lists all of its words.
 */
export const SPEAKS_OF_OTHER = 0.85;

export function linkRelevance({ anchor, url, around, inherited, anchorSpeaks }: LinkEvidence): number {
  const ofOther = anchorSpeaks && anchor === 0 && url === 0;
  const open =
    (1 - LINK_WEIGHTS.anchor * anchor) *
    (1 - LINK_WEIGHTS.url * url) *
    (1 - LINK_WEIGHTS.around * around) *
    (1 - LINK_WEIGHTS.inherited * inherited * (ofOther ? SPEAKS_OF_OTHER : 1));
  return 1 - open;
}
