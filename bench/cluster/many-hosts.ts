/**
 * The web of the cluster benchmarks: the pages of bench/web on a few hundred hosts, each with its own address.
 *
 * In: a shape. Out: URLs, links and the response time of each page. What always holds: the response of a page takes the
 * same time in every run. A leaf is a link that only one page has and that robots.txt forbids, so a crawler that knows
 * the leaf has read the links of that page.
 */

import { seededRandom } from '../../testbed/random.ts';
import { type PageLinks, WebPlan } from '../web/plan.ts';

/** The first half of all addresses: on loopback, or behind a bridge that only the benchmark has. */
export const NETWORKS = ['127.77', '10.77'] as const;
export type Network = (typeof NETWORKS)[number];

/** The third number of the addresses of the bridge and the workers is lower than this, and 255 is for broadcasts. */
const FIRST_BLOCK = 100;
const HOSTS_A_BLOCK = 200;
const MAX_HOSTS = 20_000;
/** Outside the port ranges of the other webs. */
export const USUAL_PORT = 21_970;
const SHORTEST_ANSWER_MS = 20;
const LONGEST_ANSWER_MS = 80;

export interface ManyHostsShape {
  readonly seed: number;
  readonly pages: number;
  readonly hosts: number;
  readonly network: Network;
  readonly port: number;
  /** Number of links of each page that lead to a leaf. */
  readonly leaves: number;
  /** True: responses take no time. For benchmarks that count and do not measure time. */
  readonly isPrompt: boolean;
}

export class ManyHosts extends WebPlan {
  readonly manyShape: ManyHostsShape;

  constructor(shape: ManyHostsShape) {
    if (shape.hosts > MAX_HOSTS) throw new RangeError(`hosts must be at most ${MAX_HOSTS}`);
    const { seed, pages, hosts, network, port } = shape;
    super({ seed, pages, hosts }, port, addressesOf(network, hosts));
    this.manyShape = shape;
  }

  /** The first page of each host. A crawl that starts at all of them has work for many workers at once. */
  get homes(): readonly string[] {
    return this.hosts.map((_, host) => this.url(host));
  }

  /** Most responses are quick and a few are slow: the time follows the square of a uniform random number. */
  answerMs(page: number): number {
    if (this.manyShape.isPrompt) return 0;
    const chance = seededRandom(this.shape.seed, 8, page)();
    return SHORTEST_ANSWER_MS + (LONGEST_ANSWER_MS - SHORTEST_ANSWER_MS) * chance ** 2;
  }

  leavesOf(page: number): string[] {
    return Array.from(
      { length: this.manyShape.leaves },
      (_, leaf) => new URL(`/leaf/${page}-${leaf}.html`, this.url(page)).href,
    );
  }

  override links(page: number): PageLinks {
    const { navigation, near, far } = super.links(page);
    const leaves = this.leavesOf(page);
    // The leaves replace the last links, because the first link may be the only way to the next host.
    return { navigation, near, far: [...far.slice(0, far.length - leaves.length), ...leaves] };
  }

  /** Finds the page by its host and path. Returns -1 when the path is not a page. */
  pageAt(host: number, path: string): number {
    const place = path === '/' ? 0 : Number(/-(\d{1,9})\.html$/.exec(path)?.[1] ?? Number.NaN);
    const page = place * this.shape.hosts + host;
    return page < this.shape.pages && this.path(page) === path ? page : -1;
  }
}

export const ROBOTS_TXT = 'User-agent: *\nDisallow: /leaf/\n';

function addressesOf(network: Network, hosts: number): string[] {
  return Array.from(
    { length: hosts },
    (_, host) => `${network}.${FIRST_BLOCK + Math.floor(host / HOSTS_A_BLOCK)}.${1 + (host % HOSTS_A_BLOCK)}`,
  );
}
