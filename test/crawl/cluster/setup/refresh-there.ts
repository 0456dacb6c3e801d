/**
 * A refresh of a crawl in a test's database: in the test's own process, or in a
 * process as a user runs it, which can be frozen.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { GivenOptions } from '../../../../src/core/options/options.ts';
import { type RefreshSummary, type RunningRefresh, startRefresh } from '../../../../src/crawl/refresh.ts';
import { MAIN } from '../../../setup/built-program.ts';
import type { TestCluster } from './cluster-here.ts';

/** Starts a refresh that acts as a separate machine. */
export async function startRefreshThere(
  cluster: TestCluster,
  name: string,
  given: GivenOptions = {},
): Promise<RunningRefresh> {
  const sources = [{ from: 'test', given: { patience: '0s', ...given } }];
  const archive = archiveOf(cluster, name);
  const place = { dir: cluster.dir, cluster: { url: cluster.url, name: 't' }, archives: [archive] };
  const worker = { name, leaseMs: cluster.leaseMs };
  return startRefresh({ dir: cluster.dir, place, worker, sources });
}

export async function refreshThere(
  cluster: TestCluster,
  name: string,
  given: GivenOptions = {},
): Promise<RefreshSummary> {
  return (await startRefreshThere(cluster, name, given)).summary;
}

function archiveOf(cluster: TestCluster, name: string): string {
  const archive = join(cluster.dir, name);
  mkdirSync(archive, { recursive: true });
  return archive;
}

export interface RefreshProcess {
  readonly child: ChildProcess;
  /** Null if the refresh failed. */
  readonly ended: Promise<RefreshSummary | null>;
}

export function spawnRefresh(
  t: TestContext,
  cluster: TestCluster,
  name: string,
  ...words: readonly string[]
): RefreshProcess {
  const who = [
    '--name',
    't',
    '--worker',
    name,
    '--lease',
    `${cluster.leaseMs}ms`,
    '--archive',
    archiveOf(cluster, name),
  ];
  const child = spawn(process.execPath, [MAIN, 'refresh', ...who, ...words, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, ORBWEAVER_STORE: cluster.url },
  });
  t.after(() => void child.kill('SIGKILL'));
  let out = '';
  child.stdout!.on('data', (chunk) => (out += chunk));
  const ended = new Promise<RefreshSummary | null>((resolve) => {
    child.on('close', (code) => resolve(code === 0 ? (JSON.parse(out) as RefreshSummary) : null));
  });
  return { child, ended };
}
