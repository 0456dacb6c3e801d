/**
 * Writes the list of a term. In: the pages in ascending order, each with the weight of the term and its positions. Out:
 * two byte strings, one with pages and weights, one with positions, because most queries need no positions.
 */
import { PageBits } from '../page-bits.ts';
import { ByteWriter } from './byte-writer.ts';
import { writeDenseList } from './dense-list.ts';
import { isDense } from './page-list.ts';
import { writeBlockLengths } from './position-cursor.ts';
import { PositionsWriter } from './positions-writer.ts';
import { writeSparseList } from './sparse-list.ts';

export class PostingsWriter {
  /** The finished list. Valid until the next list begins. */
  readonly pages = new ByteWriter();
  count = 0;
  readonly #pagesOfSegment: number;
  readonly #positions = new PositionsWriter();
  #numbers = new Int32Array(1_024);
  #weights = new Uint8Array(1_024);

  constructor(pagesOfSegment: number) {
    this.#pagesOfSegment = pagesOfSegment;
  }

  get positions(): ByteWriter {
    return this.#positions.bytes;
  }

  begin(): void {
    this.pages.clear();
    this.#positions.begin();
    this.count = 0;
  }

  /** Adds a page with the byte of its weight, and its first position. */
  start(page: number, weight: number, first: number): void {
    if (this.count === this.#numbers.length) this.#grow();
    this.#numbers[this.count] = page;
    this.#weights[this.count++] = weight;
    this.#positions.startPage(first);
  }

  /** Adds a position on the same page. Positions come in ascending order. */
  addPosition(position: number): void {
    this.#positions.add(position);
  }

  end(): void {
    const { count } = this;
    this.#positions.end(count);
    if (isDense(count, this.#pagesOfSegment)) {
      const bits = new PageBits(this.#pagesOfSegment);
      bits.addAll(this.#numbers.subarray(0, count));
      writeDenseList(this.pages, bits, this.#weights.subarray(0, count));
    } else writeSparseList(this.pages, this.#numbers, this.#weights, count);
    writeBlockLengths(this.pages, this.#positions.blockLengths);
  }

  #grow(): void {
    const numbers = new Int32Array(2 * this.count);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
    const weights = new Uint8Array(2 * this.count);
    weights.set(this.#weights);
    this.#weights = weights;
  }
}
