/**
 * Runs a crawl as a user does: `orbweaver crawl` in its own process, which can be interrupted and killed. In: the words
 * of the command line. Out: the exit code, the output and the summary.
 */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { CrawlSummary } from '../../src/crawl/crawl-summary.ts';
import { MAIN } from '../setup/built-program.ts';

export interface EndedCrawl {
  /** Null when a signal ended the process. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The one JSON object on stdout; null when there was none. */
  readonly summary: CrawlSummary | null;
}

export interface CrawlProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<EndedCrawl>;
  /** Resolves when the text has appeared on stderr or the process has ended. */
  said(text: string): Promise<void>;
  /** Sends SIGINT, like Ctrl-C. */
  interrupt(): void;
  /** Sends SIGKILL, like `kill -9`. */
  kill(): void;
}

/** Without `--units` the crawl has one unit: starting another one takes longer than most of these crawls. */
export function startCrawlProcess(dir: string, ...words: readonly string[]): CrawlProcess {
  const units = words.includes('--units') ? [] : ['--units', '1'];
  const child = spawn(process.execPath, [MAIN, 'crawl', ...words, ...units, '--dir', dir, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {},
  });
  const output = outputOf(child);
  const ended = new Promise<EndedCrawl>((resolve) =>
    child.on('close', (exitCode, signal) =>
      resolve({ exitCode, signal, ...output, summary: output.stdout === '' ? null : JSON.parse(output.stdout) }),
    ),
  );
  const said = async (text: string): Promise<void> => {
    const heard = new Promise<void>((resolve) => {
      const look = (): void => {
        if (output.stderr.includes(text)) resolve();
      };
      look();
      child.stderr.on('data', look);
    });
    await Promise.race([heard, ended]);
  };
  return {
    child,
    ended,
    said,
    interrupt: () => void child.kill('SIGINT'),
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Runs a crawl process to its end. */
export function crawl(dir: string, ...words: readonly string[]): Promise<EndedCrawl> {
  return startCrawlProcess(dir, ...words).ended;
}

/** The output of a process so far. */
export function outputOf(child: ChildProcessByStdio<null, Readable, Readable>): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (piece: string) => {
      output[name] += piece;
    });
  }
  return output;
}
