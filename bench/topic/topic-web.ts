/**
 * A seeded web for focused crawls: the links between pages, and the words of pages, links and URLs.
 *
 * In: a seed and a number of pages. Out: texts, which are made on demand and are always the same, and links: page `p`
 * has `linkTo[linkStart[p] … linkStart[p + 1] - 1]`. What always holds: about one page in twenty is on topic, page 0
 * is not on topic, and every page can be reached from page 0. The noise levels were chosen before any method was tried
 * on this web. Each comment gives the reason.
 */
import { type Random, randomBelow, seededRandom } from '../../testbed/random.ts';
import { PageWords, shuffle, skewedPick, TOPIC_COUNT, WANTED } from './page-words.ts';
import type { FocusWeb, WebLink } from './simulate.ts';

const MIN_SITE_PAGES = 10;
const MAX_SITE_PAGES = 300;
/** No site has more than a fortieth of a small web. Otherwise a topic would be one site. */
const MAX_SITE_SHARE = 1 / 40;
/**
 * A site is mostly about one topic. Three pages in ten have another topic, so three on-topic pages in ten are alone
 * among pages of other topics.
 */
const SITE_FOCUS = 0.7;

const MIN_CONTENT_LINKS = 5;
const MAX_CONTENT_LINKS = 20;
/** Links to the main page and similar pages of the site, on every page. Their words say nothing about the topic. */
const FURNITURE_LINKS = 3;
/** Share of links that lead to a page of the same topic: topical locality. Without it no focused crawl can work. */
const SAME_TOPIC_SHARE = 0.35;
/** Half of the same-topic links stay on the site. The others lead to a site that the crawl may not know. */
const SAME_TOPIC_HERE = 0.5;
/** Share of links to the same site, with any topic. The remaining links lead anywhere. */
const SAME_SITE_SHARE = 0.3;

const EMPTY_ANCHORS = ['read more', 'here', 'next', 'click here', 'more', 'continue reading', 'details'] as const;
const FURNITURE_ANCHORS = ['home', 'about', 'contact', 'top'] as const;
/** Two links in five have the text “read more” or are a picture without text. */
const EMPTY_ANCHOR_SHARE = 0.4;
/** The text of one link in twenty does not fit its target: advertisements, spam, jokes. */
const LYING_ANCHOR_SHARE = 0.05;
/** Almost half of all URLs are numbers. */
const OPAQUE_URL_SHARE = 0.45;
/** The words around a link describe the target in a third of the cases, otherwise the page that contains the link. */
const AROUND_WORDS = 8;
const AROUND_OF_TARGET = 0.33;

export class TopicWeb implements FocusWeb {
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
      // A topic with few pages is chosen, so that all topics get about the same size. The site of the seed is a
      // portal without a topic.
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

  title(page: number): string {
    return this.#titleOf(page).join(' ');
  }

  text(page: number): string {
    return this.#words.text(page, this.#topics[page]!);
  }

  /**
   * The text including the link texts, as a browser shows it: it contains words of other pages, and
   * “read more” many times.
   */
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

  /** `at` is an index in `linkTo`, `from` is the page with the link. */
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

  /**
   * Makes the links that make every page reachable: an earlier page of the site links to each page, and an earlier site
   * links to each site.
   */
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

/**
 * Returns a random topic that has no more pages than the average. The choice is random so that the wanted topic is not
 * always the first one near the seed.
 */
function pickSmall(sizes: readonly number[], random: Random): number {
  const average = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  const small = [...sizes.keys()].filter((topic) => sizes[topic]! <= average);
  return small[randomBelow(random, small.length)]!;
}

/** Returns the first page of each site. The sizes are as uneven as on the real web. */
function divideIntoSites(pages: number, random: Random): number[] {
  const first: number[] = [];
  const unevenness = Math.min(MAX_SITE_PAGES, pages * MAX_SITE_SHARE) / MIN_SITE_PAGES;
  for (let page = 0; page < pages; ) {
    first.push(page);
    page += Math.round(MIN_SITE_PAGES * unevenness ** random());
  }
  return first;
}
