/**
 * E5 near duplicates: tests that the index finds exactly the pages that a comparison with every earlier
 * page would find, whatever happens meanwhile.
 */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import * as content from '../../src/content/fingerprints/fingerprints.ts';
import {
  LEAST_PRINTS,
  leastCommon,
  prefixLength,
  printsOf,
  SAMPLE_NUMBERS,
  SKETCH_SIZE,
  similarity,
} from '../../src/store/rules/near-duplicate-rule.ts';
import { NearDuplicates } from '../../src/store/sqlite/commit/near-duplicates.ts';
import { MIGRATIONS } from '../../src/store/sqlite/schema.ts';
import { SeededRandom } from '../../testbed/random.ts';
import { comparePrints, compareSamples, sketchWith } from '../content/compare-sketches.ts';

const THRESHOLDS = [0.5, 0.7, 0.8, 0.9, 1];
/** So few entries in memory that blocks are written all the time. */
const TINY_SLOT_BITS = 8;

function randomPrints(random: SeededRandom, count: number, from: number, below: number): number[] {
  return Array.from({ length: count }, () => from + random.below(below - from));
}

/** Replaces some of the fingerprints: from none to most of them. */
function retouched(random: SeededRandom, prints: readonly number[]): number[] {
  const share = random.pick([0, 2, 5, 10, 15, 20, 30, 60]) / 100;
  return prints.map((print) => (random.below(1_000) / 1_000 < share ? random.below(2 ** 32) : print));
}

/** A database with pages, and beside it the plain way: a comparison with every leader. */
class Pages {
  readonly db = new DatabaseSync(':memory:');
  readonly leaders = new Map<number, Uint32Array>();
  near: NearDuplicates;
  found = 0;
  readonly #threshold: number;
  #lastId = 0;

  constructor(threshold: number) {
    this.db.exec(MIGRATIONS.join(';'));
    this.#threshold = threshold;
    this.near = new NearDuplicates(this.db, TINY_SLOT_BITS);
  }

  restart(): void {
    this.near = new NearDuplicates(this.db, TINY_SLOT_BITS);
  }

  commit(sketches: readonly Uint32Array[]): void {
    this.db.exec('BEGIN');
    for (const sketch of sketches) this.#judge(sketch);
    this.near.write();
    this.db.exec('COMMIT');
  }

