/** Tests that the link graph is read once, as far as it fits into the cache. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CachedSegments } from '../../../src/crawl/ranking/page-rank-keeper.ts';

const SEGMENTS = [2, 3, 7, 8].map((seq) => ({ seq, lists: new Uint8Array(10) }));

/** Reads all segments in order and returns which ones the store was asked for. */
async function readAll(near: CachedSegments, asked: number[]): Promise<{ seqs: number[]; asked: number[] }> {
  asked.length = 0;
  const seqs: number[] = [];
  for (let segment = await near.next(0); segment; segment = await near.next(segment.seq)) seqs.push(segment.seq);
  return { seqs, asked: [...asked] };
}

for (const [maxBytes, askedAgain] of [
  [0, [0, 2, 3, 7, 8]],
  [25, [3, 7, 8]],
  [1_000, [8]],
] as const) {
  test(`with ${maxBytes} bytes, cached segments are not read again, and no segment is left out`, async () => {
    const asked: number[] = [];
    const store = {
      segments: async (after: number) => {
        asked.push(after);
        return SEGMENTS.filter(({ seq }) => seq > after).slice(0, 1);
      },
    };
    const near = new CachedSegments(store, maxBytes);
    const seqs = [2, 3, 7, 8];
    assert.deepEqual(await readAll(near, asked), { seqs, asked: [0, 2, 3, 7, 8] });
    assert.deepEqual(await readAll(near, asked), { seqs, asked: askedAgain });
    assert.deepEqual(await readAll(near, asked), { seqs, asked: askedAgain });
  });
}
