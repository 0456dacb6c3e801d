/**
 * Models the three other ways to crawl with many crawlers that WBC compares itself with (W20, Table II), over the link
 * graph of a web. In: a web and a number of crawlers. Out: how often each page was fetched. The model counts and does
 * not measure time: in each step every crawler fetches one page, breadth first, starting at its own home page.
 *
 * What always holds: the model ends when every page was fetched by at least one crawler, which is the
 * minimum for a crawl.
 */
import type { ManyHosts } from './many-hosts.ts';

export const MODELS = ['independent', 'dependent', 'seed server'] as const;
export type Model = (typeof MODELS)[number];

export interface Overlap {
  /** Number of fetches of each page, indexed by page. */
  readonly times: readonly number[];
  readonly steps: number;
  /** Messages between crawlers, or between the crawlers and their server. */
  readonly messages: number;
}

export interface LinkGraph {
  readonly pages: number;
  readonly hosts: number;
  /** The link targets of each page, without repetitions. */
  readonly links: readonly (readonly number[])[];
}

export function linkGraphOf(plan: ManyHosts): LinkGraph {
  const { pages, hosts } = plan.shape;
  const numbers = new Map(Array.from({ length: pages }, (_, page) => [plan.url(page), page]));
  const links = Array.from({ length: pages }, (_, page) => {
    const { navigation, near, far } = plan.links(page);
    const found = [...navigation, ...near, ...far].map((link) => numbers.get(link));
    return [...new Set(found.filter((target) => target !== undefined))];
  });
  return { pages, hosts, links };
}

export function modelOverlap(model: Model, graph: LinkGraph, crowd: number): Overlap {
  return model === 'seed server' ? withSeedServer(graph, crowd) : withoutServer(graph, crowd, model === 'dependent');
}

/**
 * Independent crawlers know nothing about each other. Dependent crawlers tell all others which pages they take; the
 * others receive this message one step later.
 */
function withoutServer({ pages, hosts, links }: LinkGraph, crowd: number, isTelling: boolean): Overlap {
  const times = new Array<number>(pages).fill(0);
  const queues = Array.from({ length: crowd }, (_, crawler) => [homeOf(crawler, crowd, hosts)]);
  const seen = queues.map((queue) => new Set(queue));
  const heard = new Uint8Array(pages);
  const next = queues.map(() => 0);
  let [left, steps, messages] = [pages, 0, 0];
  while (left > 0) {
    steps++;
    const taken: number[] = [];
    for (const [crawler, queue] of queues.entries()) {
      while (isTelling && next[crawler]! < queue.length && heard[queue[next[crawler]!]!] === 1) {
        // Another crawler has this page, and its message includes the links of the page.
        follow(links[queue[next[crawler]!++]!]!, queue, seen[crawler]!);
      }
      const page = queue[next[crawler]!];
      if (page === undefined) continue;
      next[crawler]!++;
      if (times[page]!++ === 0) left--;
      follow(links[page]!, queue, seen[crawler]!);
      taken.push(page);
    }
    if (taken.length === 0) throw new Error('a page of this web cannot be reached');
    for (const page of isTelling ? taken : []) {
      heard[page] = 1;
      messages += crowd - 1;
    }
  }
  return { times, steps, messages };
}

/**
 * The server knows all links and gives each site to one crawler. The crawler asks for another site when it has fetched
 * all pages of its site.
 */
function withSeedServer({ pages, hosts, links }: LinkGraph, crowd: number): Overlap {
  const times = new Array<number>(pages).fill(0);
  const known = new Set<number>();
  const waiting = Array.from({ length: hosts }, () => [] as number[]);
  const learn = (page: number) => {
    if (known.has(page)) return;
    known.add(page);
    waiting[page % hosts]!.push(page);
  };
  for (let crawler = 0; crawler < crowd; crawler++) learn(homeOf(crawler, crowd, hosts));
  const site = new Array<number>(crowd).fill(-1);
  const isGiven = new Uint8Array(hosts);
  let [left, steps, messages] = [pages, 0, 0];
  while (left > 0) {
    steps++;
    let isBusy = false;
    for (let crawler = 0; crawler < crowd; crawler++) {
      const held = site[crawler]!;
      if (held === -1 || waiting[held]!.length === 0) {
        if (held !== -1) isGiven[held] = 0;
        site[crawler] = waiting.findIndex((queue, host) => queue.length > 0 && isGiven[host] === 0);
        messages++;
        if (site[crawler] === -1) continue;
        isGiven[site[crawler]!] = 1;
      }
      const page = waiting[site[crawler]!]!.shift()!;
      if (times[page]!++ === 0) left--;
      for (const link of links[page]!) learn(link);
      // The crawler sends the links of the page to the server and receives the next page to fetch.
      messages++;
      isBusy = true;
    }
    if (!isBusy) throw new Error('a page of this web cannot be reached');
  }
  return { times, steps, messages };
}

function homeOf(crawler: number, crowd: number, hosts: number): number {
  return Math.floor((crawler * hosts) / crowd) % hosts;
}

function follow(links: readonly number[], queue: number[], seen: Set<number>): void {
  for (const link of links) {
    if (seen.has(link)) continue;
    seen.add(link);
    queue.push(link);
  }
}
