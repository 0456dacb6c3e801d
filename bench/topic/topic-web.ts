/**
 * A seeded web on which a focused crawl can be tried: who links to whom, and what pages, links and URLs say.
 *
 * In come a seed and a number of pages; out come links (page `p` has `linkTo[linkStart[p] … linkStart[p + 1] - 1]`) and texts made
 * when asked for, the same each time. What always holds: about one page in twenty is on topic, page 0 is not, and every page can
 * be reached from it. The levels of noise were chosen before any method was tried on this web; each says why.
 */
import { type Random, randomBelow, seededRandom } from '../web/random.ts';
import { PageWords, shuffle, skewedPick, TOPIC_COUNT, WANTED } from './page-words.ts';

const MIN_SITE_PAGES = 10;
const MAX_SITE_PAGES = 300;
/** No site has more than a fortieth of a small web: else a topic would be one site. */
const MAX_SITE_SHARE = 1 / 40;
/** A site is mostly about one thing; three pages in ten are not, so three on-topic pages in ten stand alone among others. */
const SITE_FOCUS = 0.7;

const MIN_CONTENT_LINKS = 5;
const MAX_CONTENT_LINKS = 20;
/** Links to the main page and other furniture of the site, on every page: they say nothing. */
const FURNITURE_LINKS = 3;
/** A link leads to a page of the same topic: topical locality, without which no focused crawl can work at all. */
const SAME_TOPIC_SHARE = 0.35;
/** … and half of those stay on the site; the others cross to a site the crawl may not know. */
const SAME_TOPIC_HERE = 0.5;
/** Of the site, whatever the topic. What remains leads anywhere. */
const SAME_SITE_SHARE = 0.3;

const EMPTY_ANCHORS = ['read more', 'here', 'next', 'click here', 'more', 'continue reading', 'details'] as const;
const FURNITURE_ANCHORS = ['home', 'about', 'contact', 'top'] as const;
/** Two links in five are “read more” or a picture without a text. */
const EMPTY_ANCHOR_SHARE = 0.4;
/** One in twenty speaks of something else than where it leads: advertisements, spam, jokes. */
const LYING_ANCHOR_SHARE = 0.05;
/** Almost half of all URLs are numbers. */
const OPAQUE_URL_SHARE = 0.45;
/** The words around a link speak of the link a third of the time, otherwise of the page they are on. */
const AROUND_WORDS = 8;
const AROUND_OF_TARGET = 0.33;

export interface WebLink {
  readonly url: string;
  readonly anchor: string;
  /** The words before and after the link. */
  readonly around: string;
}

export class TopicWeb {
  readonly pages: number;
  readonly linkStart: Uint32Array;
  readonly linkTo: Uint32Array;
  readonly onTopicPages: number;
  readonly #seed: number;
  readonly #topics: Uint8Array;
  readonly #sites: Uint32Array;
  readonly #words: PageWords;

