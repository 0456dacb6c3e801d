/**
 * Versions of one page are one result. In: the versions that count, and those that match. Out: the best version of each
 * page, the number of pages that have a matching one, and which versions of a page match.
 */
import type { OpenIndex } from '../index/index-reader.ts';
import type { PageBits } from '../index/page-bits.ts';
import type { Ranking } from '../rank/rank-pages.ts';
import type { RankedPage } from '../rank/top-pages.ts';
import type { VersionOfUrl } from './narrow-index.ts';

/** Ranked versions are looked at in steps that grow by this factor, until there are enough pages. */
const GROWTH = 4;

export class VersionGroups {
  readonly #index: OpenIndex;
  /** By the id of a version: the id of its URL. */
  readonly #urls: ReadonlyMap<number, number>;

  constructor(index: OpenIndex, versions: readonly VersionOfUrl[]) {
    this.#index = index;
    this.#urls = new Map(versions.map(({ id, urlId }) => [id, urlId]));
  }

  /** The best version of each of the first `most` pages: a page with many versions must not push out other pages. */
  rank(most: number, rank: (most: number) => Ranking): Ranking {
    for (let versions = most; ; versions *= GROWTH) {
      const ranking = rank(versions);
      const pages = this.#bestOf(ranking.pages);
      if (pages.length < most && ranking.pages.length < ranking.total) continue;
      return { ...ranking, pages: pages.slice(0, most), total: this.#count(ranking.matches) };
    }
  }

  #bestOf(pages: readonly RankedPage[]): RankedPage[] {
    const seen = new Set<number>();
    return pages.filter((page) => seen.size < seen.add(this.#urlOf(page)).size);
  }

  #count(matches: readonly PageBits[]): number {
    const urls = new Set<number>();
    for (const id of this.#idsIn(matches)) urls.add(this.#urls.get(id)!);
    return urls.size;
  }

  /** By page: the ids of all its matching versions. */
  matchingOf(pages: readonly RankedPage[], matches: readonly PageBits[]): number[][] {
    const found = new Map(pages.map((page) => [this.#urlOf(page), [] as number[]]));
    for (const id of this.#idsIn(matches)) found.get(this.#urls.get(id)!)?.push(id);
    return pages.map((page) => found.get(this.#urlOf(page))!);
  }

  #urlOf({ number }: RankedPage): number {
    const { segment, base } = this.#index.segments.findLast((one) => one.base <= number)!;
    return this.#urls.get(segment.columns.wide.urlId[number - base] as number)!;
  }

  *#idsIn(matches: readonly PageBits[]): Generator<number> {
    for (const [i, { segment }] of this.#index.segments.entries()) {
      for (const page of matches[i]!) yield segment.columns.wide.urlId[page] as number;
    }
  }
}
