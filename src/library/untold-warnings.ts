/** Warnings that a program has not read yet: kept in order, a bounded number of them, and those beyond that counted. */
const MAX_WARNINGS = 1_000;

export interface WarningMessage {
  readonly type: 'warning';
  /** Something a person should know; the run goes on. */
  readonly message: string;
}

export class UntoldWarnings {
  readonly #messages: string[] = [];
  #leftOut = 0;

  add(message: string): void {
    if (this.#messages.length < MAX_WARNINGS) this.#messages.push(message);
    else this.#leftOut++;
  }

  /** The oldest, or null when all are told. */
  take(): WarningMessage | null {
    const message = this.#messages.shift();
    if (message !== undefined) return { type: 'warning', message };
    if (this.#leftOut === 0) return null;
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    return { type: 'warning', message: `${leftOut} more warnings came faster than they were read` };
  }
}
