/** Matches queries with the terms of a text, as an index does. */
import { analyzeQuery, analyzeText, type QueryWay } from '../../../src/search/analysis/analyze.ts';

export class TermTable {
  readonly text: string;
  /** The positions of each term. */
  readonly positions = new Map<string, Set<number>>();
  /** Terms in their order, as `term@position`. */
  readonly list: string[] = [];
  readonly end: number;

  constructor(text: string, firstPosition = 0) {
    this.text = text;
    this.end = analyzeText(text, firstPosition, (term, position) => {
      this.list.push(`${term}@${position}`);
      const known = this.positions.get(term);
      if (known === undefined) this.positions.set(term, new Set([position]));
      else known.add(position);
    });
  }

  has(term: string): boolean {
    return this.positions.has(term);
  }

  isFoundBy(query: string): boolean {
    return analyzeQuery(query).some((way) => this.#has(way));
  }

  #has({ terms }: QueryWay): boolean {
    const [first, ...rest] = terms;
    if (first === undefined) return false;
    for (const at of this.positions.get(first.term) ?? []) {
      const start = at - first.offset;
      if (rest.every(({ term, offset }) => this.positions.get(term)?.has(start + offset))) return true;
    }
    return false;
  }
}

export function termsOf(text: string): string {
  return new TermTable(text).list.join(' ');
}

export function waysOf(query: string): string[] {
  return analyzeQuery(query).map(({ terms }) => terms.map(({ term, offset }) => `${term}@${offset}`).join(' '));
}
