/** Compares two searches and shows the smallest query that they answer differently. */
import { formatQuery } from '../../../src/search/query/format-query.ts';
import type { Query } from '../../../src/search/query/query.ts';
import { shrinkQuery } from './random-query.ts';

export type Search = (query: Query) => ReadonlySet<number>;

/** Null if both find the same pages. Otherwise a text for the message of a failing test. */
export function differenceOf(query: Query, reference: Search, search: Search): string | null {
  const isDifferent = (each: Query): boolean => {
    const [expected, found] = [reference(each), search(each)];
    return without(expected, found).length + without(found, expected).length > 0;
  };
  if (!isDifferent(query)) return null;
  const smallest = shrinkQuery(query, isDifferent);
  const [expected, found] = [reference(smallest), search(smallest)];
  return [
    `query:    ${formatQuery(query)}`,
    `smallest: ${formatQuery(smallest)}`,
    `missing:  ${without(expected, found).slice(0, 10).join(' ')}`,
    `too many: ${without(found, expected).slice(0, 10).join(' ')}`,
  ].join('\n');
}

function without(ids: ReadonlySet<number>, others: ReadonlySet<number>): number[] {
  return [...ids].filter((id) => !others.has(id));
}
