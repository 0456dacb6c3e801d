/**
 * A crawl that a program runs. In: seeds and settings. Out: an async iterable of pages, or of all events (`events()`),
 * with the summary as a promise. The crawl starts at once and does not wait for the program.
 *
 * What always holds: a page is returned once, after it was committed, in the order of the commits; its bytes are then
 * in the archive. A slow program loses nothing and does not fill the memory (unread-ids.ts). Leaving the loop stops the
 * crawl and waits until everything is saved and closed. An error of the crawl is thrown by the loop and by `summary`.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { OrbweaverError } from '../core/errors.ts';
import { type CrawlRequest, startCrawl } from '../crawl/crawl.ts';
import { normalizeSeeds, orderFor } from '../crawl/crawl-plan.ts';
import type { CrawlSummary } from '../crawl/crawl-summary.ts';
import { keptOptions } from '../crawl/place/data-folder.ts';
import { hasDatabase } from '../crawl/place/open-store.ts';
import type { Store, UrlRecord } from '../store/contract.ts';
import { readSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { CopyPlace } from './copy-place.ts';
import { IterableRun } from './iterable-run.ts';
import { CrawlJournal, type RunMessage, runAs } from './journal.ts';
import { type KnownUrl, type Page, pageOf, toKnownUrl } from './page.ts';
import { type CrawlSettings, readSettings } from './settings.ts';

/**
 * The events of a crawl. `redirect`, `failed` and `skipped` are URLs that were claimed but have no page. A URL
 * that was excluded when it was found, because it is too deep or a trap, was never claimed. The copy knows
 * such a URL, but it has no event.
 */
export type CrawlEvent =
  | { readonly type: 'page'; readonly page: Page }
  | ({ readonly type: 'redirect' | 'failed' | 'skipped' } & KnownUrl)
  | RunMessage<'crawl/progress'>
  | { readonly type: 'done'; readonly summary: CrawlSummary };

/**
 * Records are read in batches, because a query costs more than a row. The batch is small, because the crawl shares the
 * thread and must get its turn.
 */
const READS_PER_TURN = 32;

const WITHOUT_SEARCH = { from: 'default of a temporary folder', given: { search: false } };

/** Throws an OrbweaverError at once for invalid seeds and settings. */
export function crawl(seeds: string | URL | readonly (string | URL)[], settings: CrawlSettings = {}): Crawl {
  const { dir, signal, source, options, adds, order } = readSettings(settings);
  const written = (Array.isArray(seeds) ? seeds : [seeds]).map(String);
  normalizeSeeds(written, options);
  // The order may need the topic of an existing crawl.
  if (order === null && (dir === null || !hasDatabase(dir))) orderFor(options);
  if (written.length === 0 && dir === null) {
    throw new OrbweaverError('ERR_USAGE', 'crawl() needs a URL to start from, or the dir of a crawl to continue');
  }
  signal?.throwIfAborted();
  return new Crawl({ seeds: written, sources: [source], adds, ...(order && { order }) }, dir, signal);
}

export class Crawl implements AsyncIterable<Page>, AsyncDisposable {
  readonly #place: { readonly dir: string; readonly isTemporary: boolean };
  readonly #signal: AbortSignal | null;
  readonly #journal: CrawlJournal;
  readonly #run: IterableRun<CrawlEvent, CrawlSummary>;
  /** The copy, open for reading. */
  #copy: { readonly store: Store; readonly place: CopyPlace } | null = null;
  /** Events that were read but not yet returned. The next event is the last element. */
  readonly #ready: CrawlEvent[] = [];

