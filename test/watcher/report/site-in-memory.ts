/** A site's memory for tests. It behaves like the real one, but uses a map in place of the disk. */
import { createHash } from 'node:crypto';
import type { Rank } from '../../../src/watcher/rank/rank.ts';
import type { Change, DynamicEvent, WatchedPage } from '../../../src/watcher/records.ts';
import type { ReportMemory, ReportSource } from '../../../src/watcher/report/report-source.ts';

export const NO_STAMP = { size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0 };
export const hashOf = (content: string): string => createHash('sha256').update(content).digest('base64url');

/** Draws the same numbers for the same seed. */
export function drawing(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export class SiteInMemory implements ReportMemory {
  readonly epoch: string;
  isComplete = true;
  sweptAtMs = 1_000_000;
  oldestSeq = 0;
  readonly #pages = new Map<string, WatchedPage>();
  #sorted: string[] | null = null;
  #changes: Change[] = [];
  #lastSeq = 0;
  readonly #listeners = new Set<(changes: readonly Change[]) => void>();

  constructor(epoch = 'k3f9x2') {
    this.epoch = epoch;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get pageCount(): number {
    return this.#pages.size;
  }

  async find(key: string): Promise<WatchedPage | null> {
    return this.#pages.get(key) ?? null;
  }

  async pages(after: string | null, limit: number): Promise<readonly WatchedPage[]> {
    this.#sorted ??= [...this.#pages.keys()].sort();
    const found: WatchedPage[] = [];
    let at = 0;
    if (after !== null)
      for (let end = this.#sorted.length; at < end; ) {
        const middle = (at + end) >> 1;
        if (this.#sorted[middle]! <= after) at = middle + 1;
        else end = middle;
      }
    for (; at < this.#sorted.length && found.length < limit; at++) found.push(this.#pages.get(this.#sorted[at]!)!);
    return found;
  }

  async changes(after: number, limit: number): Promise<readonly Change[]> {
    const first = this.#changes[0]?.seq ?? this.#lastSeq + 1;
    return this.#changes.slice(Math.max(0, after + 1 - first), Math.max(0, after + 1 - first) + limit);
  }

  async note(changes: readonly Omit<Change, 'seq'>[]): Promise<readonly Change[]> {
    const noted = changes.map((change) => {
      const seq = ++this.#lastSeq;
      const page = { ...change.page, seq };
      if (change.kind === 'deleted') this.#pages.delete(page.key);
      else this.#pages.set(page.key, page);
      this.#sorted = null;
      return { ...change, seq, page };
    });
    this.#changes.push(...noted);
    for (const listener of this.#listeners) listener(noted);
    return noted;
  }

  onChange(listener: (changes: readonly Change[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets the changes up to a number. */
  drop(upTo: number): void {
    this.oldestSeq = Math.max(this.oldestSeq, Math.min(upTo, this.#lastSeq));
    this.#changes = this.#changes.filter(({ seq }) => seq > this.oldestSeq);
  }

  /** Adds pages that exist from the start. */
  begin(urls: readonly string[]): void {
    for (const url of urls) this.#pages.set(`0${url}`, this.pageOf(url, `content of ${url}`));
    this.#sorted = null;
  }

  pageOf(url: string, content: string, events: readonly DynamicEvent[] = []): WatchedPage {
    const before = this.#pages.get(`0${url}`);
    const stamp = { ...NO_STAMP, size: content.length };
    const times = { updates: (before?.updates ?? -1) + 1, changedAtMs: 2_000_000 + this.#lastSeq, seq: 0 };
    return { key: `0${url}`, url, stamp, isFresh: false, hash: hashOf(content), ...times, events };
  }

  async put(url: string, content: string, from: string | null = null): Promise<void> {
    const was = this.#pages.get(`0${url}`)?.hash ?? null;
    const page = this.pageOf(url, content);
    const kind = was === null ? 'new' : 'updated';
    if (was !== page.hash) await this.note([{ kind, atMs: page.changedAtMs, page, was, from, to: null }]);
  }

  async remove(url: string, to: string | null = null): Promise<void> {
    const page = this.#pages.get(`0${url}`);
    if (page === undefined) return;
    await this.note([{ kind: 'deleted', atMs: 2_000_000 + this.#lastSeq, page, was: page.hash, from: null, to }]);
  }

  /** Moves a page to an unused URL. */
  async move(url: string, to: string, isNewFirst: boolean): Promise<void> {
    const page = this.#pages.get(`0${url}`);
    if (page === undefined || this.#pages.has(`0${to}`)) return;
    const atMs = 2_000_000 + this.#lastSeq;
    const gone = { kind: 'deleted' as const, atMs, page, was: page.hash, from: null, to };
    const there = {
      kind: 'new' as const,
      atMs,
      page: { ...page, key: `0${to}`, url: to },
      was: null,
      from: url,
      to: null,
    };
    await this.note(isNewFirst ? [there, gone] : [gone, there]);
  }

  state(): Map<string, string> {
    return new Map([...this.#pages.values()].map(({ url, hash }) => [url, hash]));
  }
}

/** Ranks that depend on the page alone, so that a test can compute the expected rank. */
export function rankOf({ url, updates }: { readonly url: string; readonly updates: number }): Rank {
  const [frequency, level] = [Math.min(updates, 10) / 20, url === '/' ? 0.5 : 0.1 * (1 + (url.length % 4))];
  return { frequency, level, rank: frequency + level };
}

export function sourceOf(
  memory: SiteInMemory,
  site = 'https://www.example.org',
): ReportSource & { memory: SiteInMemory } {
  return { site, memory, rankOf };
}
