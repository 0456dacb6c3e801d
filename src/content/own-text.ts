/**
 * The own text of a page: its words without the blocks that are template.
 */
import type { PageWords } from '../core/page/page-words.ts';
import { SAMPLE_NUMBERS, sketchOf } from './fingerprints/fingerprints.ts';

let own = new Uint32Array(4_096);

/** The sketch of the own text (E5), or nothing if there is too little text for a fingerprint. */
export function sketchOwnText(page: PageWords, marks: Uint8Array): { sketch?: Uint32Array } {
  // The buffer may be replaced by a larger one.
  const length = collectOwn(page, marks);
  const sketch = sketchOf(own, length);
  return sketch.length > SAMPLE_NUMBERS ? { sketch } : {};
}

/** Copies the words of the own text into the buffer. Returns how many there are. */
function collectOwn({ words, ends, blocks, count }: PageWords, marks: Uint8Array): number {
  if (count > own.length) own = new Uint32Array(count * 2);
  let length = 0;
  let from = 0;
  for (let block = 0; block < blocks; block++) {
    const end = ends[block] as number;
    if (marks[block] === 0) for (let at = from; at < end; at++) own[length++] = words[at] as number;
    from = end;
  }
  return length;
}
