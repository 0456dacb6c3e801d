/**
 * What a crawl has to say, between the crawl that says it and the program that listens when it pleases. In: the events of the
 * crawl. Out: messages and the ids of settled URLs, one at a time. What always holds: every settled URL comes out once, in
 * the order of the commits; of progress only the newest is kept; memory is bounded however slow the program is.
 */
import type { CrawlProgress } from '../core/events.ts';
import { listenToOwn } from './own-events.ts';
import { UntoldIds } from './untold-ids.ts';
import { UntoldWarnings, type WarningMessage } from './untold-warnings.ts';

export type CrawlMessage =
  /** Where the crawl stands, a few times a second. */
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
        // One that waits again is not settled; one without a state was refused.
        this.#settle(results.filter(({ state }) => state !== null && state !== 'waiting').map(({ id }) => id));
      }),
      listenToOwn(owner, 'crawl/progress', (progress) => {
        this.#progress = progress;
        this.#wake();
      }),
      listenToOwn(owner, 'crawl/warning', ({ message }) => this.#warn(message)),
    ];
  }

  /** The oldest message not yet told, or null when there is none at the moment. */
  takeMessage(): CrawlMessage | null {
    const warning = this.#warnings.take();
    if (warning !== null) return warning;
    const progress = this.#progress;
    this.#progress = null;
    return progress === null ? null : { type: 'progress', ...progress };
  }

  /** The oldest ids not yet told, at most so many. */
  takeIds(most: number): number[] {
    if (this.#failure !== null) throw this.#failure;
    const ids: number[] = [];
    for (let id = this.#ids.take(); id !== null; id = this.#ids.take()) if (ids.push(id) === most) break;
    return ids;
  }

  /** Whether nothing more can come than what can be taken now. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when it is worth looking again. */
  more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake();
  }

  /** The crawl has ended; what it said can still be taken. */
  end(): void {
    for (const stop of this.#stopListening) stop();
    this.#isOver = true;
    this.#wake();
  }

  close(): void {
    this.#ids.close();
  }

  /** A listener must not throw: it would bring down the crawl's own thread. The reader is told instead. */
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
