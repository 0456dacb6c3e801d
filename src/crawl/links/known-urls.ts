/**
 * Cache of the ids of URLs that the store has. The pages of a site link to the same pages again and again, and a link
 * found here needs no key, no lookup and no message between threads. A link written as `/path` is looked up as written,
 * per host, before it is resolved: most links have this form, and resolving is most of the cost of a link.
 *
 * What always holds: the size is bounded, because the older generation is dropped when the younger one is full. The
 * cache only saves work (decision 6): a dropped URL is looked up in the store again.
 */
import { detached } from '../../core/copy-text.ts';

const GENERATION = 60_000;

/** The id of a URL that the rules of this crawl exclude. */
export const LEFT_OUT = -1;

export class KnownUrls {
  #young = new Map<string, number>();
  #old = new Map<string, number>();
  #pathsOfHosts = new Map<string, Map<string, number>>();
  #pathCount = 0;

  get(url: string): number | undefined {
    const id = this.#young.get(url);
    if (id !== undefined) return id;
    const older = this.#old.get(url);
    if (older !== undefined) this.#keep(url, older);
    return older;
  }

  set(url: string, id: number): void {
    this.#keep(detached(url), id);
  }

  /** The paths as written in the pages of a host, with the ids of their URLs. `addPath` fills the map. */
  pathsOf(host: string): ReadonlyMap<string, number> {
    let paths = this.#pathsOfHosts.get(host);
    if (!paths) {
      paths = new Map();
      this.#pathsOfHosts.set(host, paths);
    }
    return paths;
  }

  addPath(host: string, path: string, id: number): void {
    if (++this.#pathCount > GENERATION) {
      this.#pathsOfHosts = new Map();
      this.#pathCount = 1;
    }
    (this.pathsOf(host) as Map<string, number>).set(detached(path), id);
  }

  #keep(url: string, id: number): void {
    if (this.#young.size >= GENERATION) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(url, id);
  }
}