  rollBack(sketches: readonly Uint32Array[]): void {
    this.db.exec('BEGIN');
    for (const [i, sketch] of sketches.entries()) this.near.judge(this.#lastId + 1 + i, sketch, this.#threshold);
    this.near.write();
    this.db.exec('ROLLBACK');
    this.near.forget();
  }

  #judge(sketch: Uint32Array): void {
    const id = ++this.#lastId;
    const judged = this.near.judge(id, sketch, this.#threshold);
    assert.deepEqual(judged, this.#plainly(sketch), `page ${id}`);
    if (judged === null) this.leaders.set(id, sketch);
    else this.found++;
    this.db
      .prepare(`INSERT INTO pages (url_id, bytes, digest, noindex, outlinks, graph_seq, title, language, sketch)
        VALUES (?, 0, '', 0, 0, 0, '', '', ?)`)
      .run(id, judged === null ? new Uint8Array(sketch.buffer.slice(0)) : null);
  }

  #plainly(sketch: Uint32Array): { of: number; similarity: number } | null {
    let best: { of: number; similarity: number } | null = null;
    for (const [of, other] of this.leaders) {
      const share = similarity(sketch, other, this.#threshold);
      if (share > (best?.similarity ?? 0)) best = { of, similarity: share };
    }
    return best;
  }
}

test('E5 the store and the content stage use the same sketches', () => {
  assert.deepEqual([SKETCH_SIZE, SAMPLE_NUMBERS], [content.SKETCH_SIZE, content.SAMPLE_NUMBERS]);
});

test('E5 two sketches are similar if both measures nearly reach the threshold, and together they do', () => {
  const random = new SeededRandom(1);
  const counts = { similar: 0, different: 0 };
  for (let round = 0; round < 1_500; round++) {
    const all = randomPrints(random, LEAST_PRINTS + random.below(200), 0, 2 ** 32);
    const [a, b] = [sketchWith(all), sketchWith(retouched(random, all).slice(0, LEAST_PRINTS + random.below(200)))];
    const [prints, sample] = [comparePrints(printsOf(a), printsOf(b)), compareSamples(a, b)];
    for (const threshold of THRESHOLDS) {
      const share = similarity(a, b, threshold);
      const [least, most] = [Math.min(prints, sample), Math.max(prints, sample)];
      assert.equal(share, similarity(b, a, threshold));
      if (share > 0) {
        counts.similar++;
        assert.ok(share >= least - 1e-9 && share <= most + 1e-9, 'the similarity is between the two measures');
        assert.ok(least > threshold - 0.25 && most > threshold - 0.11, `${prints} and ${sample} at ${threshold}`);
      } else {
        counts.different++;
        assert.ok(least < threshold, `${prints} and ${sample} at ${threshold}`);
      }
    }
  }
  assert.ok(counts.similar > 500 && counts.different > 500, JSON.stringify(counts));
});

test('E5 one measure alone makes no near duplicate', () => {
  const random = new SeededRandom(4);
  const [one, other] = [1, 2].map(() => sketchWith(randomPrints(random, 300, 0, 2 ** 32)));
  const samePrints = Uint32Array.of(...one!.subarray(0, SAMPLE_NUMBERS), ...printsOf(other!));
  const sameSample = Uint32Array.of(...other!.subarray(0, SAMPLE_NUMBERS), ...printsOf(one!));
  assert.equal(similarity(other!, other!, 0.8), 1);
  assert.equal(similarity(other!, samePrints, 0.8), 0);
  assert.equal(similarity(other!, sameSample, 0.8), 0);
});

test('E5 two sketches that are similar share some of their first fingerprints', () => {
  const random = new SeededRandom(2);
  let similar = 0;
  for (let round = 0; round < 1_500; round++) {
    const prints = randomPrints(random, 1 + random.below(90), 0, 2 ** 32);
    const [a, b] = [sketchWith(prints), sketchWith(retouched(random, prints))];
    const threshold = random.pick(THRESHOLDS);
    if (similarity(a, b, threshold) === 0) continue;
    similar++;
    const [left, right] = [printsOf(a), printsOf(b)];
    const first = new Set(left.subarray(0, prefixLength(left.length, threshold)));
    const common = right.subarray(0, prefixLength(right.length, threshold)).filter((print) => first.has(print)).length;
    assert.ok(common >= leastCommon(right.length, threshold), `${common} of ${right.length}`);
  }
  assert.ok(similar > 200, `${similar} were similar`);
});

for (const threshold of THRESHOLDS) {
  test(`E5 at ${threshold} the index finds the same as comparing all pages, also after restarts and failures`, () => {
    const random = new SeededRandom(threshold * 100);
    const pages = new Pages(threshold);
    const seen: number[][] = [];
    const some = (): Uint32Array[] =>
      Array.from({ length: 1 + random.below(20) }, () => {
        const isCopy = seen.length > 0 && random.below(2) === 0;
        const size = random.below(5) === 0 ? random.below(64) : 64 + random.below(60);
        const prints = isCopy ? retouched(random, random.pick(seen)) : randomPrints(random, size, 0, 2 ** 32);
        seen.push(prints);
        return sketchWith(prints);
      });
    for (let round = 0; round < 50; round++) {
      pages.commit(some());
      if (random.below(6) === 0) pages.rollBack(some());
      if (random.below(6) === 0) pages.restart();
    }
    assert.ok(pages.found > 30 && pages.leaders.size > 100, `${pages.found} found, ${pages.leaders.size} leaders`);
    const { blocks } = pages.db.prepare('SELECT count(*) AS blocks FROM print_blocks').get() as { blocks: number };
    assert.ok(blocks >= 1, 'some entries are in blocks');
  });
}

test('E5 boilerplate that hundreds of pages share hides no near duplicate and is not indexed for each page', () => {
  const random = new SeededRandom(3);
  const pages = new Pages(0.8);
  // These are the smallest values of all, so they would be in every prefix.
  const boilerplate = randomPrints(random, 20, 0, 1_000);
  const seen: number[][] = [];
  for (let round = 0; round < 80; round++) {
    const made = Array.from({ length: 5 }, () => {
      const isCopy = seen.length > 0 && random.below(3) === 0;
      const own = isCopy ? retouched(random, random.pick(seen)) : randomPrints(random, 60, 1_000, 2 ** 32);
      seen.push(own);
      return sketchWith([...boilerplate, ...own]);
    });
    pages.commit(made);
  }
  assert.ok(pages.found > 20 && pages.leaders.size > 200, `${pages.found} found, ${pages.leaders.size} leaders`);
  pages.restart();
  pages.commit(seen.slice(-20).map((own) => sketchWith([...boilerplate, ...own])));
});

test('E5 a sketch with few fingerprints resembles only a page with exactly the same sketch', () => {
  const pages = new Pages(0.8);
  const [short, long] = [sketchWith([1, 2, 3]), sketchWith([1, 2, 3, 4])];
  pages.commit([short, sketchWith([1, 2]), long, sketchWith([1, 2, 5])]);
  assert.equal(pages.found, 0);
  pages.commit([short, long, sketchWith([1, 2])]);
  assert.equal(pages.found, 3);
  const sampleOfAnother = Uint32Array.of(...sketchWith([7, 8, 9]).subarray(0, SAMPLE_NUMBERS), ...printsOf(short));
  pages.commit([sampleOfAnother]);
  assert.equal(pages.found, 3, 'the samples differ, so the texts do');
});

test('E5 sketches without fingerprints are not similar', () => {
  assert.equal(similarity(sketchWith([]), sketchWith([]), 0.8), 0);
});
