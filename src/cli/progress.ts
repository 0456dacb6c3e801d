/** Progress on stderr: one live line on a terminal, otherwise a plain line every few seconds. */

import { type CrawlEvents, type CrawlProgress, listen } from '../core/events.ts';
import type { Reason } from '../core/reasons.ts';
import { count, safeText } from '../core/text/readable.ts';
import { logEvents, logsJson } from './log.ts';

const PLAIN_EVERY_MS = 5_000;
const CLEAR = '\r\x1b[2K';
/** The displayed rate is measured over the last seconds, not over the whole crawl. */
const RATE_WINDOW_MS = 5_000;

/**
 * One line that is overwritten on a terminal. Elsewhere a new line is printed from time to time. Warnings appear above.
 */
class ProgressLine {
  readonly #stream: NodeJS.WriteStream;
  readonly #stopWarnings: () => void;
  #lastPlainMs = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    const write = (line: string): void => void stream.write(`${stream.isTTY ? CLEAR : ''}${safeText(line)}\n`);
    const stops = [
      listen('crawl/warning', ({ message }) => write(`warning: ${message}`)),
      listen('refresh/said', ({ line }) => write(line)),
    ];
    this.#stopWarnings = () => {
      for (const stop of stops) stop();
    };
  }

  show(line: string, elapsedMs: number): void {
    const stream = this.#stream;
    if (stream.isTTY) {
      stream.write(`${CLEAR}${line.slice(0, Math.max(20, stream.columns - 1))}`);
    } else if (elapsedMs - this.#lastPlainMs >= PLAIN_EVERY_MS) {
      this.#lastPlainMs = elapsedMs;
      stream.write(`${line}\n`);
    }
  }

  end(): void {
    this.#stopWarnings();
    if (this.#stream.isTTY) this.#stream.write(CLEAR);
  }
}

type ProgressName = 'crawl/progress' | 'refresh/progress' | 'recover/progress' | 'verify/progress' | 'files/progress';

/** Shows the progress events of a run. The returned function ends it. */
export function showEvents<Name extends ProgressName>(
  stream: NodeJS.WriteStream,
  name: Name,
  textOf: (event: CrawlEvents[Name]) => string,
): () => void {
  // Only commands that crawl have --log.
  if (logsJson() && (name === 'crawl/progress' || name === 'refresh/progress')) return logEvents(name);
  const line = new ProgressLine(stream);
  const startMs = Date.now();
  const stopListening = listen(name, (event) => {
    line.show(textOf(event), 'elapsedMs' in event ? event.elapsedMs : Date.now() - startMs);
  });
  return () => {
    stopListening();
    line.end();
  };
}

export function showProgress(stream: NodeJS.WriteStream): () => void {
  const samples: { atMs: number; pages: number }[] = [];
  return showEvents(stream, 'crawl/progress', (progress) => {
    samples.push({ atMs: progress.elapsedMs, pages: progress.pages });
    while (samples.length > 2 && samples[0]!.atMs < progress.elapsedMs - RATE_WINDOW_MS) samples.shift();
    return progressLine(progress, rateOf(samples));
  });
}

function rateOf(samples: readonly { atMs: number; pages: number }[]): number {
  const first = samples[0]!;
  const last = samples.at(-1)!;
  return last.atMs > first.atMs ? ((last.pages - first.pages) * 1_000) / (last.atMs - first.atMs) : 0;
}

export function progressLine(progress: CrawlProgress, pagesPerSecond: number): string {
  const { pages, waiting, liveHosts, failed, trouble, bytes, limit, elapsedMs } = progress;
  const parts = [
    `${clockText(elapsedMs)}`,
    `${count(pages)} pages`,
    `${pagesPerSecond < 10 ? pagesPerSecond.toFixed(1) : count(Math.round(pagesPerSecond))}/s`,
    `${count(waiting)} queued`,
    `${count(liveHosts)} hosts`,
    `${count(failed)} errors${newestTrouble(trouble)}`,
    `${(bytes / 1e6).toFixed(1)} MB`,
  ];
  if (limit > 0 && pagesPerSecond > 0) {
    parts.push(`${clockText((Math.max(0, limit - pages) / pagesPerSecond) * 1_000)} left`);
  }
  return parts.join('  ');
}

/** The reason of the newest failure, for the end of a count. */
export function newestTrouble(trouble: Reason | null): string {
  return trouble === null ? '' : ` (last: ${trouble})`;
}

/** 75,000 ms → `1:15`. */
export function clockText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const tail = `${String(seconds % 60).padStart(2, '0')}`;
  if (minutes < 60) return `${minutes}:${tail}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${tail}`;
}
