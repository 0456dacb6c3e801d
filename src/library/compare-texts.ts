/** Compares two texts by their fingerprints (E5), as a crawl compares pages. */
import { fingerprintsOf } from '../content/fingerprints/fingerprints.ts';
import { WordCollector } from '../page/page.ts';

export interface Overlap {
  /**
   * The share of all fingerprints of both texts that both have. 1 means a full duplicate, apart from spacing,
   * punctuation and case.
   */
  readonly resemblance: number;
  /**
   * The share of the first text's fingerprints that the second text has. 1
   * means that the second quotes all of the first.
   */
  readonly containment: number;
}

/** In: two texts in UTF-8, without markup. A text of fewer than three words resembles nothing. */
export function compareTexts(a: Buffer, b: Buffer): Overlap {
  const inA = printsOf(a);
  const inB = printsOf(b);
  let shared = 0;
  for (const print of inA) if (inB.has(print)) shared++;
  if (shared === 0) return { resemblance: 0, containment: 0 };
  return { resemblance: shared / (inA.size + inB.size - shared), containment: shared / inA.size };
}

/** One collector serves for all texts, because starting its kernel takes 0.4 ms. */
let words: WordCollector | undefined;

function printsOf(text: Buffer): Set<number> {
  words ??= new WordCollector();
  words.clear();
  words.open(text);
  words.add(0, text.length);
  words.finish();
  return new Set(fingerprintsOf(words.words.subarray(0, words.count)));
}
