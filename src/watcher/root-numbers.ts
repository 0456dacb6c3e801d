/**
 * Assigns stable numbers to roots, because keys contain the number of a root and the user may reorder the roots.
 * In: the current roots, and the numbered roots in the memory. Out: rules that use these numbers. What always
 * holds: a root with the same prefix, or else with the same folder, keeps its number; no number is given to
 * another root while pages may be stored under it.
 */
import type { SiteRoot, SiteRules } from './site/site-rules.ts';

/** `roots` is indexed by number; null if a root is no longer watched. */
export interface NumberedRules extends Omit<SiteRules, 'roots'> {
  readonly roots: readonly (SiteRoot | null)[];
}

export interface Numbered {
  readonly rules: NumberedRules;
  /** The numbered roots that the memory must store. */
  readonly known: readonly SiteRoot[];
}

export function numberRoots(rules: SiteRules, before: readonly SiteRoot[]): Numbered {
  const known = [...before];
  const order = new Map<number, number>();
  const left = new Set(rules.roots.keys());
  const give = (number: number, at: number) => {
    const { folder, prefix } = rules.roots[at]!;
    known[number] = { folder, prefix };
    order.set(number, at);
    left.delete(at);
  };
  for (const same of ['prefix', 'folder'] as const) {
    for (const at of left) {
      const number = before.findIndex((root, each) => !order.has(each) && root[same] === rules.roots[at]![same]);
      if (number !== -1) give(number, at);
    }
  }
  for (const at of left) give(known.length, at);
  return { rules: byNumber(rules, known.length, order), known };
}

function byNumber(rules: SiteRules, count: number, order: ReadonlyMap<number, number>): NumberedRules {
  const orderOf = (number: number) => order.get(number) ?? Number.NaN;
  return {
    site: rules.site,
    mainPage: rules.mainPage,
    roots: Array.from({ length: count }, (_, number) => rules.roots[orderOf(number)] ?? null),
    isWalked: (folder) => rules.isWalked(folder),
    urlOf: (number, path) => (order.has(number) ? rules.urlOf(orderOf(number), path) : null),
    before: (number, path) => rules.before(orderOf(number), path),
    urlOfLink: (path) => rules.urlOfLink(path),
  };
}
