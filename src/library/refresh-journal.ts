/**
 * What a refresh has to say besides its changes, which the store keeps: that there may be new ones, where it stands, and
 * warnings. What always holds: nobody who waits misses a call, however slow the program is; of progress only the newest is kept.
 */
import type { RefreshProgress } from '../core/events.ts';
import { listenToOwn } from './own-events.ts';
import { UntoldWarnings, type WarningMessage } from './untold-warnings.ts';

/** Where the refresh stands, a few times a second; and what a person should know. */
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

  /** Whether nothing more can come than what can be taken now. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when it is worth looking again: at once if something has come since the last call. */
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
