/**
 * Structured logs: one JSON object per line on stderr (docs/logs.md). What always holds: every line begins with `time`,
 * `level` and `event`, and text from the web is escaped. The code uses only features of Node 18, because the watcher's
 * single file uses it too.
 */
import type { FlagRow } from '../flags.ts';
import { safeJson } from '../safe-text.ts';

export const LOG_FORMATS = ['text', 'json'] as const;

export const LOG_FLAG: FlagRow = {
  hint: '<text|json>',
  help: 'write lines for people to stderr, or one JSON object per line for programs (default text)',
};

/** The events of a log, with their fields. A test keeps docs/logs.md equal to this table. */
export const LOG_EVENTS = {
  'run/start': ['command version pid', 'the command begins'],
  'run/stopping': ['message', 'a signal asks the command to save its work and end'],
  'run/summary': ['summary', 'the run has ended: the object that --json prints'],
  'run/end': ['exitCode seconds', 'the command ends'],
  error: ['code message', 'the command has failed ([error codes](errors.md))'],
  message: ['message', 'a sentence for the user'],
  'node/warning': ['name message', 'a warning of Node itself'],
  'crawl/warning': ['message', 'something is wrong, and the run continues'],
  'crawl/progress': [
    'elapsedMs fetched pages waiting failed trouble liveHosts underWay bytes limit',
    'every five seconds and at the end of a crawl',
  ],
  'crawl/stages': ['elapsedMs stages', 'every minute and at the end of a run: the times of its stages'],
  'refresh/progress': [
    'elapsedMs planned looked newPages changed noise reread gone failed trouble requests bytes',
    'every five seconds and at the end of a refresh',
  ],
  'refresh/said': ['line', 'a line that the command of --on-change has printed'],
  'watch/started': ['listening sites', 'the watcher serves its reports'],
  'watch/progress': ['listening sites', 'every five seconds during the first sweep'],
  'watch/ready': ['listening sites', 'the first sweep is done'],
  'watch/once': ['listening sites', 'the sweep of --once is done'],
  'watch/warning': ['message', 'something is wrong, and the watcher continues'],
} as const satisfies Record<string, readonly [fields: string, when: string]>;

export type LogEvent = keyof typeof LOG_EVENTS;

export type LogLevel = 'info' | 'warning' | 'error';

/** The fields of an event. None of them may be named `time`, `level` or `event`. */
export type LogFields = Readonly<Record<string, unknown>> & { time?: never; level?: never; event?: never };

export function logLine(level: LogLevel, event: LogEvent, fields: LogFields): string {
  return `${safeJson({ time: new Date().toISOString(), level, event, ...fields })}\n`;
}

/**
 * Whether the words of a command ask for JSON. It is decided before the words are parsed, so that a refusal of the
 * words is a line of the log too.
 */
export function asksForJsonLog(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  const own = end === -1 ? words : words.slice(0, end);
  return own.some((word, at) => word === '--log=json' || (word === '--log' && own[at + 1] === 'json'));
}
