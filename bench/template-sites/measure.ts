/**
 * How well the template of a site is learned. In: the pages of a site with the truth. Out: the share of characters that
 * are classified right, while the site is learned and at its end, and what the errors are.
 *
 * Short blocks of the content that many pages share ("Return value") count neither way: whether a label is
 * template is a matter of taste.
 */
import { Template } from '../../src/content/template/template.ts';
import type { TruePage, TrueSite } from './read-truth.ts';

export const LABEL_CHARS = 40;
/** The share of the pages of the site, or of a folder with so many pages, that have a common block. */
const COMMON_SHARE = 0.3;
const LEAST_PAGES = 4;

export interface Shares {
  /** Characters that are classified right, as a share of all that count. */
  readonly right: number;
  /** Template that is taken for own content, and own content that is taken for template, as shares of either. */
  readonly templateMissed: number;
  readonly ownLost: number;
}

export interface SiteFigures {
  readonly site: string;
  readonly isHeldBack: boolean;
  readonly pages: number;
  readonly leftOut: number;
  /** The share of all characters that is template. */
  readonly template: number;
  readonly whileLearning: Shares;
  readonly atEnd: Shares;
}

export function measureSite({ site, pages, leftOut }: TrueSite): SiteFigures {
  const common = new CommonBlocks(pages);
  const template = new Template();
  const [learning, end] = [new Sums(), new Sums()];
  for (const page of pages) learning.add(page, template.learn(page.url, page.words).marks, common);
  for (const page of pages) end.add(page, template.judge(page.url, page.words).marks, common);
  return {
    site: site.name,
    isHeldBack: site.isHeldBack === true,
    pages: pages.length,
    leftOut,
    template: end.templateShare,
    whileLearning: learning.shares,
    atEnd: end.shares,
  };
}

/** Collects the blocks that many pages of the site share, or many pages of a folder. */
export class CommonBlocks {
  /** For each folder: how many pages are in it or below it, and how many of them have each block. */
  readonly #folders = new Map<string, { pages: number; readonly counts: Map<number, number> }>();

  constructor(pages: readonly TruePage[]) {
    for (const page of pages) {
      const blocks = new Set(page.words.hashes);
      for (const path of foldersOf(page.url)) {
        const folder = this.#folders.get(path) ?? { pages: 0, counts: new Map<number, number>() };
        this.#folders.set(path, folder);
        folder.pages++;
        for (const hash of blocks) folder.counts.set(hash, (folder.counts.get(hash) ?? 0) + 1);
      }
    }
  }

  isCommon({ url }: TruePage, hash: number): boolean {
    return foldersOf(url).some((path) => {
      const { pages, counts } = this.#folders.get(path)!;
      return pages >= LEAST_PAGES && counts.get(hash)! >= COMMON_SHARE * pages;
    });
  }
}

/** The site and the folders above the page. */
function foldersOf(url: string): string[] {
  const parts = url.split('/').slice(3, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/')).concat('');
}

class Sums {
  #template = 0;
  #own = 0;
  #missed = 0;
  #lost = 0;

  add(page: TruePage, marks: Uint8Array, common: CommonBlocks): void {
    const all = page.words.hashes;
    for (let block = 0; block < page.words.blocks; block++) {
      const [template, own] = [page.template[block]!, page.own[block]!];
      this.#template += template;
      if (marks[block] === 0) this.#missed += template;
      if (template === 0 && own <= LABEL_CHARS && common.isCommon(page, all[block]!)) continue;
      this.#own += own;
      if (marks[block] === 1) this.#lost += own;
    }
  }

  get templateShare(): number {
    return this.#template / (this.#template + this.#own);
  }

  get shares(): Shares {
    return {
      right: 1 - (this.#missed + this.#lost) / (this.#template + this.#own),
      templateMissed: this.#template === 0 ? 0 : this.#missed / this.#template,
      ownLost: this.#lost / this.#own,
    };
  }
}
