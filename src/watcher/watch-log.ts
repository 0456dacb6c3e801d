/** The messages of a watcher on stderr with `--log json`: one JSON object per line (docs/logs.md). */
import type { Clock } from '../core/clock.ts';
import { type LogEvent, type LogFields, type LogLevel, logLine } from '../core/text/log-lines.ts';
import type { LineStream } from './progress-line.ts';

const PROGRESS_EVERY_MS = 5_000;

export class WatchLog {
  readonly #stream: LineStream;
  readonly #clock: Clock;
  readonly #progress: () => LogFields;
  #cancel: () => void = () => {};

  constructor(stream: LineStream, clock: Clock, progress: () => LogFields) {
    this.#stream = stream;
    this.#clock = clock;
    this.#progress = progress;
  }

  start(): void {
    this.#cancel = this.#clock.after(PROGRESS_EVERY_MS, () => {
      this.write('info', 'watch/progress', this.#progress());
      this.start();
    });
  }

  write(level: LogLevel, event: LogEvent, fields: LogFields): void {
    this.#stream.write(logLine(level, event, fields));
  }

  end(): void {
    this.#cancel();
  }
}
