/**
 * The pages of a site that a program renders, learned from its responses. In: the URL, hash and content of each
 * response. Out: changes, stored in the memory. What always holds: no change is stored twice; the numbers of pages and
 * of waiting changes are bounded; serving never waits for this work.
 */

import { createHash } from 'node:crypto';
import { putNewest } from '../../core/bounded-map.ts';
import type { Change, DynamicEvent, WatchedPage } from '../records.ts';
import { pageUrl } from './served-url.ts';
import { VolatilePages } from './volatile-pages.ts';

export interface ServedMemory {
  readonly pageCount: number;
  find(key: string): Promise<WatchedPage | null>;
  /** Numbers the changes, and sets the number in their pages. */
  note(changes: readonly Omit<Change, 'seq'>[]): Promise<unknown>;
}

export interface ServedPagesOptions {
  /** Query parameters that select another page. A request with any other parameter is not observed. */
  readonly parameters: readonly string[];
  readonly maxPages: number;
  /** Null if scripts are not examined; then no body is kept. */
  readonly examine: ((content: Buffer, url: string) => { readonly events: readonly DynamicEvent[] }) | null;
  readonly nowMs: () => number;
  /** Called once per page whose hash is no longer reported. */
  readonly onVolatile: (url: string) => void;
  readonly onFault: (error: unknown) => void;
}

export interface Serving {
  readonly url: string;
  readonly hash: string;
  readonly size: number;
  /** Null if the content is not examined or is too large. */
  readonly content: Buffer | null;
}

const DEFAULTS: ServedPagesOptions = {
  parameters: [],
  maxPages: 100_000,
  examine: null,
  nowMs: Date.now,
  onVolatile: () => undefined,
  onFault: () => undefined,
};
const NO_STAMP = { size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0 } as const;
const MAX_WAITING = 500;
const MAX_REMEMBERED = 10_000;
const MAX_MISSING = 1_000;
/** A single 404 may be a mistake. */
const MISSING_TIMES = 2;

export class ServedPages {
  #isFull = false;
  readonly options: ServedPagesOptions;
  readonly #memory: ServedMemory;
  readonly #volatile: VolatilePages;
  /** The last stored hash by URL. It saves most reads of the memory. */
  readonly #noted = new Map<string, string>();
  readonly #missing = new Map<string, number>();
  #waiting = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(memory: ServedMemory, options: Partial<ServedPagesOptions> = {}) {
    this.options = { ...DEFAULTS, ...options };
    this.#memory = memory;
    this.#volatile = new VolatilePages(this.options.onVolatile);
  }

  saw(serving: Serving): void {
    const { url, hash } = serving;
    this.#missing.delete(url);
    if (!this.#volatile.isWorthTelling(url, hash, this.options.nowMs())) return;
    if (this.#noted.get(url) !== hash) this.#later(() => this.#noteContent(serving));
  }

  /** Called when the URL was answered with 404 or 410. */
  missed(url: string, status: number): void {
    const times = (this.#missing.get(url) ?? 0) + 1;
    if (status !== 410 && times < MISSING_TIMES) {
      putNewest(this.#missing, url, times, MAX_MISSING);
      return;
    }
    this.#missing.delete(url);
    this.#later(() => this.#noteDeleted(url));
  }

  /**
   * Called by a program that knows of a change. The content, if given, saves a visit by crawlers that already have it.
   * Returns false if the URL is not a page or too many changes wait.
   */
  changed(target: string, content?: string | Uint8Array): boolean {
    const url = pageUrl(target, this.options.parameters);
    if (url === null) return false;
    const bytes = content === undefined ? null : Buffer.from(content as string);
    const hash = bytes === null ? '' : createHash('sha256').update(bytes).digest('base64url');
    this.#volatile.forget(url);
    const isExamined = this.options.examine !== null;
    return this.#later(() =>
      this.#noteContent({ url, hash, size: bytes?.length ?? 0, content: isExamined ? bytes : null }),
    );
  }

  deleted(target: string): boolean {
    const url = pageUrl(target, this.options.parameters);
    return url !== null && this.#later(() => this.#noteDeleted(url));
  }

  /** Resolves when all observed changes are stored. */
  settled(): Promise<void> {
    return this.#turn;
  }

  async #noteContent({ url, hash, size, content }: Serving): Promise<void> {
    const before = await this.#memory.find(`~${url}`);
    const isNew = before === null;
    if (before?.hash === hash && hash !== '') return this.#remember(url, hash);
    if (isNew && this.#memory.pageCount >= this.options.maxPages) return this.#warnFull();
    const atMs = this.options.nowMs();
    const events = content === null ? [] : (this.options.examine?.(content, url).events ?? []);
    const page: WatchedPage = {
      key: `~${url}`,
      url,
      stamp: { ...NO_STAMP, size },
      isFresh: false,
      hash,
      updates: isNew ? 0 : before.updates + 1,
      changedAtMs: atMs,
      seq: 0,
      events,
    };
    await this.#memory.note([
      { kind: isNew ? 'new' : 'updated', atMs, page, was: before?.hash ?? null, from: null, to: null },
    ]);
    this.#remember(url, hash);
  }

  async #noteDeleted(url: string): Promise<void> {
    const page = await this.#memory.find(`~${url}`);
    this.#noted.delete(url);
    this.#volatile.forget(url);
    if (page === null) return;
    await this.#memory.note([
      { kind: 'deleted', atMs: this.options.nowMs(), page, was: page.hash, from: null, to: null },
    ]);
  }

  /** Reported once. A program that answers any path has as many pages as visitors can invent. */
  #warnFull(): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.options.onFault(new Error(`there are already ${this.options.maxPages} pages; new pages are not reported`));
  }

  #remember(url: string, hash: string): void {
    putNewest(this.#noted, url, hash, MAX_REMEMBERED);
  }

  /** Runs one after the other. If the queue is full, the change is found at the next response of the page. */
  #later(note: () => Promise<void>): boolean {
    if (this.#waiting >= MAX_WAITING) return false;
    this.#waiting++;
    this.#turn = this.#turn
      .then(note)
      .catch(this.options.onFault)
      .finally(() => this.#waiting--);
    return true;
  }
}
