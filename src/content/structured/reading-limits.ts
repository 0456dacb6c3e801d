/**
 * The limits on the structured data of one page. All readers of a page share them, so a hostile page costs a bounded
 * time and memory, however it divides its data between the syntaxes.
 */

export const CUT_REASONS = ['blocks', 'characters', 'values', 'steps', 'depth'] as const;

/**
 * Why data is missing: too many JSON-LD blocks, too many characters, too many values, too much searching (itemref,
 * nested text), or too deep nesting. Whether the page itself was cut before, its outline says.
 */
export type CutReason = (typeof CUT_REASONS)[number];

const MAX_BLOCKS = 10_000;
const MAX_JSON_CHARACTERS = 4_000_000;
const MAX_TEXT_CHARACTERS = 4_000_000;
const MAX_VALUES = 100_000;
const MAX_STEPS = 2_000_000;

/** Items are nested at most this deep. Real pages stay below 20. */
export const MAX_NESTING = 100;

export class ReadingLimits {
  readonly #reasons = new Set<CutReason>();
  #blocksLeft = MAX_BLOCKS;
  #jsonLeft = MAX_JSON_CHARACTERS;
  #textLeft = MAX_TEXT_CHARACTERS;
  #valuesLeft = MAX_VALUES;
  #stepsLeft = MAX_STEPS;

  get reasons(): readonly CutReason[] {
    return CUT_REASONS.filter((reason) => this.#reasons.has(reason));
  }

  note(reason: CutReason): void {
    this.#reasons.add(reason);
  }

  /** Returns how many characters of a JSON-LD block may be read, or -1 if no further block may be read. */
  takeBlock(characters: number): number {
    if (this.#blocksLeft-- <= 0) {
      this.note('blocks');
      return -1;
    }
    const granted = Math.min(characters, this.#jsonLeft);
    this.#jsonLeft -= granted;
    if (granted < characters) this.note('characters');
    return granted > 0 ? granted : -1;
  }

  /** Returns how many characters of text may be collected. The caller reports the used ones with `spendText`. */
  get textLeft(): number {
    return this.#textLeft;
  }

  spendText(characters: number): void {
    this.#textLeft -= characters;
    if (this.#textLeft <= 0) this.note('characters');
  }

  /** The text of an attribute, which several values may repeat, or '' if there was too much text. */
  takeText(text: string): string {
    if (this.#textLeft <= 0) return '';
    this.spendText(text.length);
    return text;
  }

  /** One more value of a property. False if there are too many. */
  takeValue(): boolean {
    if (this.#valuesLeft-- > 0) return true;
    this.note('values');
    return false;
  }

  /** Visits of nodes that are beyond one visit per node. False if there were too many. */
  takeSteps(count: number): boolean {
    this.#stepsLeft -= count;
    if (this.#stepsLeft > 0) return true;
    this.note('steps');
    return false;
  }

  /** False if items are nested too deep. */
  allowsNesting(depth: number): boolean {
    if (depth < MAX_NESTING) return true;
    this.note('depth');
    return false;
  }
}
