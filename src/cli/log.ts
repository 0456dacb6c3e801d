/**
 * What the commands write to stderr: text for people, or with `--log json` one JSON object per line (docs/logs.md). The
 * form belongs to the process, as its stderr does. Listeners of events make the lines of a run: no stage knows them.
 */
import type { ErrorCode } from '../core/errors.ts';
import { type CrawlEvents, listen } from '../core/events.ts';
import { VERSION } from '../core/options/options.ts';
import { safeLines } from '../core/safe-text.ts';
import { asksForJsonLog, type LogEvent, type LogFields, type LogLevel, logLine } from '../core/text/log-lines.ts';

const PROGRESS_EVERY_MS = 5_000;
const STAGES_EVERY_MS = 60_000;

let isJson = false;
let startMs = 0;

/** Chooses the form of the log. In JSON, the log begins with the start of the command. */
export function startLog(command: string, words: readonly string[]): void {
  isJson = asksForJsonLog(words);
  if (!isJson) return;
  startMs = performance.now();
  log('info', 'run/start', { command, version: VERSION, pid: process.pid });
  // Node prints its own warnings as text. Removing its listener is the documented way to print them otherwise.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => log('warning', 'node/warning', { name, message }));
}

/** `exitCode` may still be unknown to the process. */
export function endLog(exitCode: number): void {
  if (isJson) log('info', 'run/end', { exitCode, seconds: Number(((performance.now() - startMs) / 1_000).toFixed(3)) });
}

export function logsJson(): boolean {
  return isJson;
}

export function log(level: LogLevel, event: LogEvent, fields: LogFields): void {
  process.stderr.write(logLine(level, event, fields));
}

/** Prints a message next to the output. */
export function say(line: string, event: LogEvent = 'message'): void {
  if (isJson) log('info', event, { message: line.trim() });
  else process.stderr.write(`${safeLines(line)}\n`);
}

export function sayFailure(message: string, code: ErrorCode | string): void {
  if (isJson) log('error', 'error', { code, message });
  else say(`orbweaver: ${message} [${code}]`);
}

/** The runs that have `--log`. */
type ProgressName = 'crawl/progress' | 'refresh/progress';

/** Logs the events of a run: warnings at once, progress and stages from time to time and at the end. */
export function logEvents(progress: ProgressName): () => void {
  const shown = everySoOften(PROGRESS_EVERY_MS, (event: CrawlEvents[ProgressName]) =>
    log('info', progress, { ...event, elapsedMs: Math.round(event.elapsedMs) }),
  );
  const stages = everySoOften(STAGES_EVERY_MS, (event: CrawlEvents['crawl/stages']) => {
    const rounded = event.stages.map((stage) => ({ ...stage, tookMs: Number(stage.tookMs.toFixed(3)) }));
    if (rounded.length > 0) log('info', 'crawl/stages', { elapsedMs: Math.round(event.elapsedMs), stages: rounded });
  });
  const stops = [
    listen('crawl/warning', ({ message }) => log('warning', 'crawl/warning', { message })),
    listen('refresh/said', ({ line }) => log('info', 'refresh/said', { line })),
    listen(progress, shown.take),
    listen('crawl/stages', stages.take),
  ];
  return () => {
    for (const stop of stops) stop();
    shown.flush();
    stages.flush();
  };
}

/** Passes on an event when enough time has passed since the last one. `flush` passes on the newest one of the rest. */
function everySoOften<Event>(everyMs: number, pass: (event: Event) => void) {
  let lastMs = performance.now();
  let held: Event | null = null;
  const flush = (): void => {
    if (held !== null) pass(held);
    held = null;
  };
  const take = (event: Event): void => {
    held = event;
    if (performance.now() - lastMs < everyMs) return;
    lastMs = performance.now();
    flush();
  };
  return { take, flush };
}
