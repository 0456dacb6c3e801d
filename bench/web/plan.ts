/**
 * The plan of the local web: its pages and the links of each page.
 *
 * In: a seed, a number of pages, a number of hosts and a port. Out: paths, URLs and links, computed from the number of
 * the page, so nothing has to be stored. What always holds: the same plan gives the same web. Every page can be reached
 * from page 0: a page links to its next neighbour on its host, and a host's home page to the next host's home page.
 */
import { type Random, randomBelow, seededRandom } from '../../testbed/random.ts';
import { Words } from './words.ts';

export const MAX_HOSTS = 20;
const NAVIGATION_LINKS = 20;
const NEAR_LINKS = 30;
const RANDOM_LINKS = 10;
const PAGES_A_SECTION = 100;

export interface WebShape {
  readonly seed: number;
  readonly pages: number;
  readonly hosts: number;
}

/** Absolute paths or absolute URLs, never relative ones. */
export interface PageLinks {
  /** Links that are the same on every page of the host. */
  readonly navigation: readonly string[];
  /** Neighbours on the same host. */
  readonly near: readonly string[];
  /** Pages anywhere in the web. */
  readonly far: readonly string[];
}

export class WebPlan {
  readonly shape: WebShape;
  readonly port: number;
  readonly hosts: readonly string[];
  readonly words: Words;

  constructor(shape: WebShape, port: number, hosts = loopbackHosts(shape.hosts)) {
    if (shape.pages < shape.hosts) throw new RangeError('a host needs at least one page');
    this.shape = shape;
    this.port = port;
    this.hosts = hosts;
    this.words = new Words(shape.seed);
  }

  /** The first URL of a crawl: page 0. */
  get seedUrl(): string {
    return this.url(0);
  }

  host(page: number): string {
    return this.hosts[page % this.shape.hosts]!;
  }

  /** The path of a page; `/` for the first page of a host. */
  path(page: number): string {
    const onHost = Math.floor(page / this.shape.hosts);
    if (onHost === 0) return '/';
    const section = Math.floor(onHost / PAGES_A_SECTION);
    const sectionName = this.words.slug(seededRandom(this.shape.seed, 2, section));
    return `/${sectionName}-${section}/${this.words.slug(seededRandom(this.shape.seed, 3, page))}-${onHost}.html`;
  }

  url(page: number): string {
    return `http://${this.host(page)}:${this.port}${this.path(page)}`;
  }

  /** Each page has its own random numbers, so that pages can be made in any order. */
  randomOf(page: number): Random {
    return seededRandom(this.shape.seed, 4, page);
  }

  links(page: number): PageLinks {
    const hostCount = this.shape.hosts;
    const hostIndex = page % hostCount;
    const onHost = Math.floor(page / hostCount);
    const pagesOnHost = Math.floor((this.shape.pages - hostIndex - 1) / hostCount) + 1;
    const linkTo = (position: number) => {
      const target = (((position % pagesOnHost) + pagesOnHost) % pagesOnHost) * hostCount + hostIndex;
      // Several hosts need full URLs: one peer takes paths on its second host for paths on its first host.
      return hostCount > 1 ? this.url(target) : this.path(target);
    };

    const navigation = Array.from({ length: NAVIGATION_LINKS }, (_, index) =>
      linkTo(Math.floor((index * pagesOnHost) / NAVIGATION_LINKS)),
    );
    const near: string[] = [];
    for (let step = 1; step <= NEAR_LINKS / 2; step++) near.push(linkTo(onHost + step), linkTo(onHost - step));

    const random = seededRandom(this.shape.seed, 5, page);
    const far = Array.from({ length: RANDOM_LINKS }, () => this.url(randomBelow(random, this.shape.pages)));
    if (onHost === 0 && hostCount > 1) far[0] = this.url((hostIndex + 1) % hostCount);
    return { navigation, near, far };
  }
}

function loopbackHosts(count: number): readonly string[] {
  if (count < 1 || count > MAX_HOSTS) throw new RangeError(`hosts must be 1 to ${MAX_HOSTS}`);
  return Array.from({ length: count }, (_, index) => `127.0.0.${index + 1}`);
}
