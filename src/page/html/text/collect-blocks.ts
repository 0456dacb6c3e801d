/** Collects the words of a page and the text of each block, for code that reads the text itself. */
import { WordCollector } from './collect-words.ts';

/** Longer blocks are cut. */
const MAX_BLOCK_CHARS = 20_000;

export class BlockCollector extends WordCollector {
  /** The text of each block, with its white space folded. */
  readonly texts: string[] = [];
  #open = '';
  #isBeside = false;

  override clear(): void {
    super.clear();
    this.#isBeside = false;
    this.texts.length = 0;
    this.#open = '';
  }

  override setBeside(isBeside: boolean): void {
    super.setBeside(isBeside);
    this.#isBeside = isBeside;
  }

  override add(from: number, to: number): void {
    super.add(from, to);
    this.#addText(this.document, from, to);
  }

  override addPart(bytes: Buffer, from: number, to: number): void {
    super.addPart(bytes, from, to);
    this.#addText(bytes, from, to);
  }

  override addGap(character: Buffer): void {
    this.#addText(character, 0, character.length);
  }

  override endText(): void {
    if (!this.#isBeside) this.#open += ' ';
  }

  #addText(bytes: Buffer, from: number, to: number): void {
    if (this.#isBeside) return;
    const room = MAX_BLOCK_CHARS - this.#open.length;
    if (room > 0) this.#open += bytes.toString('utf8', from, Math.min(to, from + room));
  }

  override endBlock(): void {
    const { blocks } = this;
    super.endBlock();
    // The words are formed here, because they decide whether this is a block.
    this.finish();
    if (this.blocks === blocks) return;
    this.texts.push(this.#open.replace(/\s+/g, ' ').trim());
    this.#open = '';
  }

  /** The text of the blocks that are not marked, one line for each. */
  unmarked(marks: Uint8Array): string {
    return this.texts.filter((_, block) => marks[block] === 0).join('\n');
  }
}
