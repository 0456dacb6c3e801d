/**
 * A crawl as a program runs it. In: seeds and settings. Out: an object that is an async iterable of pages, or of all that
 * happens (`events()`), with the summary as a promise. The crawl begins at once and goes its own speed.
 *
 * What always holds: a page is told after it is committed, once, in the order of the commits, and then its bytes are in the
 * archive; a program that is slow loses nothing and fills no memory (untold-ids.ts); leaving the loop stops the crawl and
 * waits until all is saved and closed; what goes wrong with the crawl is thrown by the loop and by `summary`.
 */
import { setImmediate } from 'node:timers/promises';
import { OrbweaverError } from '../core/errors.ts';
import { type CrawlRequest, startCrawl } from '../crawl/crawl.ts';
import { normalizeSeeds, orderFor } from '../crawl/crawl-plan.ts';
import type { CrawlSummary } from '../crawl/crawl-summary.ts';
import type { Store } from '../store/contract.ts';
import { readSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { type CrawlEvent, eventOf } from './crawl-event.ts';
import { type CrawlSettings, readSettings } from './crawl-settings.ts';
import { Journal } from './journal.ts';
import { runAs } from './own-events.ts';
import type { CopyPlace, Page } from './page.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './temporary-folder.ts';
import { ToldRun } from './told-run.ts';

/** Read together, because to ask costs more than to read; and no more, because the crawl shares the thread and has its turn then. */
const READS_PER_TURN = 32;

/** Throws an OrbweaverError at once for seeds and settings that cannot be. */
export function crawl(seeds: string | URL | readonly (string | URL)[], settings: CrawlSettings = {}): Crawl {
  const { dir, signal, options, order } = readSettings(settings);
  const written = (Array.isArray(seeds) ? seeds : [seeds]).map(String);
  normalizeSeeds(written, options);
  if (order === null) orderFor(options);
  if (written.length === 0 && dir === null) {
    throw new OrbweaverError('ERR_USAGE', 'crawl() needs a URL to start from, or the dir of a crawl to go on with');
  }
  signal?.throwIfAborted();
  return new Crawl({ seeds: written, options, ...(order && { order }) }, dir, signal);
}

export class Crawl implements AsyncIterable<Page>, AsyncDisposable {
  readonly #place: CopyPlace;
  readonly #signal: AbortSignal | null;
  readonly #journal: Journal;
  readonly #told: ToldRun<CrawlEvent, CrawlSummary>;
  #store: Store | null = null;
  /** Read and not yet told, the next one last. */
  readonly #ready: CrawlEvent[] = [];

  constructor(request: Omit<CrawlRequest, 'dir'>, dir: string | null, signal: AbortSignal | null) {
    this.#place = { dir: dir ?? makeTemporaryFolder(), isTemporary: dir === null, options: request.options };
    this.#signal = signal;
    this.#journal = new Journal(this, this.#place.dir);
    const running = runAs(this, () => startCrawl({ ...request, dir: this.#place.dir }));
    this.#told = new ToldRun({
      what: 'crawl',
      again: 'its copy can be read again',
      signal,
      ended: running.summary.finally(() => this.#journal.end()),
      journal: this.#journal,
      // What is under way is worth waiting for only where it is kept.
      stopsToLeave: this.#place.isTemporary ? 2 : 1,
      stop: () => running.stop(),
      next: () => this.#next(),
      close: () => this.#close(),
    });
  }

  /** The data folder. */
  get dir(): string {
    return this.#place.dir;
  }

  /** Resolves when the crawl is over and saved, whether or not its pages have been told. */
  get summary(): Promise<CrawlSummary> {
    return this.#told.summary;
  }

  /** The first lets what is under way finish and be saved; the second leaves at once. The loop ends when all is told. */
  stop(): void {
    this.#told.stop();
  }

  /** The pages; duplicates too, which say of what. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Page> {
    return this.#told.tell(this.#tellPages());
  }

  /** Everything that happens; the last event is `done`. */
  events(): AsyncIterableIterator<CrawlEvent> {
    return this.#told.tell(this.#told.events());
  }

  /** Stops the crawl if it runs, and closes everything; a temporary copy is gone then. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#told.dispose();
  }

  async *#tellPages(): AsyncGenerator<Page, void, void> {
    for await (const event of this.#told.events()) if (event.type === 'page') yield event.page;
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
    this.#store ??= readSqliteStore(this.#place.dir);
    const records = new Map((await this.#store.records(ids)).map((record) => [record.id, record]));
    for (const id of ids.toReversed()) {
      const record = records.get(id);
      const event = record === undefined ? null : eventOf(record, this.#place);
      if (event !== null) this.#ready.push(event);
    }
    if (ids.length === READS_PER_TURN) await setImmediate();
  }

  async #close(): Promise<void> {
    this.#journal.close();
    await this.#store?.close();
    if (this.#place.isTemporary) await removeTemporaryFolder(this.#place.dir);
  }
}
