/**
 * Topic focus (P3): how relevant a page is, from its text, and how relevant a URL may be, before it is fetched.
 *
 * In come a topic, then the texts and links of pages as they are fetched; out go numbers from 0 (nothing to do with it) to 1. What
 * always holds: a number depends on the topic, the input and the counts so far, on nothing else; memory is bounded whatever
 * comes; time is linear in the text. Not more than one unit uses a focus; units exchange counts.
 */
import { ON_TOPIC } from '../../core/on-topic.ts';
import { FeatureTable, NO_FEATURE } from './feature-table.ts';
import { type LinkWords, linkRelevance, WORD_CERTAINTY } from './link-relevance.ts';
import { PageBag } from './page-bag.ts';
import type { Topic } from './topic.ts';
import { WordFrequencies } from './word-frequencies.ts';
import { pairHash, WordScan } from './word-scan.ts';

export class TopicFocus {
  readonly #topic: Topic;
  readonly #table: FeatureTable;
  readonly #frequencies: WordFrequencies;
  readonly #scan = new WordScan();
  readonly #bag = new PageBag();
  /** Of the page being judged: how often each feature comes, and which do. */
  readonly #times: Uint32Array;
  readonly #present: number[] = [];
  /** A feature's weight by rarity: in the cosine, and (the greatest is 1) as evidence in a link. */
  readonly #strengths: Float64Array;
  #topicLength = 0;
  #greatest = 0;

  constructor(topic: Topic) {
    this.#topic = topic;
    this.#table = new FeatureTable(topic);
    this.#frequencies = new WordFrequencies(topic.hashes.length);
    this.#times = new Uint32Array(topic.hashes.length);
    this.#strengths = new Float64Array(topic.hashes.length);
    this.#weigh();
  }

  /** The relevance of a page's text, judged by the pages before it; then it is counted like them. */
  judgePage(text: string): number {
    this.#scan.readText(text);
    this.#bag.fill(this.#scan);
    this.#countFeatures();
    const relevance = this.#pageRelevance();
    this.#frequencies.learn(this.#bag, this.#present, relevance >= ON_TOPIC);
    this.#weigh();
    return relevance;
  }

  /** The relevance of a URL, linked from a page whose trail (branch.ts) hands down `inherited`. */
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

  /** What has been counted so far, to be stored or given to another unit's `merge`. */
  get counts(): Uint32Array {
    return this.#frequencies.counts;
  }

  merge(counts: Uint32Array): void {
    this.#frequencies.merge(counts);
    this.#weigh();
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

  /** The cosine of tf-idf vectors, bent so that `halfCosine` is one half and chance hits are nearly nothing. */
  #pageRelevance(): number {
    if (this.#present.length === 0) return 0;
    let product = 0;
    let squares = 0;
    for (const feature of this.#present) {
      const rarity = this.#frequencies.featureRarity(feature);
      const weight = damped(this.#times[feature]!) * rarity;
      product += weight * this.#strengths[feature]!;
      // What the buckets below say of a topic word is not exact; here it is.
      squares += weight * weight;
    }
    const { hashes, times, count } = this.#bag;
    for (let i = 0; i < count; i++) {
      if (this.#table.find(hashes[i]!) !== NO_FEATURE) continue;
      const weight = damped(times[i]!) * this.#frequencies.rarity(hashes[i]!);
      squares += weight * weight;
    }
    if (product === 0) return 0;
    const cosine = product / (Math.sqrt(squares) * this.#topicLength);
    const ratio = cosine / this.#topic.halfCosine;
    const steep = ratio * ratio * ratio;
    return steep / (1 + steep);
  }

  /** How surely the words scanned last speak of the topic: each adds its strength to what is still open. */
  #evidence(): number {
    const { hashes, count } = this.#scan;
    let open = 1;
    for (let i = 0; i < count; i++) {
      const feature = this.#table.find(hashes[i]!);
      if (feature === NO_FEATURE) continue;
      const share = this.#strengths[feature]! / this.#greatest;
      open *= 1 - WORD_CERTAINTY * share * share;
    }
    return 1 - open;
  }

  /** Whether one of the words scanned last is not on every other page anyway. */
  #speaks(): boolean {
    const { hashes, count } = this.#scan;
    for (let i = 0; i < count; i++) if (!this.#frequencies.isCommon(hashes[i]!)) return true;
    return false;
  }

  #weigh(): void {
    let squares = 0;
    this.#greatest = Number.MIN_VALUE;
    for (let feature = 0; feature < this.#strengths.length; feature++) {
      const strength = this.#topic.weights[feature]! * this.#frequencies.featureRarity(feature);
      this.#strengths[feature] = strength;
      squares += strength * strength;
      if (strength > this.#greatest) this.#greatest = strength;
    }
    this.#topicLength = Math.sqrt(squares);
  }
}

function damped(times: number): number {
  return times === 1 ? 1 : 1 + Math.log(times);
}
