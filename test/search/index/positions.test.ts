/** Positions that are written in bits are read again, whatever they are and whichever pages are asked for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PositionBlock } from '../../../src/search/index/segment/position-block.ts';
import { BLOCK_PAGES, MOST_POSITIONS, PositionsWriter } from '../../../src/search/index/segment/positions-writer.ts';
import { SeededRandom } from '../../../testbed/random.ts';

/** Mostly near each other, sometimes as far away as a page allows. */
function randomPositions(random: SeededRandom): number[] {
  const most = random.below(10) === 0 ? 9_000 : 1 + random.below(20);
  const positions: number[] = [];
  for (let position = random.below(600); positions.length < most && position < 2 ** 24; ) {
    positions.push(position);
    position += 1 + (random.below(200) === 0 ? random.below(2 ** 22) : random.below(60));
  }
  return positions;
}

test('E9 the positions of pages are read as they were written, also when pages are passed over', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = new SeededRandom(seed);
    const pages = Array.from({ length: 1 + random.below(3 * BLOCK_PAGES) }, () => randomPositions(random));
    const writer = new PositionsWriter();
    writer.begin();
    for (const [first, ...more] of pages) {
      writer.startPage(first!);
      for (const position of more) writer.add(position);
    }
    writer.end(pages.length);
    let start = 0;
    for (const [number, length] of writer.blockLengths.entries()) {
      const inBlock = pages.slice(number * BLOCK_PAGES, (number + 1) * BLOCK_PAGES);
      const block = new PositionBlock();
      block.open(writer.bytes.written.subarray(start, start + length), inBlock.length, pages.length);
      start += length;
      for (const [page, expected] of inBlock.entries()) {
        if (random.below(3) === 0) continue;
        if (page >= block.from + block.pages) assert.ok(block.decode(page));
        const at = page - block.from;
        const found = block.positions.subarray(at === 0 ? 0 : block.ends[at - 1], block.ends[at]);
        assert.deepEqual([...found], expected, `seed ${seed}, page ${page}`);
      }
    }
    assert.equal(start, writer.bytes.length);
  }
});

test('of a word that fills a page, a limited number of positions is kept', () => {
  const writer = new PositionsWriter();
  writer.begin();
  writer.startPage(0);
  for (let position = 1; position < 2 * MOST_POSITIONS; position++) writer.add(position);
  writer.end(1);
  const block = new PositionBlock();
  block.open(writer.bytes.written, 1, 1);
  assert.ok(block.decode(0));
  assert.equal(block.ends[0], MOST_POSITIONS);
  assert.equal(block.positions[MOST_POSITIONS - 1], MOST_POSITIONS - 1);
});

test('damaged bytes give wrong positions, but no exception and no endless loop', () => {
  const random = new SeededRandom(1);
  for (let round = 0; round < 300; round++) {
    const bytes = Uint8Array.from({ length: 1 + random.below(200) }, () => random.below(256));
    const block = new PositionBlock();
    block.open(bytes, BLOCK_PAGES, BLOCK_PAGES);
    for (let page = 0; page < BLOCK_PAGES; page++) if (page >= block.from + block.pages && !block.decode(page)) break;
    assert.ok(block.positions.length < 2 ** 18);
  }
});