  constructor(seed: number, pages: number) {
    this.pages = pages;
    this.#seed = seed;
    this.#words = new PageWords(seed);
    const random = seededRandom(seed, 1);
    const firstPages = divideIntoSites(pages, random);
    this.#sites = new Uint32Array(pages);
    this.#topics = new Uint8Array(pages);
    const sizes = Array.from({ length: TOPIC_COUNT }, () => 0);
    for (const [site, first] of firstPages.entries()) {
      const end = firstPages[site + 1] ?? pages;
      // One of the smaller topics, so that all come to one size; the seed's site is a portal without one.
      const topic = pickSmall(sizes, random);
      for (let page = first; page < end; page++) {
        this.#sites[page] = site;
        this.#topics[page] = site > 0 && random() < SITE_FOCUS ? topic : randomBelow(random, TOPIC_COUNT);
        sizes[this.#topics[page]!]!++;
      }
    }
    if (this.#topics[0] === WANTED) this.#topics[0] = WANTED + 1;
    const links = this.#makeLinks(firstPages);
    this.linkStart = new Uint32Array(pages + 1);
    for (let page = 0; page < pages; page++) this.linkStart[page + 1] = this.linkStart[page]! + links[page]!.length;
    this.linkTo = new Uint32Array(this.linkStart[pages]!);
    for (let page = 0; page < pages; page++) this.linkTo.set(links[page]!, this.linkStart[page]!);
    this.onTopicPages = this.#topics.reduce((count, topic) => count + (topic === WANTED ? 1 : 0), 0);
  }

  isOnTopic(page: number): boolean {
    return this.#topics[page] === WANTED;
  }

  text(page: number): string {
    return this.#words.text(page, this.#topics[page]!);
  }

  /** The text with that of the links, as a browser shows it: words of other pages, and “read more” again and again. */
  visibleText(page: number): string {
    let text = this.text(page);
    for (let at = this.linkStart[page]!; at < this.linkStart[page + 1]!; at++) text += ` ${this.link(page, at).anchor}`;
    return text;
  }

  url(page: number): string {
    const random = seededRandom(this.#seed, 3, page);
    const site = `http://site${this.#sites[page]}.test`;
    if (random() < OPAQUE_URL_SHARE) return random() < 0.5 ? `${site}/p/${page}` : `${site}/index.php?id=${page}`;
    const words = this.#titleOf(page).slice(0, 3);
    return `${site}/${words.join(random() < 0.8 ? '-' : '_')}${random() < 0.5 ? '.html' : ''}?p=${page}`;
  }

  /** `at` is a place in `linkTo`, `from` the page it belongs to. */
  link(from: number, at: number): WebLink {
    const to = this.linkTo[at]!;
    const random = seededRandom(this.#seed, 4, at);
    const furniture = at - this.linkStart[from]! < FURNITURE_LINKS;
    const anchor = furniture
      ? FURNITURE_ANCHORS[randomBelow(random, FURNITURE_ANCHORS.length)]!
      : this.#anchor(to, random);
    const around = Array.from({ length: AROUND_WORDS }, () => {
      const about = !furniture && random() < AROUND_OF_TARGET ? to : from;
      return random() < 0.2 ? this.#words.topicWord(random, this.#topics[about]!) : this.#words.commonWord(random);
    });
    return { url: this.url(to), anchor, around: around.join(' ') };
  }

  #anchor(to: number, random: Random): string {
    const chance = random();
    if (chance < EMPTY_ANCHOR_SHARE) return EMPTY_ANCHORS[randomBelow(random, EMPTY_ANCHORS.length)]!;
    if (chance < EMPTY_ANCHOR_SHARE + LYING_ANCHOR_SHARE) {
      return `${this.#words.commonWord(random)} ${this.#words.topicWord(random, randomBelow(random, TOPIC_COUNT))}`;
    }
    const title = this.#titleOf(to);
    return title.slice(0, 1 + randomBelow(random, title.length)).join(' ');
  }

  #titleOf(page: number): string[] {
    return this.#words.title(page, this.#topics[page]!).split(' ');
  }

  #makeLinks(firstPages: readonly number[]): number[][] {
    const random = seededRandom(this.#seed, 2);
    const popular = Array.from({ length: this.pages }, (_, page) => page);
    shuffle(popular, random);
    const ofTopic = Map.groupBy(popular, (page) => this.#topics[page]!);
    const siteEnd = (site: number) => firstPages[site + 1] ?? this.pages;
    return this.#makeTree(firstPages, random).map((children, page) => {
      const site = this.#sites[page]!;
      const first = firstPages[site]!;
      const here = () => first + randomBelow(random, siteEnd(site) - first);
      const topic = this.#topics[page]!;
      const sameTopicHere = Array.from({ length: siteEnd(site) - first }, (_, i) => first + i).filter(
        (other) => this.#topics[other] === topic,
      );
      const links = [first];
      while (links.length < FURNITURE_LINKS) links.push(here());
      const content = MIN_CONTENT_LINKS + randomBelow(random, MAX_CONTENT_LINKS - MIN_CONTENT_LINKS + 1);
      for (let i = 0; i < content; i++) {
        const chance = random();
        if (chance < SAME_TOPIC_SHARE) {
          const choices = random() < SAME_TOPIC_HERE ? sameTopicHere : ofTopic.get(topic)!;
          links.push(
            choices === sameTopicHere ? choices[randomBelow(random, choices.length)]! : skewedPick(choices, random),
          );
        } else links.push(chance < SAME_TOPIC_SHARE + SAME_SITE_SHARE ? here() : skewedPick(popular, random));
      }
      return [...links, ...children];
    });
  }

  /** Links that make everything reachable: each page is linked from an earlier one of its site, each site from an earlier one. */
  #makeTree(firstPages: readonly number[], random: Random): number[][] {
    const children: number[][] = Array.from({ length: this.pages }, () => []);
    for (let page = 1; page < this.pages; page++) {
      const first = firstPages[this.#sites[page]!]!;
      const parent = page === first ? randomBelow(random, first) : first + randomBelow(random, page - first);
      children[parent]!.push(page);
    }
    return children;
  }
}

/** Any topic with no more pages than the average, by chance: the wanted one is not to be the first near the seed each time. */
function pickSmall(sizes: readonly number[], random: Random): number {
  const average = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  const small = [...sizes.keys()].filter((topic) => sizes[topic]! <= average);
  return small[randomBelow(random, small.length)]!;
}

/** The first page of each site; sizes as uneven as those of sites are. */
function divideIntoSites(pages: number, random: Random): number[] {
  const first: number[] = [];
  const unevenness = Math.min(MAX_SITE_PAGES, pages * MAX_SITE_SHARE) / MIN_SITE_PAGES;
  for (let page = 0; page < pages; ) {
    first.push(page);
    page += Math.round(MIN_SITE_PAGES * unevenness ** random());
  }
  return first;
}
