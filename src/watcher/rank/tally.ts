/**
 * The numbers that ranks depend on, updated while pages come, change and go: the smallest and largest
 * number of updates, the depth of the site, and the links of the main page. What always holds: the counts
 * are exact in any order of changes; memory grows with the distinct numbers of updates and depths and with
 * the links of the main page, never with the pages.
 */
import type { WatchedPage } from '../records.ts';
import { depthOf, type RankBasis } from './rank.ts';

export type RankedPage = Pick<WatchedPage, 'url' | 'updates'>;

export interface TallyJson {
  readonly main: string;
  readonly links: readonly string[];
  /** Pairs of number of updates and number of pages, ascending. */
  readonly updates: readonly (readonly [number, number])[];
  readonly depths: readonly (readonly [number, number])[];
}

/** Links of the main page beyond this number say nothing about importance. */
const MAX_MAIN_LINKS = 10_000;

/** Counts how many pages have each number. Memory grows with the distinct numbers, never with the pages. */
class Histogram {
  readonly #counts = new Map<number, number>();
  #total = 0;
  #least = 0;
  #most = 0;
  /** The smallest or largest number was removed. The new one is searched at the next read. */
  #isStale = false;

  get total(): number {
    return this.#total;
  }

  /** 0 if empty. */
  get least(): number {
    this.#refresh();
    return this.#least;
  }

  /** 0 if empty. */
  get most(): number {
    this.#refresh();
    return this.#most;
  }

  add(value: number, count = 1): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + count);
    if (this.#total === 0) {
      this.#least = value;
      this.#most = value;
      this.#isStale = false;
    } else if (!this.#isStale) {
      if (value < this.#least) this.#least = value;
      if (value > this.#most) this.#most = value;
    }
    this.#total += count;
  }

  /** Returns false and does nothing if no page has this number. */
  remove(value: number): boolean {
    const count = this.#counts.get(value);
    if (count === undefined) return false;
    this.#total--;
    if (count > 1) this.#counts.set(value, count - 1);
    else {
      this.#counts.delete(value);
      if (value === this.#least || value === this.#most) this.#isStale = true;
    }
    return true;
  }

  entries(): [number, number][] {
    return [...this.#counts].sort(([left], [right]) => left - right);
  }

  #refresh(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    this.#least = 0;
    this.#most = 0;
    let isFirst = true;
    for (const value of this.#counts.keys()) {
      if (isFirst || value < this.#least) this.#least = value;
      if (isFirst || value > this.#most) this.#most = value;
      isFirst = false;
    }
  }
}

export class RankTally {
  readonly #main: string;
  readonly #updates = new Histogram();
  readonly #depths = new Histogram();
  /** Replaced as a whole and never modified, so a basis that was returned earlier keeps its own set. */
  #near: ReadonlySet<string>;

  /** `main` is the URL of the main page; for a site below a path it is `/path/`. */
  constructor(main = '/') {
    this.#main = main;
    this.#near = new Set([main]);
  }

  get main(): string {
    return this.#main;
  }

  get pageCount(): number {
    return this.#depths.total;
  }

  add(page: RankedPage): void {
    this.#updates.add(page.updates);
    this.#depths.add(depthOf(page.url));
  }

  /** Expects the page as it was when it was added or last updated. */
  remove(page: RankedPage): void {
    if (this.#updates.remove(page.updates)) this.#depths.remove(depthOf(page.url));
  }

  /** The number of updates has changed; the URL has not. */
  update(before: RankedPage, updates: number): void {
    if (this.#updates.remove(before.updates)) this.#updates.add(updates);
  }

  /** Replaces the links of the main page. */
  setMainLinks(urls: Iterable<string>): void {
    const near = new Set([this.#main]);
    for (const url of urls) {
      if (near.size > MAX_MAIN_LINKS) break;
      near.add(url);
    }
    this.#near = near;
  }

  basis(): RankBasis {
    const near = this.#near;
    return {
      fewestUpdates: this.#updates.least,
      mostUpdates: this.#updates.most,
      length: this.#depths.most + 1,
      isNearMain: (url) => near.has(url),
    };
  }

  toJSON(): TallyJson {
    const links = [...this.#near].filter((url) => url !== this.#main);
    return { main: this.#main, links, updates: this.#updates.entries(), depths: this.#depths.entries() };
  }

  /** Null if the JSON is not a tally, for example from a damaged file. The pages must then be counted again. */
  static fromJSON(json: unknown): RankTally | null {
    if (typeof json !== 'object' || json === null) return null;
    const { main, links, updates, depths } = json as { [key in keyof TallyJson]?: unknown };
    if (typeof main !== 'string' || !Array.isArray(links) || !links.every((link) => typeof link === 'string'))
      return null;
    const tally = new RankTally(main);
    tally.setMainLinks(links);
    const isWhole = fill(tally.#updates, updates) && fill(tally.#depths, depths);
    return isWhole && tally.#updates.total === tally.#depths.total ? tally : null;
  }
}

function fill(histogram: Histogram, entries: unknown): boolean {
  if (!Array.isArray(entries)) return false;
  const seen = new Set<number>();
  for (const entry of entries) {
    if (!Array.isArray(entry) || entry.length !== 2) return false;
    const [value, count] = entry as [unknown, unknown];
    if (!isCount(value) || !isCount(count) || count === 0 || seen.has(value)) return false;
    seen.add(value);
    histogram.add(value, count);
  }
  return true;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
