/**
 * The reader threads, as the server sees them. In: tasks. Out: replies. Searches have a thread of their own, because
 * their index stays in memory; everything else shares another one, so that a long comparison delays no search.
 *
 * What always holds: a thread works on one task at a time. A task that takes too long ends its thread, and the next
 * task gets a new one. At most 100 tasks wait for a thread; more are refused.
 */

import { Worker } from 'node:worker_threads';
import { publish } from '../../core/events.ts';
import { ApiError, type ApiFault } from '../http/api-error.ts';

import type { ServedCopy } from '../served-copy.ts';
import type { ReaderReply, ReaderResult, ReaderTask, ReaderWork } from './reader-messages.ts';

/** Large pages and long comparisons need memory; a task that needs more ends only its thread. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 400 };
const LONGEST_TASK_MS = 30_000;
const MOST_WAITING = 100;
const SEARCH_ROUTES: readonly string[] = ['search', 'complete'];
/** Routes that read all URLs of a copy. */
const COUNTING_ROUTES: readonly string[] = ['getTree', 'getSkipped', 'getBroken', 'listUrls'];

/** A fault that happened in a reader thread. */
export class ReaderFault extends Error {
  readonly fault: ApiFault;

  constructor(fault: ApiFault) {
    super(fault.message);
    this.fault = fault;
  }
}

interface Waiting {
  readonly task: ReaderTask;
  readonly resolve: (reply: ReaderReply) => void;
  readonly reject: (error: Error) => void;
}

class ReaderThread {
  readonly #waiting: Waiting[] = [];
  #current: Waiting | null = null;
  #worker: Worker | null = null;
  #timer: NodeJS.Timeout | undefined;

  ask(task: ReaderTask): Promise<ReaderReply> {
    if (this.#waiting.length >= MOST_WAITING) {
      return Promise.reject(new ApiError('UNAVAILABLE', 'too many questions at once; try again in some seconds'));
    }
    const { promise, resolve, reject } = Promise.withResolvers<ReaderReply>();
    this.#waiting.push({ task, resolve, reject });
    this.#next();
    return promise;
  }

  /** Loads the code of the thread before the first question. */
  warm(): void {
    this.#worker ??= this.#start();
  }

  async end(): Promise<void> {
    await this.#worker?.terminate();
  }

  #next(): void {
    if (this.#current !== null) return;
    this.#current = this.#waiting.shift() ?? null;
    if (this.#current === null) return;
    this.#worker ??= this.#start();
    this.#timer = setTimeout(() => {
      void this.#worker?.terminate();
      this.#fail('this takes too long; ask for less at once');
    }, LONGEST_TASK_MS);
    this.#worker.postMessage(this.#current.task);
  }

  #start(): Worker {
    // In the bundle, all files are in one folder.
    const entry = import.meta.url.endsWith('.ts') ? './reader-thread.ts' : './reader-thread.js';
    const worker = new Worker(new URL(entry, import.meta.url), { resourceLimits: RESOURCE_LIMITS });
    worker.on('message', (result: ReaderResult) => this.#take(result));
    worker.on('error', (error) => {
      if (this.#worker !== worker) return;
      publish('crawl/warning', {
        message: `a reader thread of the web interface has ended: ${(error as Error).message}`,
      });
      this.#fail('the server could not read this; its output has the details');
    });
    worker.unref();
    return worker;
  }

  #take(result: ReaderResult): void {
    const current = this.#current;
    if (current === null || current.task.id !== result.id) return;
    this.#done();
    if ('reply' in result) current.resolve(result.reply);
    else {
      if (result.detail !== null)
        publish('crawl/warning', { message: `a fault in the web interface: ${result.detail}` });
      current.reject(new ReaderFault(result.fault));
    }
    this.#next();
  }

  #fail(message: string): void {
    const current = this.#current;
    this.#worker = null;
    this.#done();
    current?.reject(new ApiError('UNAVAILABLE', message));
    this.#next();
  }

  #done(): void {
    clearTimeout(this.#timer);
    this.#current = null;
  }
}

export class ReaderPool {
  readonly #pages = new ReaderThread();
  readonly #search = new ReaderThread();
  readonly #counting = new ReaderThread();
  #lastId = 0;

  constructor() {
    this.#pages.warm();
  }

  ask(copy: ServedCopy, work: ReaderWork, archivedRoot: string): Promise<ReaderReply> {
    return this.#threadFor(work).ask({ id: ++this.#lastId, copy, work, archivedRoot });
  }

  async end(): Promise<void> {
    await Promise.all([this.#pages, this.#search, this.#counting].map((thread) => thread.end()));
  }

  #threadFor(work: ReaderWork): ReaderThread {
    if (work.kind !== 'route') return this.#pages;
    if (SEARCH_ROUTES.includes(work.route)) return this.#search;
    return COUNTING_ROUTES.includes(work.route) ? this.#counting : this.#pages;
  }
}
