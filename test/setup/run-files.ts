/**
 * Runs the test files of a whole `npm test`. In: the paths of all files. Out: the report on stdout, and exit code 1 if
 * a test failed. What always holds: each file runs once, in a process of its own.
 *
 * Files that work run two at a time, because the smallest machine has two cores. Beside them runs one file at a time
 * that mostly waits. Long files come first (`file-order.ts`), so that no core is idle while the last file runs.
 */
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { inOrder } from './file-order.ts';

/** An event of the test runner. */
interface TestEvent {
  readonly type: string;
  readonly data: { readonly file?: string; readonly message?: string; readonly nesting?: number };
}

interface Summary {
  readonly counts: Readonly<Record<string, number>>;
  readonly success: boolean;
}

const FILE_TIMEOUT_MS = 300_000;
const AT_WORK = 2;

/** The names that the reports of the test runner use, by the names of its counts. */
const COUNTS = {
  tests: 'tests',
  suites: 'suites',
  pass: 'passed',
  fail: 'failed',
  cancelled: 'cancelled',
  skipped: 'skipped',
  todo: 'todo',
} as const;

const summaries: Summary[] = [];

/** Passes the events of a file on when the file has ended: the reporter mixes up files that report at the same time. */
async function passOn(events: Readable, report: PassThrough): Promise<void> {
  const held = new Map<string, TestEvent[]>();
  const flush = (file: string): void => {
    for (const event of held.get(file) ?? []) report.write(event);
    held.delete(file);
  };
  for await (const event of events as AsyncIterable<TestEvent>) {
    const { type, data } = event;
    const { file } = data;
    if (file !== undefined) {
      if (!held.has(file)) held.set(file, []);
      held.get(file)!.push(event);
      if (type === 'test:summary') flush(file);
    } else if (type === 'test:summary') {
      summaries.push(data as unknown as Summary);
    }
  }
  for (const file of [...held.keys()]) flush(file);
}

/** The processes of the files get the flags of this process. */
function runFiles(files: readonly string[], concurrency: number, signal: AbortSignal): Readable {
  return run({ files, concurrency, signal, timeout: FILE_TIMEOUT_MS });
}

const startMs = performance.now();
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ending.abort());

const { atWork, waiting } = inOrder(process.argv.slice(2));
const report = new PassThrough({ objectMode: true });
const written = pipeline(report, new spec(), process.stdout, { end: false });
await Promise.all([
  passOn(runFiles(atWork, AT_WORK, ending.signal), report),
  ...(waiting.length > 0 ? [passOn(runFiles(waiting, 1, ending.signal), report)] : []),
]);
for (const [name, count] of Object.entries(COUNTS)) {
  const sum = summaries.reduce((total, { counts }) => total + (counts[count] ?? 0), 0);
  report.write({ type: 'test:diagnostic', data: { nesting: 0, message: `${name} ${sum}` } });
}
const tookMs = performance.now() - startMs;
report.write({ type: 'test:diagnostic', data: { nesting: 0, message: `duration_ms ${tookMs}` } });
report.end();
await written;
process.exitCode = !ending.signal.aborted && summaries.every(({ success }) => success) ? 0 : 1;
