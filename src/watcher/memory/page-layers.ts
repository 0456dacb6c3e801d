/**
 * All pages, in layers. In: pages that changed or were checked again, and deleted pages. Out: one page by
 * its form, and all pages in order. What always holds: the newest layer that contains a form is right;
 * memory use does not grow with the number of pages.
 *
 * The overlay is a map in memory. When it is full, it is frozen and written as a run: a sorted file in front of the
 * older runs. A run that has become about as large as the next older run is merged with it. So there are few runs, and
 * a page is rewritten seldom, however many pages change.
 */
import type { WatchedPage } from '../records.ts';
import { compareForms } from './key-order.ts';
import { LayerScan, smallestCursor } from './layer-scan.ts';
import { ManifestInDoubt } from './manifest.ts';
import { RunFile, type RunRecord, RunWriter } from './run-file.ts';

/** A run is merged with the next older run unless the older run has more than this many times as many lines. */
const SIZE_RATIO = 3;
/**
 * Beyond this multiple of the limit (on a full disk) pages that were only checked again are
 * not stored. They are checked once more.
 */
const OVERFULL = 2;
const LINES_PER_PAUSE = 2_000;

/** Writes a list of runs to the disk as the valid list. */
export type Commit = (runs: readonly RunRecord[]) => Promise<void>;

export class PageLayers {
  /** Changes whenever a scan has to find its place again. */
  generation = 0;
  readonly #folder: string;
  readonly #maxOverlay: number;
  readonly #nameRun: () => string;
  #overlay = new Map<string, WatchedPage | null>();
  #frozen: Map<string, WatchedPage | null> | null = null;
  #runs: RunFile[];

  constructor(folder: string, runs: readonly RunFile[], maxOverlay: number, nameRun: () => string) {
    this.#folder = folder;
    this.#runs = [...runs];
    this.#maxOverlay = maxOverlay;
    this.#nameRun = nameRun;
  }

  get runs(): readonly RunFile[] {
    return this.#runs;
  }

  get isFull(): boolean {
    return this.#overlay.size >= this.#maxOverlay;
  }

  get isOverfull(): boolean {
    return this.#overlay.size >= this.#maxOverlay * OVERFULL;
  }

  put(form: string, page: WatchedPage | null): void {
    this.#overlay.set(form, page);
  }

  /** Undefined if only the runs can know the page. */
  inMemory(form: string): WatchedPage | null | undefined {
    const page = this.#overlay.get(form);
    return page === undefined ? this.#frozen?.get(form) : page;
  }

