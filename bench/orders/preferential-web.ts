/**
 * The simplest web with a power law. Pages are added one after the other and link to earlier pages: mostly to pages
 * that already have links (preferential attachment, Barabási and Albert 1999), otherwise to neighbours or to any
 * page. Then some links forward to neighbours are added, and the numbers are shuffled, so that they do not show the
 * age of a page.
 *
 * Every page can be reached from page 0, because an earlier page links to each page. The in-degree follows a power law
 * (the test measures its exponent). There are no communities; the webs of bench/graph have them.
 */
import { randomBelow, seededRandom } from '../../testbed/random.ts';
import type { ModelWeb } from './crawl-model.ts';

const MOST_LINKS = 200;
const OUT_DEGREE_EXPONENT = 2.7;
const PREFERENTIAL_SHARE = 0.8;
const NEAR_SHARE = 0.15;
const NEAR_PAGES = 100;
const MOST_FORWARD = 3;

export function preferentialWeb(pages: number, meanLinks: number, seed: number): ModelWeb {
  const random = seededRandom(seed, pages, 0x70726566);
  const links = Array.from({ length: pages }, () => new Set<number>());
  /** Contains each page once per link to it. */
  const linkedTo: number[] = [];
  const least = (meanLinks * (OUT_DEGREE_EXPONENT - 2)) / (OUT_DEGREE_EXPONENT - 1);
  const near = () => 1 + Math.floor(-Math.log(1 - random()) * NEAR_PAGES);
  const link = (from: number, to: number): void => {
    if (from === to || to < 0 || to >= pages || links[from]!.has(to)) return;
    links[from]!.add(to);
    linkedTo.push(to);
  };
  for (let page = 1; page < pages; page++) {
    link(random() < 0.5 ? Math.max(0, page - near()) : randomBelow(random, page), page);
    const wanted = Math.round(least * (1 - random()) ** (-1 / (OUT_DEGREE_EXPONENT - 1)));
    for (let i = Math.min(MOST_LINKS, wanted); i > 0; i--) {
      const kind = random();
      if (kind < PREFERENTIAL_SHARE) link(page, linkedTo[randomBelow(random, linkedTo.length)]!);
      else link(page, kind < PREFERENTIAL_SHARE + NEAR_SHARE ? page - near() : randomBelow(random, page));
    }
  }
  for (let page = 0; page < pages; page++) {
    for (let i = randomBelow(random, MOST_FORWARD); i > 0; i--) link(page, page + near());
  }
  return shuffled(links, random);
}

/** Shuffles the page numbers; page 0 keeps its number. */
function shuffled(links: readonly ReadonlySet<number>[], random: () => number): ModelWeb {
  const names = Uint32Array.from(links.keys());
  for (let i = names.length - 1; i > 1; i--) {
    const j = 1 + randomBelow(random, i);
    [names[i], names[j]] = [names[j]!, names[i]!];
  }
  const renamed = new Array<Uint32Array>(links.length);
  for (const [page, targets] of links.entries()) {
    renamed[names[page]!] = Uint32Array.from(targets, (target) => names[target]!);
  }
  return { pages: links.length, links: (page) => renamed[page]! };
}
