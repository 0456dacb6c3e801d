/** Runs a refresh as a user does, in its own process, which can be interrupted and killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { RefreshSummary } from '../../../src/crawl/refresh.ts';
import { MAIN } from '../../setup/built-program.ts';
import { outputOf } from '../crawl-process.ts';

export interface EndedRefresh {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly summary: RefreshSummary | null;
}

export interface RefreshProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<EndedRefresh>;
}

export function startRefreshProcess(dir: string, ...words: readonly string[]): RefreshProcess {
  return startFaultyRefresh(null, dir, ...words);
}

/** Starts a refresh whose threads all load `fault` first: a file of this folder that puts a bug into the program. */
export function startFaultyRefresh(fault: string | null, dir: string, ...words: readonly string[]): RefreshProcess {
  const first = fault === null ? [] : ['--import', new URL(fault, import.meta.url).href];
  // A fault is put into the sources, so they must be the program.
  const main = fault === null ? MAIN : join(import.meta.dirname, '../../../src/cli/main.ts');
  const child = spawn(process.execPath, [...first, main, 'refresh', ...words, '--dir', dir, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH },
  });
  const output = outputOf(child);
  const ended = new Promise<EndedRefresh>((resolve) =>
    child.on('close', (exitCode) => {
      const summary = output.stdout === '' ? null : (JSON.parse(output.stdout) as RefreshSummary);
      resolve({ exitCode, ...output, summary });
    }),
  );
  return { child, ended };
}