  formsInMemory(from: string): string[] {
    const forms = new Set<string>();
    for (const layer of [this.#overlay, this.#frozen ?? []]) {
      for (const [form] of layer) if (form >= from) forms.add(form);
    }
    return [...forms].sort(compareForms);
  }

  find(form: string): WatchedPage | null {
    const page = this.inMemory(form);
    if (page !== undefined) return page;
    for (const run of this.#runs) {
      const found = run.find(form);
      if (found !== undefined) return found;
    }
    return null;
  }

  scan(from: string, windowBytes?: number): LayerScan {
    return new LayerScan(this, from, windowBytes);
  }

  /** The pages after a form, in order. */
  pages(after: string | null, limit: number): WatchedPage[] {
    const pages: WatchedPage[] = [];
    const scan = this.scan(after ?? '');
    if (after !== null && scan.form === after) scan.next();
    for (; scan.form !== null && pages.length < limit; scan.next()) pages.push(scan.page()!);
    return pages;
  }

  /** Writes the overlay as a run. Calls must not overlap. */
  async fold(commit: Commit): Promise<void> {
    if (this.#overlay.size === 0) return;
    const frozen = this.#overlay;
    this.#frozen = frozen;
    this.#overlay = new Map();
    this.generation++;
    let run: RunFile | null = null;
    try {
      const writer = new RunWriter(this.#folder, this.#nameRun());
      let record: RunRecord;
      try {
        for (const form of [...frozen.keys()].sort(compareForms)) {
          const page = frozen.get(form)!;
          if (page === null) writer.addGone(form);
          else writer.add(page);
        }
        record = await writer.finish();
      } catch (error) {
        writer.abandon();
        throw error;
      }
      run = RunFile.open(this.#folder, record);
      await commit([record, ...this.#runs.map((each) => each.record)]);
      this.#runs = [run, ...this.#runs];
    } catch (error) {
      closeFailedRun(run, error);
      for (const [form, page] of this.#overlay) frozen.set(form, page);
      this.#overlay = frozen;
      throw error;
    } finally {
      this.#frozen = null;
      this.generation++;
    }
  }

  /** Adds the pages of the first sweep, which are in no other run. */
  async addOldest(record: RunRecord, commit: Commit): Promise<void> {
    const run = RunFile.open(this.#folder, record);
    try {
      await commit([...this.#runs.map((each) => each.record), record]);
    } catch (error) {
      closeFailedRun(run, error);
      throw error;
    }
    this.#runs.push(run);
    this.generation++;
  }

  /** The newest runs that should be merged into one; empty if no merge is needed. */
  get mergeable(): readonly RunFile[] {
    let lines = 0;
    let count = 0;
    for (const [at, run] of this.#runs.entries()) {
      if (at > 0 && run.record.lines <= lines * SIZE_RATIO) count = at + 1;
      lines += run.record.lines;
    }
    return this.#runs.slice(0, count);
  }

  /** Merges adjacent runs. The overlay may be folded meanwhile; `alone` prevents other commits. */
  async merge(
    runs: readonly RunFile[],
    pause: () => Promise<void>,
    alone: (work: () => Promise<void>) => Promise<void>,
    commit: Commit,
  ): Promise<void> {
    const isOldest = this.#runs.at(-1) === runs.at(-1);
    const record = await mergeRuns(runs, new RunWriter(this.#folder, this.#nameRun()), isOldest, pause);
    const merged = RunFile.open(this.#folder, record);
    await alone(async () => {
      const at = this.#runs.indexOf(runs[0]!);
      const after = [...this.#runs];
      after.splice(at, runs.length, merged);
      try {
        await commit(after.map((each) => each.record));
      } catch (error) {
        closeFailedRun(merged, error);
        throw error;
      }
      this.#runs = after;
      this.generation++;
      for (const run of runs) run.remove();
    });
  }

  removeAll(): void {
    for (const run of this.#runs) run.remove();
    this.#forget();
  }

  close(): void {
    for (const run of this.#runs) run.close();
    this.#forget();
  }

  #forget(): void {
    this.#runs = [];
    this.#overlay.clear();
    this.#frozen = null;
    this.generation++;
  }
}

/** Deletes a run that was not committed, unless the manifest may name it anyway. */
function closeFailedRun(run: RunFile | null, error: unknown): void {
  if (error instanceof ManifestInDoubt) run?.close();
  else run?.remove();
}

/**
 * Writes the newest line of each form; the newest run comes first. Deleted pages are left out
 * if no older run can still contain them.
 */
async function mergeRuns(
  runs: readonly RunFile[],
  writer: RunWriter,
  isOldest: boolean,
  pause: () => Promise<void>,
): Promise<RunRecord> {
  try {
    const cursors = runs.map((run) => run.cursor(''));
    let lines = 0;
    for (;;) {
      const newest = smallestCursor(cursors);
      if (newest === null) break;
      const { form, reader } = newest;
      if (!isOldest || !newest.isGone) writer.copy(reader.bytes, reader.start, reader.end);
      for (const cursor of cursors) if (cursor.form === form) cursor.next();
      if (++lines % LINES_PER_PAUSE === 0) await pause();
    }
    return await writer.finish();
  } catch (error) {
    writer.abandon();
    throw error;
  }
}
