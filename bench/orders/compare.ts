/**
 * Measures the value of an order: the share of the web's PageRank that its crawl has fetched, at each
 * tenth of the crawl.
 */
import { resolveOptions } from '../../src/core/options/options.ts';
import { type Order, orderNamed } from '../../src/frontier/order.ts';
import { powerLawWeb } from '../graph/power-law-web.ts';
import { crawlModel, type ModelWeb, pageOf } from './crawl-model.ts';
import { preferentialWeb } from './preferential-web.ts';
import { trueRanks } from './true-ranks.ts';

export const ORACLE = 'oracle';
export const OURS = 'best-first';
export const COMPARED = ['breadth-first', 'backlink', 'opic', OURS] as const;
export const TENTHS = 10;
const MEAN_LINKS = 12;

export const WEBS = {
  preferential: (pages: number, seed: number): ModelWeb => preferentialWeb(pages, MEAN_LINKS, seed),
  communities: (pages: number, seed: number): ModelWeb => powerLawWeb({ pages, meanLinks: MEAN_LINKS, seed }),
} as const;
export type WebName = keyof typeof WEBS;

/** How much PageRank a crawl in this order has after each part of it. */
export interface Held {
  readonly order: string;
  /** Fetched share of the total PageRank after each tenth of the crawl. */
  readonly mass: readonly number[];
  readonly seconds: number;
}

export interface OrderRun extends Held {
  readonly web: WebName;
  readonly seed: number;
}

export async function* compareOrders(
  name: WebName,
  pages: number,
  seed: number,
  stepMs?: number,
): AsyncGenerator<OrderRun> {
  for await (const held of compareOn(WEBS[name](pages, seed), stepMs)) yield { web: name, seed, ...held };
}

/** Runs every order once, the oracle first. */
export async function* compareOn(web: ModelWeb, stepMs?: number): AsyncGenerator<Held> {
  const truth = trueRanks(web);
  for (const order of [oracleOf(truth), ...COMPARED.map((each) => orderNamed(each, resolveOptions([])))]) {
    const startMs = performance.now();
    const fetched = await crawlModel(web, order, stepMs);
    if (fetched.length !== web.pages) throw new Error(`${order.name} fetched ${fetched.length} of ${web.pages} pages`);
    const seconds = (performance.now() - startMs) / 1_000;
    yield { order: order.name, mass: massAtTenths(fetched, truth), seconds };
  }
}

/** Orders the same growing frontier by the ranks of the complete web, which no real crawl knows. */
function oracleOf(truth: ArrayLike<number>): Order {
  return { name: ORACLE, rank: ({ url }) => -truth[pageOf(url)]! };
}

function massAtTenths(fetched: ArrayLike<number>, truth: ArrayLike<number>): number[] {
  const mass: number[] = [];
  let held = 0;
  for (let i = 0; i < fetched.length; i++) {
    held += truth[fetched[i]!]!;
    if (i + 1 === Math.round(((mass.length + 1) * fetched.length) / TENTHS)) mass.push(held);
  }
  return mass;
}
