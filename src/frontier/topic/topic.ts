/**
 * A topic: the words it is about, each with a weight. Made from a user's words or from example pages; never changed afterwards.
 *
 * In come phrases or texts; out goes a bounded list of features: words, and for phrases the pairs of neighbours in them, which count
 * as words of their own (`orb web` is more than an orb and a web). What always holds: the same input gives the same features in
 * the same order, so that the counts of one crawler fit another's. How much a word tells is not decided here: that is counted as
 * the crawl goes (word-frequencies.ts). Only the commonest words of some languages are left out, unless there are no others.
 */
import { PageBag } from './page-bag.ts';
import { isStopWord } from './stop-words.ts';
import { pairHash, WordScan } from './word-scan.ts';

/** A user's words beyond this are ignored, as are the lesser words of example pages. */
export const MAX_FEATURES = 512;
const MAX_EXAMPLES = 1_000;
/** A word that fewer examples than one in so many have is an example's own, not the topic's. */
const SHARED_ONE_IN = 5;
/** Weights are added up as whole numbers, whose sum does not depend on the order of the examples. */
const WHOLE = 1_000;

export interface Topic {
  /** Hashes of words and of pairs. */
  readonly hashes: Int32Array;
  /** 0 to 1, the weightiest is 1. */
  readonly weights: Float64Array;
  /** The first words of pairs: pairs are looked for only behind these. */
  readonly pairStarts: ReadonlySet<number>;
  /** The cosine of text and topic that makes a relevance of one half: a page is nearer to a page than to four words. */
  readonly halfCosine: number;
}

/** Found by trying (docs/topic.md): pages on topic lie well above, others well below. */
const HALF_COSINE_OF_WORDS = 0.1;
const HALF_COSINE_OF_EXAMPLES = 0.2;

/** `spider silk, orb web`: commas (or lines) part phrases. Null where there is no word in it. */
export function topicFromWords(text: string): Topic | null {
  const weights = new Map<number, number>();
  const pairStarts = new Set<number>();
  const scan = new WordScan();
  const raise = (hash: number, weight: number) => weights.set(hash, Math.max(weight, weights.get(hash) ?? 0));
  for (const phrase of text.split(/[,;\n]/)) {
    scan.readText(phrase);
    // A phrase of many words is not worth more than one of few: its words and its pairs share its weight.
    const weight = 1 / Math.sqrt(scan.count);
    for (let i = 0; i < scan.count; i++) {
      // In `life of spiders` the `of` alone is nothing; the pairs it is in are.
      if (scan.count === 1 || !isStopWord(scan.hashes[i]!)) raise(scan.hashes[i]!, weight);
      if (i === 0) continue;
      raise(pairHash(scan.hashes[i - 1]!, scan.hashes[i]!), weight);
      pairStarts.add(scan.hashes[i - 1]!);
    }
  }
  return weights.size === 0 ? null : makeTopic([...weights], pairStarts, HALF_COSINE_OF_WORDS);
}

/** The words of the examples, by how often they come and on how many of them. Null where there is no word in them. */
export function topicFromExamples(texts: Iterable<string>): Topic | null {
  const weights = new Map<number, number>();
  const times = new Map<number, number>();
  const scan = new WordScan();
  const bag = new PageBag();
  let examples = 0;
  for (const text of texts) {
    if (++examples > MAX_EXAMPLES) break;
    scan.readText(text);
    bag.fill(scan);
    for (let i = 0; i < bag.count; i++) {
      const hash = bag.hashes[i]!;
      weights.set(hash, (weights.get(hash) ?? 0) + Math.round(WHOLE * (1 + Math.log(bag.times[i]!))));
      times.set(hash, (times.get(hash) ?? 0) + 1);
    }
  }
  const shared = [...weights].filter(([hash]) => times.get(hash)! * SHARED_ONE_IN >= examples && !isStopWord(hash));
  const kept = shared.length > 0 ? shared : [...weights];
  return kept.length === 0 ? null : makeTopic(kept, new Set(), HALF_COSINE_OF_EXAMPLES);
}

function makeTopic(weighed: [number, number][], pairStarts: ReadonlySet<number>, halfCosine: number): Topic {
  // Equal weights in the order of their hashes, so that the order of the examples decides nothing.
  const kept = weighed.sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MAX_FEATURES);
  const most = kept[0]![1];
  return {
    hashes: Int32Array.from(kept, ([hash]) => hash),
    weights: Float64Array.from(kept, ([, weight]) => weight / most),
    pairStarts,
    halfCosine,
  };
}
