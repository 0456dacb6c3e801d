/**
 * An order ranks a host's waiting URLs: the lowest rank is fetched first, equal ranks in the order of discovery. A rank is a
 * number given once, when the URL is found, so that a queue of any length is kept sorted by an index of the store and is
 * never sorted as a whole.
 */
import { breadthFirst } from './orders/breadth-first.ts';
import { depthFirst } from './orders/depth-first.ts';

export interface RankedLink {
  /** Links between the seeds and this URL. */
  readonly depth: number;
}

export interface Order {
  readonly name: string;
  rank(link: RankedLink): number;
}

const ORDERS: Readonly<Record<string, Order>> = { 'breadth-first': breadthFirst, 'depth-first': depthFirst };

export function orderNamed(name: string): Order {
  const order = ORDERS[name];
  if (!order) throw new RangeError(`no order ${name}`);
  return order;
}
