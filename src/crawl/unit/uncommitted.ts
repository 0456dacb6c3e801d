/**
 * What a unit has begun and the store does not have yet: URLs under way, results to be reported, reports whose receipt is
 * still to come. A crash loses just this, so it is bounded, in URLs by the window and in links by `MAX_LINKS`.
 */
import type { FoundUrl, UrlResult } from '../store/contract.ts';

/** Pages may hold thousands of links, and each takes memory until it is committed. */
const MAX_LINKS = 50_000;

export class Uncommitted {
  #window: number;
  /** For each report without its receipt, the links of its results, and how many have none. */
  readonly #reported: { readonly links: readonly (readonly FoundUrl[])[]; readonly linkless: number }[] = [];
  #urls = 0;
  #links = 0;

  constructor(window: number) {
    this.#window = window;
  }

  /** So many URLs from now on. */
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

  /** What was begun is given back. */
  cancel(): void {
    this.#urls--;
  }

  /** `linkless`: how many more results there are, without links. */
  report(results: readonly UrlResult[], linkless = 0): void {
    if (results.length + linkless === 0) return;
    this.#reported.push({ links: results.map(({ foundLinks }) => foundLinks), linkless });
  }

  /** The oldest report was committed: returns the links of its results. */
  settle(): readonly (readonly FoundUrl[])[] {
    const { links, linkless } = this.#reported.shift()!;
    this.#urls -= links.length + linkless;
    for (const found of links) this.#links -= found.length;
    return links;
  }
}
