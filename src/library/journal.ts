/**
 * The queue between a run and the program that reads its events at its own speed. In: the events of a crawl or refresh.
 * Out: messages and, for a crawl, the ids of settled URLs. What always holds: every settled URL comes out once, in the
 * order of the commits. A waiting reader never misses a wake-up. Only the newest progress is kept. Memory is bounded,
 * however slow the program is.
 *
 * A program may run several crawls in one process, and they share the channels. Everything that a run does, including
 * the messages of its units, happens in the asynchronous context in which it was started. The context identifies the
 * run of an event, so publishers need not name it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type CrawlEvents, listen } from '../core/events.ts';
import { UnreadIds } from './unread-ids.ts';

const running = new AsyncLocalStorage<object>();

export function runAs<T>(owner: object, work: () => T): T {
  return running.run(owner, work);
}

function listenToOwn<Name extends keyof CrawlEvents>(
  owner: object,
  name: Name,
  callback: (event: CrawlEvents[Name]) => void,
): () => void {
  return listen(name, (event) => {
    if (running.getStore() === owner) callback(event);
  });
}

type ProgressName = 'crawl/progress' | 'refresh/progress';
type CommitResults = CrawlEvents['crawl/commit']['results'];

/** The progress of the run, a few times a second, or a warning for the user. */
export type RunMessage<Name extends ProgressName> =
  | ({ readonly type: 'progress' } & CrawlEvents[Name])
  | WarningMessage;

export class RunJournal<Name extends ProgressName> {
  readonly #stopListening: readonly (() => void)[];
  readonly #warnings = new UnreadWarnings();
  #progress: CrawlEvents[Name] | null = null;
  #isOver = false;
  #hasNews = false;
  #wake: (() => void) | null = null;

  constructor(owner: object, progress: Name) {
    this.#stopListening = [
      listenToOwn(owner, 'crawl/commit', ({ results }) => {
        this.settle(results);
        this.wake();
      }),
      listenToOwn(owner, progress, (newest) => {
        this.#progress = newest;
        this.wake();
      }),
      listenToOwn(owner, 'crawl/warning', ({ message }) => this.#warn(message)),
      listenToOwn(owner, 'refresh/said', ({ line }) => this.#warn(line)),
    ];
  }

  /** Returns the next message: the oldest warning, then the newest progress. Null if there is none at the moment. */
  takeMessage(): RunMessage<Name> | null {
    const warning = this.#warnings.take();
    if (warning !== null) return warning;
    const progress = this.#progress;
    this.#progress = null;
    return progress === null ? null : { type: 'progress', ...progress };
  }

  /** True if no more events will come. Unread events can still be taken. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when there may be something new: at once if something has arrived since the last call. */
  async more(): Promise<void> {
    if (!this.#hasNews) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#hasNews = false;
  }

  wake(): void {
    this.#hasNews = true;
    this.#wake?.();
    this.#wake = null;
  }

  /** Called when the run has ended. Unread events can still be taken. */
  end(): void {
    for (const stop of this.#stopListening) stop();
    this.#isOver = true;
    this.wake();
  }

  /** Called for each commit. A refresh needs no results, because it reads its changes from the store. */
  protected settle(_results: CommitResults): void {}

  #warn(message: string): void {
    this.#warnings.add(message);
    this.wake();
  }
}

export class CrawlJournal extends RunJournal<'crawl/progress'> {
  readonly #ids: UnreadIds;
  #failure: unknown = null;

  constructor(owner: object, dir: string) {
    super(owner, 'crawl/progress');
    this.#ids = new UnreadIds(dir);
  }

  /** Returns the oldest unread ids, at most `most`. */
  takeIds(most: number): number[] {
    if (this.#failure !== null) throw this.#failure;
    const ids: number[] = [];
    for (let id = this.#ids.take(); id !== null; id = this.#ids.take()) if (ids.push(id) === most) break;
    return ids;
  }

  close(): void {
    this.#ids.close();
  }

  /** A listener must not throw, because that would end the crawl's own thread. The error goes to the reader instead. */
  protected override settle(results: CommitResults): void {
    try {
      // A URL that waits again is not settled. A URL without a state was refused.
      for (const { id, state } of results) if (state !== null && state !== 'waiting') this.#ids.add(id);
    } catch (error) {
      this.#failure ??= error;
    }
  }
}

/** Warnings that the program has not read yet. A bounded number is kept in order; further warnings are only counted. */
const MAX_WARNINGS = 1_000;

interface WarningMessage {
  readonly type: 'warning';
  /** A message for the user. The run continues. */
  readonly message: string;
}

class UnreadWarnings {
  readonly #messages: string[] = [];
  #leftOut = 0;

  add(message: string): void {
    if (this.#messages.length < MAX_WARNINGS) this.#messages.push(message);
    else this.#leftOut++;
  }

  /** Returns the oldest warning, or null if there is none. */
  take(): WarningMessage | null {
    const message = this.#messages.shift();
    if (message !== undefined) return { type: 'warning', message };
    if (this.#leftOut === 0) return null;
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    return {
      type: 'warning',
      message: `${leftOut} more warnings were left out, because they came faster than they were read`,
    };
  }
}
