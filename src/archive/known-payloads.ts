import type { ArchivedPayload } from './shared-payloads.ts';

/** The first place where a payload was archived. */
export interface KnownPayload extends ArchivedPayload {
  readonly bytes: number;
}

/**
 * The payloads that a writer wrote itself and that may not be committed yet. The least recently used ones are dropped
 * first, and there are never more than `capacity`. There are two generations: when the young one is full, it becomes
 * the old one, and the previous old one is dropped. A Map as an exact LRU cache must step over every deleted entry to
 * find its first one. At this size that costs more than writing the page.
 */
export class KnownPayloads {
  readonly #generationSize: number;
  #young = new Map<string, KnownPayload>();
  #old = new Map<string, KnownPayload>();

  constructor(capacity: number) {
    this.#generationSize = Math.floor(capacity / 2);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  find(digest: string, bytes: number): KnownPayload | null {
    let known = this.#young.get(digest);
    if (known === undefined) {
      known = this.#old.get(digest);
      if (known === undefined) return null;
      this.#old.delete(digest);
      this.remember(digest, known);
    }
    return known.bytes === bytes ? known : null;
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }

  remember(digest: string, payload: KnownPayload): void {
    if (this.#generationSize === 0) return;
    if (this.#young.size >= this.#generationSize) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(digest, payload);
  }
}
