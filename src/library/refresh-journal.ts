/**
 * The messages of a refresh: new changes may be in the store, progress, and warnings. The changes themselves are
 * in the store. What always holds: a waiting reader never misses a wake-up, however slow the program is. Only
 * the newest progress is kept.
 */
import type { RefreshProgress } from '../core/events.ts';
import { listenToOwn } from './own-events.ts';
import { UntoldWarnings, type WarningMessage } from './untold-ids.ts';

/** The progress of the refresh, a few times a second, or a warning for the user. */
export type RefreshMessage = ({ readonly type: 'progress' } & RefreshProgress) | WarningMessage;

export class RefreshJournal {
  readonly #stopListening: readonly (() => void)[];
  readonly #warnings = new UntoldWarnings();
  #progress: RefreshProgress | null = null;
  #isOver = false;
  #hasNews = false;
  #wake: (() => void) | null = null;

  constructor(owner: object) {
    this.#stopListening = [
      listenToOwn(owner, 'crawl/commit', () => this.wake()),
      listenToOwn(owner, 'refresh/progress', (progress) => {
        this.#progress = progress;
        this.wake();
      }),
      listenToOwn(owner, 'crawl/warning', ({ message }) => this.#hear(message)),
      listenToOwn(owner, 'refresh/said', ({ line }) => this.#hear(line)),
    ];
  }

  #hear(message: string): void {
    this.#warnings.add(message);
    this.wake();
  }

  takeMessage(): RefreshMessage | null {
    const warning = this.#warnings.take();
    if (warning !== null) return warning;
    const progress = this.#progress;
    this.#progress = null;
    return progress === null ? null : { type: 'progress', ...progress };
  }

  /** True if no more messages will come. Unread messages can still be taken. */
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

  end(): void {
    for (const stop of this.#stopListening) stop();
    this.#isOver = true;
    this.wake();
  }
}
