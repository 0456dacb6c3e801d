/**
 * Compares the parts of a page with those of its Markdown, rendered again. In: both. Out: how many parts there are, and
 * how many of them came back. Equal parts are counted as often as they occur on both sides.
 */
import type { PageParts } from './read-parts.ts';

/** Parts on the pages, and those of them that came back. */
export interface Share {
  all: number;
  same: number;
}

export const PARTS = ['headings', 'links', 'codeBlocks', 'dataCells', 'otherCells', 'grids'] as const;
export type Part = (typeof PARTS)[number];

export class Comparison {
  readonly shares = Object.fromEntries(PARTS.map((part) => [part, { all: 0, same: 0 }])) as Record<Part, Share>;
  /** Cells of tables that are not data by the standard and became other text. */
  readonly asText: Share = { all: 0, same: 0 };
  codeLinks = 0;
  readonly noteLinks: Share = { all: 0, same: 0 };
  readonly missing: { readonly url: string; readonly part: Part; readonly text: string }[] = [];

  add(url: string, page: PageParts, rendered: PageParts): void {
    const simple = ['headings', 'links', 'codeBlocks', 'grids'] as const;
    for (const part of simple) this.#match(url, part, page[part], rendered[part]);
    const back = countsOf(rendered.cells.map(({ text }) => text));
    const texts = (isData: boolean) => page.cells.filter((cell) => cell.isData === isData).map(({ text }) => text);
    this.#take(url, 'dataCells', texts(true), back);
    for (const text of this.#take(url, 'otherCells', texts(false), back)) {
      this.asText.all++;
      if (rendered.text.includes(text.replaceAll(' ', ''))) this.asText.same++;
    }
    this.codeLinks += page.codeLinks;
    this.noteLinks.all += page.noteLinks;
    this.noteLinks.same += Math.min(page.noteLinks, rendered.noteLinks);
  }

  #match(url: string, part: Part, texts: readonly string[], found: readonly string[]): void {
    this.#take(url, part, texts, countsOf(found));
  }

  /** Takes the texts out of those that came back. Returns the texts that did not. */
  #take(url: string, part: Part, texts: readonly string[], back: Map<string, number>): string[] {
    const share = this.shares[part];
    const missing = texts.filter((text) => {
      const left = back.get(text) ?? 0;
      back.set(text, left - 1);
      return left <= 0;
    });
    share.all += texts.length;
    share.same += texts.length - missing.length;
    for (const text of missing) this.missing.push({ url, part, text });
    return missing;
  }
}

function countsOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
