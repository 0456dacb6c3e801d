import type { ChangeKind, WatchedPage } from '../records.ts';
import { formOf } from './key-order.ts';
import type { LayerScan } from './layer-scan.ts';
import type { NewChange, SiteMemory } from './site-memory.ts';

/** Number of changes in a batch. */
const BATCH = 512;
/** A smaller batch is written after this time. */
const MAX_WAIT_MS = 250;

/**
 * Buffers the changes that were found but not yet written, to write them in batches. What always
 * holds: `find` includes the buffered changes.
 */
export class Ledger {
  readonly #memory: SiteMemory;
  #changes: NewChange[] = [];
  #sinceMs: number | null = null;
  #latest = new Map<string, { readonly page: WatchedPage | null; readonly at: number }>();
  readonly counts: Record<ChangeKind, number> & { moved: number } = { new: 0, updated: 0, deleted: 0, moved: 0 };

  constructor(memory: SiteMemory) {
    this.#memory = memory;
  }

  /** Whether the batch is full or has waited long enough to be written. */
  isDue(nowMs: number): boolean {
    if (this.#changes.length === 0) return false;
    if (this.#sinceMs === null || nowMs < this.#sinceMs) this.#sinceMs = nowMs;
    return this.#changes.length >= BATCH || nowMs - this.#sinceMs >= MAX_WAIT_MS;
  }

  get isFull(): boolean {
    return this.#changes.length >= BATCH;
  }

  find(form: string): WatchedPage | null {
    const latest = this.#latest.get(form);
    return latest === undefined ? this.#memory.findForm(form) : latest.page;
  }

  /** Whether a change of this page waits to be written. */
  isPending(form: string): boolean {
    return this.#latest.has(form);
  }

  /** Like `find`, for the page that a scan stands on. No lookup is needed. */
  findAt(scan: LayerScan): WatchedPage | null {
    const latest = this.#latest.get(scan.form!);
    return latest === undefined ? scan.page() : latest.page;
  }

  note(change: NewChange): void {
    const at = this.#changes.push(change) - 1;
    this.#latest.set(formOf(change.page.key), { page: change.kind === 'deleted' ? null : change.page, at });
    if (change.replaces !== undefined) this.#latest.set(formOf(change.replaces), { page: null, at });
    // The same content from another file is not a change of the page.
    if (change.kind !== 'updated' || change.was !== change.page.hash) this.counts[change.kind]++;
    if (change.from !== null) this.counts.moved++;
  }

  /** The content is the same, but the stamp of the page is newer. */
  touch(page: WatchedPage): void {
    const form = formOf(page.key);
    const latest = this.#latest.get(form);
    if (latest === undefined) {
      this.#memory.touch(page);
      return;
    }
    this.#changes[latest.at] = { ...this.#changes[latest.at]!, page };
    this.#latest.set(form, { page, at: latest.at });
  }

  /** Forgets a page because another page already has its URL. */
  async drop(key: string): Promise<void> {
    await this.flush();
    this.#memory.drop(key);
  }

  /** If writing fails, nothing of the batch was stored. The changes will be found again. */
  async flush(): Promise<void> {
    if (this.#changes.length > 0) {
      try {
        await this.#memory.note(this.#changes);
      } finally {
        this.#changes = [];
        this.#sinceMs = null;
        this.#latest.clear();
      }
    }
    await this.#memory.relieve();
  }
}
