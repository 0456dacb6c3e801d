/**
 * Pages whose bytes differ in every response (a token, the time). Their hash means nothing. A page is volatile when it
 * differed several times without being equal once. A difference within a minute counts fully, a later one counts a
 * quarter. After three equal responses in a row the page is an ordinary page again.
 */
import { putNewest } from '../../core/bounded-map.ts';

interface Servings {
  hash: string;
  atMs: number;
  weight: number;
  equalInARow: number;
  isVolatile: boolean;
}

const QUICK_MS = 60_000;
const SLOW_WEIGHT = 0.25;
const VOLATILE_WEIGHT = 4;
const CALM_SERVINGS = 3;

export class VolatilePages {
  readonly #maxPages: number;
  readonly #onVolatile: (url: string) => void;
  /** In the order of last use. */
  readonly #pages = new Map<string, Servings>();

  constructor(onVolatile: (url: string) => void, maxPages = 10_000) {
    this.#onVolatile = onVolatile;
    this.#maxPages = maxPages;
  }

  get size(): number {
    return this.#pages.size;
  }

  /** Whether the hash is meaningful. */
  isWorthTelling(url: string, hash: string, nowMs: number): boolean {
    const servings = this.#servingsOf(url, hash, nowMs);
    if (servings.hash === hash) {
      servings.weight = 0;
      servings.equalInARow++;
      if (servings.equalInARow >= CALM_SERVINGS) servings.isVolatile = false;
    } else {
      servings.weight += nowMs - servings.atMs < QUICK_MS ? 1 : SLOW_WEIGHT;
      servings.equalInARow = 0;
      if (!servings.isVolatile && servings.weight >= VOLATILE_WEIGHT) {
        servings.isVolatile = true;
        this.#onVolatile(url);
      }
    }
    servings.hash = hash;
    servings.atMs = nowMs;
    return !servings.isVolatile;
  }

  forget(url: string): void {
    this.#pages.delete(url);
  }

  #servingsOf(url: string, hash: string, nowMs: number): Servings {
    const known = this.#pages.get(url);
    const servings = known ?? { hash, atMs: nowMs, weight: 0, equalInARow: 0, isVolatile: false };
    putNewest(this.#pages, url, servings, this.#maxPages);
    return servings;
  }
}
