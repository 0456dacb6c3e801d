/**
 * The work of a unit that is not in the store yet: URLs in progress, results to report, and reports without a receipt.
 * A crash loses exactly this work, so it is bounded: its URLs by the window, its links by `MAX_LINKS`.
 */
import type { FoundUrl, UrlResult } from '../../store/contract.ts';

/** A page may have thousands of links, and each link takes memory until it is committed. */
const MAX_LINKS = 50_000;

export class Uncommitted {
  #window: number;
  /** For each report without a receipt: the links of its results, and the number of results without links. */
  readonly #reported: { readonly links: readonly (readonly FoundUrl[])[]; readonly linkless: number }[] = [];
  #urls = 0;
  #links = 0;

  constructor(window: number) {
    this.#window = window;
  }

  allow(window: number): void {
    this.#window = window;
  }

  get hasRoom(): boolean {
    return this.#urls < this.#window && this.#links < MAX_LINKS;
  }

  begin(): void {
    this.#urls++;
  }

  finish({ foundLinks }: UrlResult): void {
    this.#links += foundLinks.length;
  }

  /** A URL in progress is given back. */
  cancel(): void {
    this.#urls--;
  }

  /** `linkless` is the number of further results, which have no links. */
  report(results: readonly UrlResult[], linkless = 0): void {
    if (results.length + linkless === 0) return;
    this.#reported.push({ links: results.map(({ foundLinks }) => foundLinks), linkless });
  }

  /** The oldest report was committed. Returns the links of its results. */
  settle(): readonly (readonly FoundUrl[])[] {
    const { links, linkless } = this.#reported.shift()!;
    this.#urls -= links.length + linkless;
    for (const found of links) this.#links -= found.length;
    return links;
  }
}
