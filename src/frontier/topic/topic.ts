/**
 * A topic: phrases of words, each word with a weight. It is made from the user's words or from example pages
 * and never changes afterwards.
 *
 * In: phrases or texts. Out: a bounded list of features. Features are words and, for phrases, pairs of neighbouring
 * words, which add to the score of their words (`orb web` means more than an orb and a web). What always holds: the
 * same input gives the same features in the same order, so that the counts of one crawler fit those of another. This
 * file does not decide how much a word tells; the crawl counts that as it goes (word-frequencies.ts). Only the most
 * common words of some languages are left out here, unless the phrase has no other words.
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
  /** The features: hashes of words, then hashes of pairs of words. */
  readonly hashes: Int32Array;
  /** The weights of the words, from 0 to 1. The largest weight is 1. Pairs have none. */
  readonly weights: Float64Array;
  /**
   * A page is on topic if it is about one of the phrases. A topic from example pages has none: its words are many and
   * weak, so a page is compared with all of them together.
   */
  readonly phrases: readonly Phrase[];
  /** The first words of pairs. Only after these words does the scan look for a pair. */
  readonly pairStarts: ReadonlySet<number>;
}

/** The words and the pairs of a phrase, as indexes of features. */
export interface Phrase {
  readonly words: readonly number[];
  readonly pairs: readonly number[];
}

/** `spider silk, orb web`: commas, semicolons or line breaks separate phrases. Returns null if the text has no word. */
export function topicFromWords(text: string): Topic | null {
  const scan = new WordScan();
  const phrases = text.split(/[,;\n]/).map((phrase) => {
    scan.readText(phrase);
    return [...scan.hashes.subarray(0, scan.count)];
  });
  // In `life of spiders` the word `of` alone means nothing, but its pairs do.
  const words = phrases.map((phrase) => {
    const telling = phrase.filter((hash) => !isStopWord(hash));
    return telling.length > 0 ? telling : phrase;
  });
  const pairs = phrases.map((phrase) => phrase.slice(1).map((hash, i) => pairHash(phrase[i]!, hash)));
  const kept = [...new Set(words.flat())].slice(0, MAX_FEATURES);
  if (kept.length === 0) return null;
  const hashes = [...kept, ...new Set(pairs.flat())].slice(0, MAX_FEATURES);
  const placeOf = new Map(hashes.map((hash, feature) => [hash, feature]));
  const places = (some: readonly number[]): number[] => [...new Set(some)].flatMap((hash) => placeOf.get(hash) ?? []);
  return {
    hashes: Int32Array.from(hashes),
    weights: new Float64Array(kept.length).fill(1),
    phrases: phrases
      .map((_, i) => ({ words: places(words[i]!), pairs: places(pairs[i]!) }))
      .filter((phrase) => phrase.words.length > 0),
    pairStarts: new Set(phrases.flatMap((phrase) => phrase.slice(0, -1))),
  };
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
  // Equal weights are sorted by hash, so that the order of the examples does not matter.
  const kept = (shared.length > 0 ? shared : [...weights])
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, MAX_FEATURES);
  if (kept.length === 0) return null;
  const most = kept[0]![1];
  return {
    hashes: Int32Array.from(kept, ([hash]) => hash),
    weights: Float64Array.from(kept, ([, weight]) => weight / most),
    phrases: [],
    pairStarts: new Set(),
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
