/**
 * The queue between a crawl and the program that reads its events at its own speed. In: the events of the crawl. Out:
 * messages and the ids of settled URLs, one at a time. What always holds: every settled URL comes out once, in the
 * order of the commits. Only the newest progress is kept. Memory is bounded, however slow the program is.
 */
import type { CrawlProgress } from '../core/events.ts';
import { listenToOwn } from './own-events.ts';
import { UntoldIds, UntoldWarnings, type WarningMessage } from './untold-ids.ts';

export type CrawlMessage =
  /** The progress of the crawl, a few times a second. */
  ({ readonly type: 'progress' } & CrawlProgress) | WarningMessage;

export class Journal {
  readonly #ids: UntoldIds;
  readonly #stopListening: readonly (() => void)[];
  #progress: CrawlProgress | null = null;
  readonly #warnings = new UntoldWarnings();
  #isOver = false;
  #failure: unknown = null;
  #wake: () => void = () => {};

  constructor(owner: object, dir: string) {
    this.#ids = new UntoldIds(dir);
    this.#stopListening = [
      listenToOwn(owner, 'crawl/commit', ({ results }) => {
        // A URL that waits again is not settled. A URL without a state was refused.
        this.#settle(results.filter(({ state }) => state !== null && state !== 'waiting').map(({ id }) => id));
      }),
      listenToOwn(owner, 'crawl/progress', (progress) => {
        this.#progress = progress;
        this.#wake();
      }),
      listenToOwn(owner, 'crawl/warning', ({ message }) => this.#warn(message)),
    ];
  }

  /** Returns the next message: the oldest warning, then the newest progress. Null if there is none at the moment. */
  takeMessage(): CrawlMessage | null {
    const warning = this.#warnings.take();
    if (warning !== null) return warning;
    const progress = this.#progress;
    this.#progress = null;
    return progress === null ? null : { type: 'progress', ...progress };
  }

  /** Returns the oldest unread ids, at most `most`. */
  takeIds(most: number): number[] {
    if (this.#failure !== null) throw this.#failure;
    const ids: number[] = [];
    for (let id = this.#ids.take(); id !== null; id = this.#ids.take()) if (ids.push(id) === most) break;
    return ids;
  }

  /** True if no more events will come. Unread events can still be taken. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when there may be something new to take. */
  more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake();
  }

  /** Called when the crawl has ended. Unread events can still be taken. */
  end(): void {
    for (const stop of this.#stopListening) stop();
    this.#isOver = true;
    this.#wake();
  }

  close(): void {
    this.#ids.close();
  }

  /** A listener must not throw, because that would end the crawl's own thread. The error goes to the reader instead. */
  #settle(ids: readonly number[]): void {
    try {
      for (const id of ids) this.#ids.add(id);
    } catch (error) {
      this.#failure ??= error;
    }
    this.#wake();
  }

  #warn(message: string): void {
    this.#warnings.add(message);
    this.#wake();
  }
}
