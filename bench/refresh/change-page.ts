/**
 * Changes pages of the local web. In: a plan and a number of pages, or one page. Out: the pages to change,
 * or the changed page.
 *
 * What always holds: the same plan gives the same changes. A smaller selection is part of every larger one. A changed
 * page differs from its old version and has about the same size. Its links lead to existing pages, so no page is new
 * and no page is gone.
 */

import { type Random, randomBelow, seededRandom } from '../../testbed/random.ts';
import type { WebPlan } from '../web/plan.ts';

/** sentence: a sentence of the text. figure: a number in the table, such as a price. link: the target of one link. */
export const CHANGE_KINDS = ['sentence', 'figure', 'link'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** How many of a hundred changed pages are of these kinds. The other pages get another sentence. */
const FIGURES_OF_HUNDRED = 25;
const LINKS_OF_HUNDRED = 15;

const PARAGRAPH = '<p class="body">';
const FIGURE = '</td><td>';
const ASIDE = '<aside>';
const ASIDE_LINK = '<li><a href="';

export function pickPages(plan: WebPlan, count: number): ReadonlySet<number> {
  const random = seededRandom(plan.shape.seed, 6);
  const pages = Array.from({ length: plan.shape.pages }, (_, page) => page);
  for (let place = 0; place < count; place++) {
    const other = place + randomBelow(random, pages.length - place);
    [pages[place], pages[other]] = [pages[other]!, pages[place]!];
  }
  return new Set(pages.slice(0, count));
}

export function kindOf(plan: WebPlan, page: number): ChangeKind {
  const chance = randomBelow(seededRandom(plan.shape.seed, 7, page), 100);
  if (chance < FIGURES_OF_HUNDRED) return 'figure';
  return chance < FIGURES_OF_HUNDRED + LINKS_OF_HUNDRED ? 'link' : 'sentence';
}

export function changePage(plan: WebPlan, page: number, html: string): string {
  const random = seededRandom(plan.shape.seed, 8, page);
  switch (kindOf(plan, page)) {
    case 'sentence':
      return replaceOne(html, PARAGRAPH, '.', 0, random, () => plan.words.sentence(random).slice(0, -1));
    case 'figure':
      return replaceOne(html, FIGURE, '<', 0, random, (old) => otherFigure(old, random));
    case 'link':
      return replaceOne(html, ASIDE_LINK, '"', html.indexOf(ASIDE), random, () =>
        plan.url(randomBelow(random, plan.shape.pages)),
      );
  }
}

/** Replaces the text between a mark and its end, at one random place after `from`. */
function replaceOne(
  html: string,
  mark: string,
  end: string,
  from: number,
  random: Random,
  make: (old: string) => string,
): string {
  const starts: number[] = [];
  for (let at = html.indexOf(mark, from); at >= 0; at = html.indexOf(mark, at + 1)) starts.push(at + mark.length);
  const start = starts[randomBelow(random, starts.length)]!;
  const stop = html.indexOf(end, start);
  const old = html.slice(start, stop);
  let other = make(old);
  while (other === old) other = make(old);
  return html.slice(0, start) + other + html.slice(stop);
}

/** Returns another number with as many digits, as usual for prices. */
function otherFigure(old: string, random: Random): string {
  const least = old.length === 1 ? 0 : 10 ** (old.length - 1);
  return String(least + randomBelow(random, 10 ** old.length - least));
}
