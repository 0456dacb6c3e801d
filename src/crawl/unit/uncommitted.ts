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
  #waiting: (() => void)[] = [];

  constructor(window: number) {
    this.#window = window;
  }

  allow(window: number): void {
    this.#window = window;
  }

  get hasRoom(): boolean {
    return this.#urls < this.#window && this.#links < MAX_LINKS;
  }

  /** True if the next result must wait for `room`. Only pages with very many links, such as sitemaps, lead to this. */
  get isFullOfLinks(): boolean {
    return this.#links >= MAX_LINKS;
  }

  /** Resolves when a commit has made room for more links. */
  room(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  begin(): void {
    this.#urls++;
  }

  finish({ foundLinks }: UrlResult): void {
    this.#links += foundLinks.length;
    this.#wakeNext();
  }

  /** A URL in progress is given back. */
  cancel(): void {
    this.#urls--;
    this.#wakeNext();
  }

  /** One at a time: its result may fill the room again. If it does not, it wakes the next one. */
  #wakeNext(): void {
    if (this.#waiting.length > 0 && !this.isFullOfLinks) this.#waiting.shift()!();
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
    this.#wakeNext();
    return links;
  }
}
