/**
 * The web of a crawl that knows far more URLs than it has fetched: a served local web of a few thousand pages, and
 * `known` URLs in total. The other URLs are on hosts that must not be asked for now.
 *
 * What always holds: the served pages and their paths are the same for every value of `known`, so every crawl fetches
 * the same pages. Only the targets of some links differ.
 */

import { randomBelow, seededRandom } from '../../testbed/random.ts';
import { type PageLinks, WebPlan } from '../web/plan.ts';

/**
 * The targets of the 60 links of a page. local: 20 navigation links, 30 neighbours, 10 random known URLs. random: 60
 * random known URLs, too many for any cache. new: like local, but the last 10 links lead to new URLs.
 */
export const LINK_SERIES = ['local', 'random', 'new'] as const;
export type LinkSeries = (typeof LINK_SERIES)[number];

const SERVED_HOSTS = 20;
export const QUIET_HOSTS = 1_000;
/**
 * One port for all webs, because it is part of every URL in the prepared folders. It is outside the range
 * of the other webs.
 */
const PORT = 21_950;

export interface KnownShape {
  readonly known: number;
  readonly served: number;
  readonly series: LinkSeries;
  readonly seed: number;
}

export class KnownPlan extends WebPlan {
  readonly known: number;
  readonly series: LinkSeries;

  constructor({ known, served, series, seed }: KnownShape) {
    super({ seed, pages: served, hosts: SERVED_HOSTS }, PORT);
    this.known = known;
    this.series = series;
  }

  /** The URL with this number: first the served pages, then any number of URLs on quiet hosts. */
  knownUrl(number: number): string {
    if (number < this.shape.pages) return this.url(number);
    const host = number % QUIET_HOSTS;
    return `http://127.1.${host >> 8}.${host & 255}:${this.port}${this.path(number)}`;
  }

  override links(page: number): PageLinks {
    const { navigation, near, far } = super.links(page);
    const random = seededRandom(this.shape.seed, 6, page);
    const anywhere = () => this.knownUrl(randomBelow(random, this.known));
    // Numbers after the last known URL, so that no two links lead to the same new URL.
    const unseen = (_: string, place: number) => this.knownUrl(this.known + page * far.length + place);
    if (this.series === 'new') return { navigation, near, far: far.map(unseen) };
    if (this.series === 'local') return { navigation, near, far: far.map(anywhere) };
    return { navigation: navigation.map(anywhere), near: near.map(anywhere), far: far.map(anywhere) };
  }
}
