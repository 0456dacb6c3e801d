/**
 * A model of the web that consists of pages and links only, for measuring graph code: link lists, PageRank, orders.
 *
 * In: a number of pages, a mean number of links and a seed. Out: the links of each page as one array cut by
 * offsets (CSR). What always holds: the same three numbers give the same web. A page links to a target once, and
 * never to itself. Every page can be reached from page 0. docs/graph.md describes the model and the measurements
 * of the real web behind it.
 *
 * - Pages lie in *sections* (hosts). A section has consecutive numbers, and the section sizes follow a power law.
 * - The number of links per page follows a power law of exponent 2.7, between a minimum and a maximum.
 * - A link leads to a near page of the section (next, previous, siblings), or to a popular page: of the section
 *   (navigation), of the sections around it (pages of a common subject), or of the whole web. Popularity is a power law
 *   of the rank, which gives the in-degree an exponent of about 2.1. Ranks are spread over the pages, but the first
 *   page of a section, its home page, is always the most popular.
 * - Every page is reachable: an earlier page of the section links to each page except the section's first page, and
 *   an earlier page of any section links to each section's first page. By induction over the numbers, page 0 reaches
 *   all pages.
 */
import { type Random, randomBelow, seededRandom } from '../../testbed/random.ts';
import { attachPages, cutSections, type Tree } from './web-skeleton.ts';

export interface PowerLawShape {
  readonly pages: number;
  readonly meanLinks: number;
  readonly seed: number;
}

export interface PowerLawWeb {
  readonly pages: number;
  /** The links of page p are targets[offsets[p]] up to, but not including, targets[offsets[p + 1]]. */
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
  /** The section of each page. */
  readonly sections: Uint32Array;
  /** The first page of each section, followed by the total number of pages. */
  readonly sectionStarts: Uint32Array;
  /** Returns a view, not a copy. */
  links(page: number): Uint32Array;
}

export const OUT_DEGREE_EXPONENT = 2.7;
/** Few pages have more links. Orbweaver itself keeps no more than some thousand links per page. */
export const MOST_LINKS = 2000;

/**
 * Shares of the links. The other links lead to popular pages of the section, so that three quarters of all links
 * stay on their host.
 */
const ANYWHERE_SHARE = 0.1;
const AROUND_SHARE = 0.15;
const NEAR_SHARE = 0.25;
const SECTIONS_AROUND = 50;
/**
 * Popularity falls with this power of the rank. Alone this would give an in-degree exponent of 1 + 1 / 1.05. But a
 * page cannot link to a home page twice, and near links go to all pages equally, which gives 2.1 to 2.3 for a million
 * to a hundred thousand pages.
 */
const POPULARITY_POWER = 1.05;
/** A small section runs out of targets. After this many failed draws the link leads to another section. */
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

/**
 * A page has at least one link for each page that depends on it in the tree, and at most as many links as
 * there are other pages.
 */
function drawDegrees(pages: number, meanLinks: number, tree: Tree, random: Random): Uint32Array {
  const tail = OUT_DEGREE_EXPONENT - 1;
  // The mean of a Pareto distribution is least × tail / (tail − 1). Rounding down removes half a link.
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

/** Returns a page of the section at distance d with a probability of about 1/d. */
function nearPage(page: number, { start, end }: Place, random: Random): number {
  const distance = Math.floor((end - start) ** random());
  const target = random() < 0.5 ? page - distance : page + distance;
  return target >= start && target < end ? target : page;
}

/** Draws pages of a range; popular pages come more often. */
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

  /**
   * Draws a rank by its power law and maps it to a page. Rank 0 is the first page. The other ranks are spread,
   * one page per rank.
   */
  draw(random: Random): number {
    const rank = Math.floor((random() * this.#span + 1) ** (1 / (1 - POPULARITY_POWER))) - 1;
    return this.#start + ((Math.min(rank, this.#size - 1) * this.#step) % this.#size);
  }
}

/**
 * The step is about the golden section, so that neighbouring ranks lie far apart. It is coprime to the size, so that
 * every place is reached.
 */
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
