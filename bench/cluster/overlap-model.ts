/**
 * The three other ways for a crowd to crawl that WBC compares itself with (W20, Table II), as a model over the link graph of a web: a
 * web and a crowd in, how often each page was fetched out. It counts and does not time: in each step every crawler
 * fetches one page, breadth first, from a home page of its own on.
 *
 * What always holds: it ends when every page was fetched by somebody, which is the least that a crawl is for.
 */
import type { ManyHosts } from './many-hosts.ts';

export const MODELS = ['independent', 'dependent', 'seed server'] as const;
export type Model = (typeof MODELS)[number];

export interface Overlap {
  /** How often, by page. */
  readonly times: readonly number[];
  readonly steps: number;
  /** Between crawlers, or between them and their server. */
  readonly messages: number;
}

export interface LinkGraph {
  readonly pages: number;
  readonly hosts: number;
  /** Pages by the page that links to them, each once. */
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

/** Independent ones know nothing of each other; dependent ones tell all others what they take, which is heard a step later. */
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
        // Another has it, and tells what it links to as well.
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

/** The server knows all links and gives each site to one crawler, which asks for another when it has no more of it to fetch. */
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
      // It tells the server what the page links to, and hears what to fetch next.
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
