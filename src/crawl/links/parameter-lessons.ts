/**
 * The lessons about query parameters that a unit applies: the lessons from the store, while they are valid. A URL
 * without a lesson here is fetched, which costs time but loses no page.
 */
import type { ParameterLesson } from '../../store/contract.ts';
import { hostOf } from '../../url/host.ts';
import { parameterNames, parameterSpace, withoutParameters } from '../../url/query-parameters.ts';

/** Path shapes that have a lesson. Lessons for further path shapes are not kept here. */
const MAX_SPACES = 20_000;
/** How many URLs without the parameter are requested, although no page links to them, to see whether they exist. */
const MAX_PROBES = 8;

interface Space {
  readonly ignored: Set<string>;
  /** Remaining probes per parameter name. */
  readonly probed: Map<string, number>;
}

export class ParameterLessons {
  readonly #spaces = new Map<string, Space>();

  constructor(lessons: readonly ParameterLesson[]) {
    for (const lesson of lessons) this.learn(lesson);
  }

  learn({ host, space: path, name, verdict }: ParameterLesson): void {
    const key = host + path;
    let space = this.#spaces.get(key);
    if (space === undefined) {
      if (this.#spaces.size >= MAX_SPACES) return;
      space = { ignored: new Set(), probed: new Map() };
      this.#spaces.set(key, space);
    }
    space.ignored.delete(name);
    space.probed.delete(name);
    if (verdict === 'ignored') space.ignored.add(name);
    else if (verdict === 'probed') space.probed.set(name, MAX_PROBES);
    else if (space.ignored.size + space.probed.size === 0) this.#spaces.delete(key);
  }

  /** The URL without its ignored parameters; null if it has none. */
  withoutIgnored(url: string): string | null {
    const space = this.#spaceOf(url);
    if (space === null || space.ignored.size === 0) return null;
    const reduced = withoutParameters(url, this.#ignoredOf(url, space));
    return reduced === url ? null : reduced;
  }

  /** The URL without a parameter that may be ignorable, to test whether the page exists without it. */
  probe(url: string): string | null {
    const space = this.#spaceOf(url);
    if (space === null || space.probed.size === 0) return null;
    const name = parameterNames(url).find((candidate) => (space.probed.get(candidate) ?? 0) > 0);
    if (name === undefined) return null;
    space.probed.set(name, space.probed.get(name)! - 1);
    return withoutParameters(url, new Set([name, ...this.#ignoredOf(url, space)]));
  }

  #ignoredOf(url: string, { ignored }: Space): ReadonlySet<string> {
    return new Set(parameterNames(url).filter((name) => ignored.has(name)));
  }

  /** Returns null early for nearly every URL: it has no query, or there are no lessons. */
  #spaceOf(url: string): Space | null {
    if (this.#spaces.size === 0 || !url.includes('?')) return null;
    const path = parameterSpace(url);
    return path === null ? null : (this.#spaces.get(hostOf(url) + path) ?? null);
  }
}
