/**
 * URLs that a unit knows the store has, with their ids: pages of a site link to the same pages over and over, and a link
 * found here needs no key, no look-up and no crossing between threads. Links written as `/path` are found by what is
 * written, within their host, before they are even resolved: that is most links, and most of what a link costs.
 *
 * Bounded: when the younger generation is full the older one is forgotten. It may only save work (decision 6): what is
 * forgotten is looked up in the store again.
 */
import { detached } from '../core/detached.ts';

const GENERATION = 60_000;

/** Stands for a URL that the rules of this crawl leave out. */
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

  /** Paths as they are written in the pages of a host, with the ids of their URLs; `addPath` fills it. */
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