  constructor(request: Omit<CrawlRequest, 'dir'>, dir: string | null, signal: AbortSignal | null) {
    this.#place = { dir: dir ?? makeTemporaryFolder(), isTemporary: dir === null };
    this.#signal = signal;
    this.#journal = new CrawlJournal(this, this.#place.dir);
    // Nobody can search a folder that is removed in the end.
    const sources = dir === null ? [...request.sources, WITHOUT_SEARCH] : request.sources;
    const running = runAs(this, () => startCrawl({ ...request, sources, dir: this.#place.dir }));
    this.#run = new IterableRun({
      what: 'crawl',
      again: 'its copy can be read again',
      signal,
      ended: running.summary.finally(() => this.#journal.end()),
      journal: this.#journal,
      // Running requests are worth waiting for only if the copy is kept.
      stopsToLeave: this.#place.isTemporary ? 2 : 1,
      stop: () => running.stop(),
      next: () => this.#next(),
      close: () => this.#close(),
    });
  }

  get dir(): string {
    return this.#place.dir;
  }

  /** Resolves when the crawl has ended and is saved, even if not all pages were returned. */
  get summary(): Promise<CrawlSummary> {
    return this.#run.summary;
  }

  /**
   * The first call lets running requests finish and be saved. The second call ends at once. The loop ends
   * after all events were returned.
   */
  stop(): void {
    this.#run.stop();
  }

  /** Iterates over the pages. A duplicate names the page that it duplicates. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Page> {
    return this.#run.iterate(this.#pages());
  }

  /** Iterates over all events. The last event is `done`. */
  events(): AsyncIterableIterator<CrawlEvent> {
    return this.#run.iterate(this.#run.events());
  }

  /** Stops a running crawl and closes everything. A temporary copy is deleted. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#run.dispose();
  }

  async *#pages(): AsyncGenerator<Page, void, void> {
    for await (const event of this.#run.events()) if (event.type === 'page') yield event.page;
  }

  async #next(): Promise<CrawlEvent | null> {
    for (;;) {
      const event = this.#ready.pop() ?? this.#journal.takeMessage();
      if (event !== null) return event;
      const ids = this.#journal.takeIds(READS_PER_TURN);
      if (ids.length > 0) await this.#read(ids);
      else if (this.#journal.isOver || this.#signal?.aborted) return null;
      else await this.#journal.more();
    }
  }

  async #read(ids: readonly number[]): Promise<void> {
    this.#copy ??= await openToRead(this.#place);
    const { store, place } = this.#copy;
    place.forgetTemplates();
    const records = new Map((await store.records(ids)).map((record) => [record.id, record]));
    for (const id of ids.toReversed()) {
      const record = records.get(id);
      const event = record === undefined ? null : eventOf(record, place);
      if (event !== null) this.#ready.push(event);
    }
    if (ids.length === READS_PER_TURN) await setImmediate();
  }

  async #close(): Promise<void> {
    this.#journal.close();
    await this.#copy?.place.close();
    if (this.#place.isTemporary) await removeTemporaryFolder(this.#place.dir);
  }
}

async function openToRead(at: { readonly dir: string; readonly isTemporary: boolean }) {
  const store = readSqliteStore(at.dir);
  return { store, place: new CopyPlace(store, await keptOptions(store), at) };
}

/** Returns null for a URL that waits again, because it has no result yet. */
function eventOf(record: UrlRecord, place: CopyPlace): CrawlEvent | null {
  const page = pageOf(record, place);
  if (page !== null) return { type: 'page', page };
  const { state } = record;
  if (state !== 'redirect' && state !== 'failed' && state !== 'skipped') return null;
  return { type: state, ...toKnownUrl(record) };
}

/** Folders of crawls whose copy is not kept. Folders that still exist when the process ends are deleted then. */
const folders = new Set<string>();

function makeTemporaryFolder(): string {
  const under = tmpdir();
  let dir: string;
  try {
    dir = mkdtempSync(join(under, 'orbweaver-'));
  } catch (error) {
    throw new OrbweaverError('ERR_DIR', `cannot create a folder in ${under}: ${(error as Error).message}; name a dir`, {
      cause: error,
    });
  }
  if (folders.size === 0) process.on('exit', removeAll);
  folders.add(dir);
  return dir;
}

async function removeTemporaryFolder(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true });
  if (folders.delete(dir) && folders.size === 0) process.off('exit', removeAll);
}

function removeAll(): void {
  for (const dir of folders) {
    try {
      rmSync(dir, { recursive: true, force: true });
    } catch {
      // A unit may still be writing into the folder. The operating system then cleans it up later.
    }
  }
}
