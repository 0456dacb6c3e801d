import type { ArchivedPayload } from './shared-payloads.ts';

/** Where a payload was archived first. */
export interface KnownPayload extends ArchivedPayload {
  readonly bytes: number;
}

/**
 * The payloads a writer remembers of those it wrote itself, which may not be committed yet, least recently used ones forgotten first, never more than `capacity`. Two generations:
 * when the young one is full it becomes the old one and the old one is dropped. A Map used as an exact LRU steps over
 * every deleted entry to find its first one, which at this size costs more than the write of the page.
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
