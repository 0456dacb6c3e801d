/**
 * A model of the web as pages and links alone, for measuring what works on graphs: link lists, PageRank, orders.
 *
 * In come a number of pages, a mean number of links and a seed; out go the links of each page as one array cut by offsets
 * (CSR). What always holds: the same three numbers give the same web; a page links to a target once, and never to itself;
 * every page can be reached from page 0. docs/graph.md says what is modelled, and after which measurements of the real web.
 *
 * - Pages lie in *sections* (hosts): neighbours in the numbering, of sizes that follow a power law.
 * - The number of links of a page follows a power law of exponent 2.7, from a least number up to a cap.
 * - A link leads to a near page of the section (next, previous, siblings), to a popular page of the section (navigation), of
 *   the sections around it (what a subject has in common) or of the whole web. Popularity is a power law of the rank, which
 *   gives the in-degree an exponent of about 2.1; which page has which rank is mixed, but for the section's first page, its
 *   home page, which is the most popular.
 * - Reachable: each page but a section's first is linked from an earlier page of its section, each section's first from an
 *   earlier page of any section. By induction over the numbers all of them hang on page 0.
 */
import { type Random, randomBelow, seededRandom } from '../web/random.ts';
import { attachPages, cutSections, type Tree } from './web-skeleton.ts';

export interface PowerLawShape {
  readonly pages: number;
  readonly meanLinks: number;
  readonly seed: number;
}

export interface PowerLawWeb {
  readonly pages: number;
  /** Links of page p are targets[offsets[p]] up to, not including, targets[offsets[p + 1]]. */
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
  /** The section of each page. */
  readonly sections: Uint32Array;
  /** The first page of each section, and the number of pages behind the last. */
  readonly sectionStarts: Uint32Array;
  /** A view, no copy. */
  links(page: number): Uint32Array;
}

export const OUT_DEGREE_EXPONENT = 2.7;
/** Few pages have more; Orbweaver itself keeps no more than some thousands. */
export const MOST_LINKS = 2000;

/** Shares of the links; the rest leads to popular pages of the section, so that three quarters stay on their host. */
const ANYWHERE_SHARE = 0.1;
const AROUND_SHARE = 0.15;
const NEAR_SHARE = 0.25;
const SECTIONS_AROUND = 50;
/**
 * Popularity falls with this power of the rank. Alone it would give an in-degree exponent of 1 + 1 / 1.05; a page cannot
 * link to a home page twice, and near links go to all alike, which makes it 2.1 to 2.3 for a million to a hundred thousand pages.
 */
const POPULARITY_POWER = 1.05;
/** A small section runs out of targets: so many draws in vain, and the link leads elsewhere. */
const VAIN_DRAWS = 4;

export function powerLawWeb({ pages, meanLinks, seed }: PowerLawShape): PowerLawWeb {
  const random = seededRandom(seed, pages, 0x6c696e6b);
  const sectionStarts = cutSections(pages, random);
  const sections = new Uint32Array(pages);
  for (let section = 0; section + 1 < sectionStarts.length; section++) {
    sections.fill(section, sectionStarts[section], sectionStarts[section + 1]);
  }
  const tree = attachPages(pages, sections, sectionStarts, random);
  const degrees = drawDegrees(pages, meanLinks, tree, random);
  const offsets = new Uint32Array(pages + 1);
  for (let page = 0; page < pages; page++) offsets[page + 1] = offsets[page]! + degrees[page]!;
  const targets = new Uint32Array(offsets[pages]!);
  const met = new Uint32Array(pages);
  const anywhere = new PopularPages(0, pages);
  let around = anywhere;
  for (let section = 0; section + 1 < sectionStarts.length; section++) {
    const start = sectionStarts[section]!;
    const end = sectionStarts[section + 1]!;
    if (section % SECTIONS_AROUND === 0) {
      const last = Math.min(section + SECTIONS_AROUND, sectionStarts.length - 1);
      around = new PopularPages(start, sectionStarts[last]! - start);
    }
    const place: Place = { start, end, pages, here: new PopularPages(start, end - start), around, anywhere };
    for (let page = start; page < end; page++) {
      drawLinks(page, place, targets.subarray(offsets[page], offsets[page + 1]), tree, met, random);
    }
  }
  const links = (page: number) => targets.subarray(offsets[page], offsets[page + 1]);
  return { pages, offsets, targets, sections, sectionStarts, links };
}

