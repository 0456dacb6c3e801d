/**
 * Runs reading tools in a thread, one at a time, each within a time limit. A call that is cancelled or too slow ends
 * the thread; the next call starts another one.
 */
import { Worker } from 'node:worker_threads';
import type { CrawlPlace } from '../../crawl/place/crawl-place.ts';
import { toFailure } from '../answer.ts';
import type { ToolCall, ToolReply } from './answer-calls.ts';

const MOST_CALL_MS = 30_000;
/** A large document may need much memory. A call that needs more fails alone. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 512 };

export class ToolRunner {
  readonly #place: CrawlPlace;
  readonly #mostCallMs: number;
  #worker: Worker | null = null;
  /** The calls so far: each begins when the one before has ended. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(place: CrawlPlace, mostCallMs = MOST_CALL_MS) {
    this.#place = place;
    this.#mostCallMs = mostCallMs;
  }

  /** Loads the code before the first call. */
  start(): void {
    this.#worker ??= this.#newWorker();
  }

  /** Null if the call was cancelled. */
  call(call: ToolCall, signal: AbortSignal): Promise<ToolReply | null> {
    const run = this.#last.then(() => (signal.aborted ? null : this.#run(call, signal)));
    this.#last = run;
    return run;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #run(call: ToolCall, signal: AbortSignal): Promise<ToolReply | null> {
    this.start();
    const worker = this.#worker!;
    const { promise, resolve } = Promise.withResolvers<ToolReply | null>();
    const late = () =>
      resolve(failed('ERR_INTERNAL', `It took longer than ${this.#mostCallMs / 1_000} seconds. Ask for less.`));
    const timer = setTimeout(late, this.#mostCallMs);
    const cancel = () => resolve(null);
    const died = (error?: unknown) =>
      resolve({
        ...failed('ERR_INTERNAL', 'It needed too much memory or failed. Ask for less.'),
        detail: String(error),
      });
    let isAnswered = false;
    const reply = (given: ToolReply): void => {
      isAnswered = true;
      resolve(given);
    };
    worker.once('message', reply);
    worker.once('error', died);
    worker.once('exit', died);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      worker.postMessage(call);
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      worker.off('message', reply);
      worker.off('error', died);
      worker.off('exit', died);
      if (!isAnswered) {
        this.#worker = null;
        // An error of a thread that is on its way out is expected.
        worker.on('error', () => {});
        await worker.terminate();
      }
    }
  }

  #newWorker(): Worker {
    // In the bundle, all files are in one folder.
    const entry = import.meta.url.endsWith('.ts') ? './tool-thread.ts' : './tool-thread.js';
    // What the thread prints must not reach stdout, which belongs to the protocol.
    const worker = new Worker(new URL(entry, import.meta.url), {
      workerData: this.#place,
      resourceLimits: RESOURCE_LIMITS,
      stdout: true,
    });
    worker.stdout.resume();
    return worker;
  }
}

function failed(code: string, sentence: string): ToolReply {
  return { result: toFailure(code, sentence), detail: sentence };
}
