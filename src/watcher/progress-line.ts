/** The progress of a first sweep on stderr: one live line on a terminal, otherwise a plain line every few seconds. */

import type { Clock } from '../core/clock.ts';
import { safeLines, safeText } from '../core/safe-text.ts';

const LIVE_EVERY_MS = 250;
const PLAIN_EVERY_MS = 5_000;
const CLEAR = '\r\x1b[2K';

export interface LineStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export class ProgressLine {
  readonly #stream: LineStream;
  readonly #clock: Clock;
  readonly #text: () => string;
  #cancel: (() => void) | null = null;

  constructor(stream: LineStream, clock: Clock, text: () => string) {
    this.#stream = stream;
    this.#clock = clock;
    this.#text = text;
  }

  start(): void {
    this.#cancel = this.#clock.after(this.#stream.isTTY ? LIVE_EVERY_MS : PLAIN_EVERY_MS, () => {
      const text = safeText(this.#text());
      const width = Math.max(20, (this.#stream.columns ?? 80) - 1);
      this.#stream.write(this.#stream.isTTY ? `${CLEAR}${text.slice(0, width)}` : `${text}\n`);
      this.start();
    });
  }

  /** Prints a permanent line above the live line. */
  say(line: string): void {
    this.#stream.write(`${this.#stream.isTTY && this.#cancel !== null ? CLEAR : ''}${safeLines(line)}\n`);
  }

  end(): void {
    if (this.#cancel === null) return;
    this.#cancel();
    this.#cancel = null;
    if (this.#stream.isTTY) this.#stream.write(CLEAR);
  }
}
