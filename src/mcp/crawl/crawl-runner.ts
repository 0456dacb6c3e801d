/**
 * Crawls and refreshes in a process of their own, one at a time: the server stays responsive, and a fault of a crawl
 * does not reach it. The process ends when the server is gone, however that happens.
 */
import { type ChildProcess, fork } from 'node:child_process';
import type { CallContext } from '../protocol/connection.ts';
import { ToolRefusal } from '../tools/tool.ts';
import type { CrawlJob, CrawlOutcome, FromChild, ToChild } from './crawl-job.ts';

/** A crawl that does not end by itself after it was asked to is killed. What it has committed is safe. */
const KILL_AFTER_MS = 30_000;
const PROGRESS_EVERY_MS = 500;

export class CrawlRunner {
  readonly #log: (detail: string) => void;
  #child: ChildProcess | null = null;

  constructor(log: (detail: string) => void) {
    this.#log = log;
  }

  /** Null if the call was cancelled. */
  async run(job: CrawlJob, { signal, progress }: CallContext): Promise<CrawlOutcome | null> {
    if (this.#child !== null) {
      throw new ToolRefusal('ERR_LOCKED', 'Another crawl or refresh of this server is still running. Try again later.');
    }
    const child = fork(childFile(), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
    this.#child = child;
    const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const { promise, resolve } = Promise.withResolvers<FromChild | null>();
    let last = 0;
    let lastMs = 0;
    child.on('message', (message: FromChild) => {
      if (message.type !== 'progress') {
        resolve(message);
        return;
      }
      if (message.requested <= last || performance.now() - lastMs < PROGRESS_EVERY_MS) return;
      [last, lastMs] = [message.requested, performance.now()];
      progress(Math.min(last, job.limit), job.limit, `${last} pages requested`);
    });
    child.once('error', (error) => {
      this.#log(`the crawl could not be started: ${error.message}`);
      resolve(null);
    });
    void exited.then(() => resolve(null));
    const end = () => this.#end(child);
    signal.addEventListener('abort', end, { once: true });
    const overdue = setTimeout(end, job.seconds * 1_000 + KILL_AFTER_MS);
    try {
      child.send({ type: 'start', job } satisfies ToChild);
      if (signal.aborted) end();
      const answer = await promise;
      await exited;
      if (signal.aborted) return null;
      return this.#outcomeOf(answer);
    } finally {
      clearTimeout(overdue);
      signal.removeEventListener('abort', end);
      this.#child = null;
    }
  }

  /** Asks a running crawl to save its work and end. */
  stop(): void {
    if (this.#child !== null) this.#end(this.#child);
  }

  #outcomeOf(answer: FromChild | null): CrawlOutcome {
    if (answer?.type === 'done') return answer.outcome;
    if (answer?.type !== 'refused') {
      throw new ToolRefusal('ERR_INTERNAL', 'The crawl ended unexpectedly. What it had fetched is in the copy.');
    }
    if (answer.detail !== null) this.#log(`${answer.code}: ${answer.detail}`);
    throw new ToolRefusal(answer.code, answer.sentence);
  }

  #end(child: ChildProcess): void {
    if (child.connected) child.send({ type: 'stop' } satisfies ToChild);
    const killing = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    child.once('close', () => clearTimeout(killing));
  }
}

/** In the bundle, all files are in one folder. */
function childFile(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './crawl-child.ts' : './crawl-child.js', import.meta.url);
}
