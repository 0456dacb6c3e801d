import type { FileStamp, WatchedPage } from '../records.ts';
import type { PageLayers } from './page-layers.ts';
import { isSettledAs } from './page-line.ts';
import type { RunCursor } from './run-file.ts';

/**
 * Iterates over all pages in order while pages change. The scan stands on one page; `form` is null after the last page.
 * What always holds: the scan returns the current state of the page it stands on; it visits every page that existed
 * when it began, but may miss pages that were added ahead of it later.
 */
export class LayerScan {
  form: string | null = null;
  readonly #layers: PageLayers;
  readonly #windowBytes: number | undefined;
  #generation = -1;
  #cursors: RunCursor[] = [];
  #forms: readonly string[] = [];
  #formsAt = 0;
  /** The form at which the scan begins, or at which it stood last. */
  #place: string;
  #cursor: RunCursor | null = null;

  constructor(layers: PageLayers, from: string, windowBytes?: number) {
    this.#layers = layers;
    this.#windowBytes = windowBytes;
    this.#place = from;
    this.#find();
  }

  next(): void {
    if (this.form === null) return;
    const passed = this.form;
    this.#place = passed;
    if (this.#generation === this.#layers.generation) this.#pass(passed);
    this.#find(passed);
  }

  /** Moves to the first page whose form is `form` or sorts after it. */
  seek(form: string): void {
    this.#place = form;
    this.#generation = -1;
    this.#find();
  }

  /** Whether the page has this stamp and does not have to be read again. */
  isSettledAs(stamp: FileStamp): boolean {
    const page = this.#layers.inMemory(this.form!);
    if (page === undefined && this.#cursor !== null) {
      // The overlay may have been written as a run in the meantime, so the cursor may no longer be at the right place.
      if (this.#generation !== this.#layers.generation) return false;
      return isSettledAs(this.#cursor.reader.bytes, this.#cursor.quoteAt, stamp);
    }
    return page !== undefined && page !== null && !page.isFresh && isSameStamp(page.stamp, stamp);
  }

  page(): WatchedPage | null {
    const page = this.#layers.inMemory(this.form!);
    if (page !== undefined) return page;
    if (this.#generation !== this.#layers.generation) return this.#layers.find(this.form!);
    return this.#cursor?.page() ?? null;
  }

  #find(passed?: string): void {
    for (;;) {
      if (this.#generation !== this.#layers.generation) this.#open(passed);
      const cursor = smallestCursor(this.#cursors);
      const inMemory = this.#forms[this.#formsAt];
      const isRun = cursor !== null && (inMemory === undefined || cursor.form! <= inMemory);
      const form = isRun ? cursor.form! : inMemory;
      if (form === undefined) {
        this.form = null;
        return;
      }
      const page = this.#layers.inMemory(form);
      const isGone = page === undefined ? !isRun || cursor.isGone : page === null;
      if (!isGone) {
        this.form = form;
        this.#cursor = isRun ? cursor : null;
        return;
      }
      this.#pass(form);
    }
  }

  #pass(form: string): void {
    for (const cursor of this.#cursors) if (cursor.form === form) cursor.next();
    if (this.#forms[this.#formsAt] === form) this.#formsAt++;
  }

  #open(passed: string | undefined): void {
    this.#generation = this.#layers.generation;
    this.#cursors = this.#layers.runs.map((run) => run.cursor(this.#place, this.#windowBytes));
    this.#forms = this.#layers.formsInMemory(this.#place);
    this.#formsAt = 0;
    if (passed !== undefined) this.#pass(passed);
  }
}

export function isSameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino;
}

/** The first cursor that stands on the smallest form; null when all cursors are at their end. */
export function smallestCursor(cursors: readonly RunCursor[]): RunCursor | null {
  let found: RunCursor | null = null;
  for (const cursor of cursors) {
    if (cursor.form !== null && (found === null || cursor.form < found.form!)) found = cursor;
  }
  return found;
}
