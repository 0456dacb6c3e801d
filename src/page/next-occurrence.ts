/** indexOf for places that only grow: what was found ahead is remembered, and so is that nothing is left. */
export class NextOccurrence {
  readonly #html: string;
  readonly #needle: string;
  #at = -1;

  constructor(html: string, needle: string) {
    this.#html = html;
    this.#needle = needle;
  }

  /** The first place at or after `from`, or the length of the document. `from` never goes back. */
  from(from: number): number {
    if (this.#at < from) {
      const at = this.#html.indexOf(this.#needle, from);
      this.#at = at < 0 ? this.#html.length : at;
    }
    return this.#at;
  }
}
