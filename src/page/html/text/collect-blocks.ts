/** Collects the words of a page and the text of each block, for readers who show blocks to people. */
import { WordCollector } from './collect-words.ts';

/** Longer blocks are cut. */
const MAX_BLOCK_BYTES = 1_000;

export class BlockCollector extends WordCollector {
  /** The beginning of the text of each block, with its white space folded. */
  readonly texts: string[] = [];
  #open = '';

  override clear(): void {
    super.clear();
    this.texts.length = 0;
    this.#open = '';
  }

  override add(bytes: Buffer, from: number, to: number): void {
    super.add(bytes, from, to);
    if (this.#open.length < MAX_BLOCK_BYTES)
      this.#open += bytes.toString('utf8', from, Math.min(to, from + MAX_BLOCK_BYTES));
  }

  override endBlock(): void {
    const { blocks } = this;
    super.endBlock();
    if (this.blocks === blocks) return;
    this.texts.push(this.#open.replace(/\s+/g, ' ').trim());
    this.#open = '';
  }
}
