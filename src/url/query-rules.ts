/** The two optional rules for queries: some parameters are dropped, and the others are sorted. */

export type QueryRewriter = (query: string) => string;

/** Returns null if there is nothing to do, so that the caller can skip queries completely. */
export function compileQueryRules(sortQuery: boolean, dropParameters: readonly string[]): QueryRewriter | null {
  if (!sortQuery && dropParameters.length === 0) return null;
  const exact = new Set<string>();
  const prefixes: string[] = [];
  for (const name of dropParameters) {
    if (name.endsWith('*')) prefixes.push(name.slice(0, -1));
    else exact.add(name);
  }
  const isDropped = (pair: string): boolean => {
    const name = parameterName(pair);
    return exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
  };

  return (query) => {
    let pairs = query.split('&').filter((pair) => !isDropped(pair));
    if (sortQuery) {
      // The sort is stable and looks at names only, because `a=2&a=1` may be a list whose order matters.
      pairs = pairs.filter((pair) => pair !== '');
      pairs.sort((left, right) => compareText(parameterName(left), parameterName(right)));
    }
    return pairs.join('&');
  };
}

export function parameterName(pair: string): string {
  const equals = pair.indexOf('=');
  return equals === -1 ? pair : pair.slice(0, equals);
}

// Compares by code units, not by locale: the same crawl must give the same URLs on every machine.
function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
