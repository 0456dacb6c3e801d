/**
 * Writes the list of pages that have a term. In: the pages in ascending order, each with the weight of the term and its
 * positions. Out: two byte strings, one with pages and weights, one with positions, because most queries need no
 * positions.
 *
 * A page is written as the difference to the page before, shifted by one bit. The bit says that the term is once in the
 * text of the page, which is the most frequent case; otherwise a byte with its weight follows.
 *
 * The list is cut into blocks of 128 pages. Before the blocks of a longer list stands a directory with the last page
 * and the lengths of each block, so that a reader of positions can skip blocks.
 */
import { ByteWriter } from './byte-writer.ts';
import { PLACE_WEIGHTS, weightCode } from './word-places.ts';

export const BLOCK_PAGES = 128;
export const ONCE = weightCode(PLACE_WEIGHTS.text);

export class PostingsWriter {
  /** The finished list. Valid until the next list begins. */
  readonly pages = new ByteWriter();
  readonly positions = new ByteWriter();
  count = 0;

  readonly #directory = new ByteWriter();
  readonly #blocks = new ByteWriter();
  #inBlock = 0;
  #lastPage = -1;
  #blockStart = 0;
  #positionsStart = 0;
  #lastBlockPage = -1;

  begin(): void {
    for (const part of [this.pages, this.positions, this.#directory, this.#blocks]) part.clear();
    this.count = 0;
    this.#inBlock = 0;
    this.#lastPage = -1;
    this.#lastBlockPage = -1;
    this.#blockStart = 0;
    this.#positionsStart = 0;
  }

  /** Adds a page. The caller writes its positions. */
  start(page: number, weight: number): void {
    if (this.#inBlock === BLOCK_PAGES) this.#endBlock();
    const step = page - this.#lastPage - 1;
    if (weight === ONCE) this.#blocks.number(2 * step + 1);
    else {
      this.#blocks.number(2 * step);
      this.#blocks.byte(weight);
    }
    this.#lastPage = page;
    this.#inBlock++;
    this.count++;
  }

  #endBlock(): void {
    this.#directory.number(this.#lastPage - this.#lastBlockPage);
    this.#directory.number(this.#blocks.length - this.#blockStart);
    this.#directory.number(this.positions.length - this.#positionsStart);
    this.#lastBlockPage = this.#lastPage;
    this.#blockStart = this.#blocks.length;
    this.#positionsStart = this.positions.length;
    this.#inBlock = 0;
  }

  end(): void {
    if (this.count > BLOCK_PAGES) {
      this.#endBlock();
      this.pages.number(this.#directory.length);
      this.pages.append(this.#directory.written);
    }
    this.pages.append(this.#blocks.written);
  }
}

/**
 * Writes the positions of a term on one page: the differences, each shifted by one bit. The bit says that the position
 * is the last one. Most terms occur once on a page, and so take one number.
 */
export function putPositions(writer: ByteWriter, positions: Int32Array, from: number, to: number): void {
  writer.reserve(5 * (to - from));
  let before = 0;
  for (let i = from; i < to; i++) {
    const position = positions[i] as number;
    writer.putNumber(((position - before) << 1) | (i === to - 1 ? 1 : 0));
    before = position;
  }
}
