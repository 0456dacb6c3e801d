/**
 * The web as a crawl sees it that knows far more URLs than it has fetched: a local web of a few thousand pages that is
 * served, and `known` URLs in all, the rest of them on hosts that have to be left alone for now.
 *
 * What always holds: the served pages and their paths are the same whatever `known` is, so that every crawl fetches the
 * same pages; only where some of their links lead differs.
 */
import { type PageLinks, WebPlan } from '../web/plan.ts';
import { randomBelow, seededRandom } from '../web/random.ts';

/**
 * Where the 60 links of a page lead. local: 20 navigation, 30 neighbours, 10 anywhere among the known URLs. random: all 60
 * anywhere among the known URLs, which no cache can hold. new: as local, but the last 10 to URLs nobody has seen.
 */
export const LINK_SERIES = ['local', 'random', 'new'] as const;
export type LinkSeries = (typeof LINK_SERIES)[number];

const SERVED_HOSTS = 20;
export const QUIET_HOSTS = 1_000;
/** One port for all, since it is part of every URL in the prepared folders; outside the range of the other webs. */
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

  /** The URL of a number: the served pages come first, then URLs on quiet hosts without end. */
  knownUrl(number: number): string {
    if (number < this.shape.pages) return this.url(number);
    const host = number % QUIET_HOSTS;
    return `http://127.1.${host >> 8}.${host & 255}:${this.port}${this.path(number)}`;
  }

  override links(page: number): PageLinks {
    const { navigation, near, far } = super.links(page);
    const random = seededRandom(this.shape.seed, 6, page);
    const anywhere = () => this.knownUrl(randomBelow(random, this.known));
    // Behind the last known URL, and no two links to the same.
    const unseen = (_: string, place: number) => this.knownUrl(this.known + page * far.length + place);
    if (this.series === 'new') return { navigation, near, far: far.map(unseen) };
    if (this.series === 'local') return { navigation, near, far: far.map(anywhere) };
    return { navigation: navigation.map(anywhere), near: near.map(anywhere), far: far.map(anywhere) };
  }
}
