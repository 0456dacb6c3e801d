/**
 * The own text of a page: its words without the blocks that are template.
 */
import type { PageWords } from '../core/page/page-words.ts';
import { SAMPLE_NUMBERS, sketchFirst, WORDS } from './fingerprints/fingerprints.ts';

/** The sketch of the own text (E5), or nothing if there is too little text for a fingerprint. */
export function sketchOwnText(page: PageWords, marks: Uint8Array): { sketch?: Uint32Array } {
  const sketch = sketchFirst(collectOwn(page, marks));
  return sketch.length > SAMPLE_NUMBERS ? { sketch } : {};
}

/** Copies the words of the own text. Returns how many there are. */
function collectOwn({ words, ends, blocks }: PageWords, marks: Uint8Array): number {
  let length = 0;
  let from = 0;
  for (let block = 0; block < blocks; block++) {
    const end = ends[block] as number;
    // Blocks that follow each other are copied together.
    if (marks[block] === 0 && block + 1 < blocks && marks[block + 1] === 0) continue;
    if (marks[block] === 0) {
      WORDS.set(words.subarray(from, end), length);
      length += end - from;
    }
    from = end;
  }
  return length;
}
