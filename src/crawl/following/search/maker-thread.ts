/**
 * The thread that helps to index, as the thread that writes the index sees it. In: small parts of a batch. Out: a
 * segment with the pages that it took.
 *
 * What always holds: a thread that fails or dies is not used again, and what it took is named. The page that ended it
 * is then found by the other thread, which notes it.
 */
import { Worker } from 'node:worker_threads';
import type { BuiltSegment } from '../../../search/index/segment-builder.ts';
import type { IndexerSetup } from './indexer-messages.ts';
import { RESOURCE_LIMITS } from './indexer-thread.ts';
import type { BatchFindings } from './page-indexer.ts';

export type MakerSetup = Pick<IndexerSetup, 'place' | 'options' | 'stop'>;

/** `make`: build the segment of all parts so far. */
export type ToMaker = { readonly ids: readonly number[]; readonly skip: ReadonlySet<number> } | 'make';
export type FromMaker = { readonly isStopped: boolean } | MadePages;

export interface MadePages {
  /** Null: no page is searchable. */
  readonly segment: BuiltSegment | null;
  /** URLs without a page. */
  readonly removed: readonly number[];
  readonly found: BatchFindings;
}

export class MakerThread {
  readonly #setup: MakerSetup;
  #worker: Worker | null = null;
  #started: Promise<FromMaker | null> | null = null;

  constructor(setup: MakerSetup) {
    this.#setup = setup;
  }

  /** Takes part after part until none is left. */
  async help(
    parts: Iterator<readonly number[], void>,
    skip: ReadonlySet<number>,
  ): Promise<MadePages | { readonly lost: readonly number[] }> {
    const lost: number[] = [];
    // A part is taken when the thread has started. A small batch is done by then.
    this.#started ??= this.#start();
    if ((await this.#started) === null) return { lost };
    for (;;) {
      const part = parts.next();
      if (part.done === true && lost.length === 0) return { lost };
      if (part.done !== true) lost.push(...part.value);
      const answer = await this.#ask(part.done === true ? 'make' : { ids: part.value, skip });
      if (answer !== null && 'found' in answer) return answer;
      if (answer?.isStopped !== false) return { lost };
    }
  }

  async end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  #start(): Promise<FromMaker | null> {
    // In the bundle, all files are in one folder.
    const entry = import.meta.url.endsWith('.ts') ? './maker.ts' : './maker.js';
    const worker = new Worker(new URL(entry, import.meta.url), {
      workerData: this.#setup,
      resourceLimits: RESOURCE_LIMITS,
    });
    worker.unref();
    const onEnd = (): void => {
      this.#worker = null;
    };
    // Between two batches nobody listens, and an error without a listener ends the process.
    worker.on('error', onEnd).on('exit', onEnd);
    this.#worker = worker;
    return this.#answer();
  }

  /** Null if the thread is dead. */
  #ask(task: ToMaker): Promise<FromMaker | null> {
    const answer = this.#answer();
    this.#worker?.postMessage(task);
    return answer;
  }

  async #answer(): Promise<FromMaker | null> {
    const worker = this.#worker;
    if (worker === null) return null;
    const { promise, resolve } = Promise.withResolvers<FromMaker | null>();
    const onEnd = (): void => resolve(null);
    worker.once('message', resolve).once('error', onEnd).once('exit', onEnd);
    const answer = await promise;
    worker.off('message', resolve).off('error', onEnd).off('exit', onEnd);
    return answer;
  }
}