/** Never fewer than a page needs for the pages that hang on it, and never more than there are other pages. */
function drawDegrees(pages: number, meanLinks: number, tree: Tree, random: Random): Uint32Array {
  const tail = OUT_DEGREE_EXPONENT - 1;
  // The mean of a Pareto law is least × tail / (tail − 1); rounding down takes half a link.
  const least = ((meanLinks + 0.5) * (tail - 1)) / tail;
  const degrees = new Uint32Array(pages);
  for (let page = 0; page < pages; page++) {
    const drawn = Math.min(MOST_LINKS, Math.floor(least * (1 - random()) ** (-1 / tail)));
    const hanging = tree.offsets[page + 1]! - tree.offsets[page]!;
    degrees[page] = Math.min(pages - 1, Math.max(drawn, hanging));
  }
  return degrees;
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly pages: number;
  readonly here: PopularPages;
  readonly around: PopularPages;
  readonly anywhere: PopularPages;
}

function drawLinks(page: number, place: Place, into: Uint32Array, tree: Tree, met: Uint32Array, random: Random): void {
  const mark = page + 1;
  let count = 0;
  const take = (target: number): boolean => {
    if (target === page || met[target] === mark) return false;
    met[target] = mark;
    into[count++] = target;
    return true;
  };
  for (let i = tree.offsets[page]!; i < tree.offsets[page + 1]!; i++) take(tree.pages[i]!);
  let vain = 0;
  while (count < into.length) {
    const kind = random();
    let target: number;
    if (vain > 8 * VAIN_DRAWS) target = randomBelow(random, place.pages);
    else if (vain > VAIN_DRAWS || kind < ANYWHERE_SHARE) target = place.anywhere.draw(random);
    else if (kind < ANYWHERE_SHARE + AROUND_SHARE) target = place.around.draw(random);
    else if (kind < ANYWHERE_SHARE + AROUND_SHARE + NEAR_SHARE) target = nearPage(page, place, random);
    else target = place.here.draw(random);
    vain = take(target) ? 0 : vain + 1;
  }
}

/** At a distance d with a chance of about 1/d, within the section. */
function nearPage(page: number, { start, end }: Place, random: Random): number {
  const distance = Math.floor((end - start) ** random());
  const target = random() < 0.5 ? page - distance : page + distance;
  return target >= start && target < end ? target : page;
}

/** Pages of a range, the popular ones oftener. */
class PopularPages {
  readonly #start: number;
  readonly #size: number;
  readonly #step: number;
  readonly #span: number;

  constructor(start: number, size: number) {
    this.#start = start;
    this.#size = size;
    this.#step = coprimeStep(size);
    this.#span = (size + 1) ** (1 - POPULARITY_POWER) - 1;
  }

  /** A rank by its power law, turned into a page: rank 0 is the first page, the others are mixed, each rank its own page. */
  draw(random: Random): number {
    const rank = Math.floor((random() * this.#span + 1) ** (1 / (1 - POPULARITY_POWER))) - 1;
    return this.#start + ((Math.min(rank, this.#size - 1) * this.#step) % this.#size);
  }
}

/** About a golden section, so that neighbouring ranks lie far apart, and coprime to the size, so that all places are met. */
function coprimeStep(size: number): number {
  let step = Math.max(1, Math.round(size * 0.6180339887));
  while (greatestDivisor(step, size) > 1) step++;
  return step;
}

function greatestDivisor(some: number, other: number): number {
  let left = some;
  let right = other;
  while (right > 0) [left, right] = [right, left % right];
  return left;
}
