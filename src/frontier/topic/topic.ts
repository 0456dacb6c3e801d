/**
 * A topic: its words, each with a weight. It is made from the user's words or from example pages
 * and never changes afterwards.
 *
 * In: phrases or texts. Out: a bounded list of features. Features are words and, for phrases, pairs of neighbouring
 * words, which count as words of their own (`orb web` means more than an orb and a web). What always holds: the same
 * input gives the same features in the same order, so that the counts of one crawler fit those of another. This file
 * does not decide how much a word tells; the crawl counts that as it goes (word-frequencies.ts). Only the most common
 * words of some languages are left out here, unless the topic has no other words.
 */
import { PageBag } from './page-bag.ts';
import { pairHash, WordScan } from './word-scan.ts';

/** The user's words beyond this number are ignored, and so are the lightest words of example pages. */
export const MAX_FEATURES = 512;
const MAX_EXAMPLES = 1_000;
/** A word must occur in at least one in this many examples. A rarer word belongs to one example, not to the topic. */
const SHARED_ONE_IN = 5;
/** Weights are added as whole numbers, so that the sum does not depend on the order of the examples. */
const WHOLE = 1_000;

export interface Topic {
  /** Hashes of words and of pairs of words. */
  readonly hashes: Int32Array;
  /** From 0 to 1. The largest weight is 1. */
  readonly weights: Float64Array;
  /** The first words of pairs. Only after these words does the scan look for a pair. */
  readonly pairStarts: ReadonlySet<number>;
  /**
   * The cosine of text and topic that gives a relevance of one half. It differs between topics, because a page is more
   * similar to an example page than to four words.
   */
  readonly halfCosine: number;
}

/** Found by experiment (docs/topic.md): pages on topic lie well above these values, other pages well below. */
const HALF_COSINE_OF_WORDS = 0.1;
const HALF_COSINE_OF_EXAMPLES = 0.2;

/** `spider silk, orb web`: commas, semicolons or line breaks separate phrases. Returns null if the text has no word. */
export function topicFromWords(text: string): Topic | null {
  const weights = new Map<number, number>();
  const pairStarts = new Set<number>();
  const scan = new WordScan();
  const raise = (hash: number, weight: number) => weights.set(hash, Math.max(weight, weights.get(hash) ?? 0));
  for (const phrase of text.split(/[,;\n]/)) {
    scan.readText(phrase);
    // A phrase of many words has the same weight as a short phrase: its words and its pairs share the weight.
    const weight = 1 / Math.sqrt(scan.count);
    for (let i = 0; i < scan.count; i++) {
      // In `life of spiders` the word `of` alone means nothing, but its pairs do.
      if (scan.count === 1 || !isStopWord(scan.hashes[i]!)) raise(scan.hashes[i]!, weight);
      if (i === 0) continue;
      raise(pairHash(scan.hashes[i - 1]!, scan.hashes[i]!), weight);
      pairStarts.add(scan.hashes[i - 1]!);
    }
  }
  return weights.size === 0 ? null : makeTopic([...weights], pairStarts, HALF_COSINE_OF_WORDS);
}

/**
 * Takes the words of the examples, weighted by their counts and by the number of examples that contain them. Returns
 * null if the examples have no word.
 */
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
  // Equal weights are sorted by hash, so that the order of the examples does not matter.
  const kept = weighed.sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MAX_FEATURES);
  const most = kept[0]![1];
  return {
    hashes: Int32Array.from(kept, ([hash]) => hash),
    weights: Float64Array.from(kept, ([, weight]) => weight / most),
    pairStarts,
    halfCosine,
  };
}

/**
 * The most common words of seven languages. They say nothing about a topic. The crawl would learn by itself that they
 * are common (see word-frequencies.ts), but only from pages that it judges off topic. A topic made from example pages
 * that contained these words would match every page of the same language until hundreds of pages were read. Other
 * languages need that learning phase.
 */
const STOP_WORDS = [
  // English
  `a about after all also an and any are as at be because been before being but by can could did do does each for from had has have
  he her here his how i if in into is it its just may me more most my no not of on one only or other our out over own same she should
  so some such than that the their them then there these they this those through to too under until up us very was we were what
  when where which while who why will with would you your`,
  // German
  `aber als am an auch auf aus bei bis das dass dem den der des die doch durch ein eine einem einen einer eines er es für hat ich ihr
  im in ist ja kann man mehr mit nach nicht noch nur oder ohne sich sie sind so über um und uns unter vom von vor war was wenn werden
  wie wird wir zu zum zur`,
  // French
  `au aux avec ce ces cette dans de des du elle en est et être il ils je la le les leur lui mais même ne nous on ou où par pas plus pour
  qu que qui sa sans se ses son sont sur tout un une vous`,
  // Spanish, Portuguese, Italian
  `al como con del desde el ella ellos entre era es esta este fue ha hay la las lo los más muy no nos o para pero por que se ser si sin
  sobre su sus también un una uno y ao aos as com da das do dos e ela ele em esse isso já mas mesmo na nas não no nos ou pela pelo qual
  quando são sem seu sua também um uma anche che chi ci come cui da dal dalla degli dei del della delle di e gli il in io la le ma nei
  nel nella non per più quale questo se si sono sul sulla tra un una uno`,
  // Dutch
  `aan als bij dan dat de deze die dit door een en er haar had heeft het hij hun ik in is je kan maar meer met naar niet nog of om ook op
  te tot uit van voor was wat we werd wij worden zal ze zich zij zijn zo`,
] as const;

let stopHashes: Set<number> | undefined;

/** True if the word with this hash is a stop word. */
function isStopWord(hash: number): boolean {
  stopHashes ??= hashStopWords();
  return stopHashes.has(hash);
}

function hashStopWords(): Set<number> {
  const scan = new WordScan();
  scan.readText(STOP_WORDS.join(' '));
  return new Set(scan.hashes.subarray(0, scan.count));
}
