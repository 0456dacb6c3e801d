/**
 * Measures the cost of a watcher for its machine. In: a tree of files. Out: memory, CPU time and delays.
 *
 * Memory is the difference to an idle Node: the same program with the same flags, at the same time. What always holds:
 * the tree is unchanged afterwards, and the watcher starts without any state for each tree.
 */
import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessUse, processUse } from '../../testbed/watcher/process-use.ts';
import { RunningWatcher, type WatcherStart } from '../../testbed/watcher/running-watcher.ts';
import { type FileTree, pageText } from './file-tree.ts';

const SITE = 'http://watched.example';
const IDLE_SETTLE_MS = 2_000;
const HEAD_EVERY_MS = 250;
const ENTRY_EVERY_MS = 10;
const DELAY_TIMEOUT_MS = 120_000;
/** Times are measured at full speed; the CPU share is measured separately. */
const AT_FULL_SPEED = ['--cpu', '100%'];

export interface CostPlace {
  readonly node: string;
  readonly file: string;
  readonly workFolder: string;
  readonly timeoutMs: number;
}

export interface CostPlan {
  /** Number of sweeps at full speed before memory is read. */
  readonly sweeps: number;
  /** How long the watcher runs undisturbed while its CPU share is measured. */
  readonly windowSeconds: number;
  readonly cpuShare: number;
  /** Number of changes whose delay is measured, with file events and without. */
  readonly changes: number;
}

export interface Cost {
  readonly files: number;
  readonly idleRssMb: number;
  /** Memory beyond the idle Node, after several sweeps at full speed. */
  readonly beyondMb: number;
  readonly anonymousBeyondMb: number;
  /** The highest memory beyond the idle Node, including the first sweep. */
  readonly peakBeyondMb: number;
  readonly firstSweepSeconds: number;
  readonly firstSweepCpuSeconds: number;
  readonly sweepSeconds: number;
  readonly sweepCpuSeconds: number;
  /** Share of one core while nothing changes, at the given CPU share and with one sweep per minute. */
  readonly cpuShare: number;
  readonly windowSeconds: number;
  readonly shareGiven: number;
  /** Memory beyond the idle Node, at the end of that time. */
  readonly slowBeyondMb: number;
  /** Median time from the write of a file to its report; null when one change was not reported in time. */
  readonly eventDelayMs: number | null;
  readonly sweepDelayMs: number | null;
}

export async function measureCost(place: CostPlace, tree: FileTree, plan: CostPlan): Promise<Cost> {
  const state = join(place.workFolder, 'state');
  await rm(state, { recursive: true, force: true });
  const idle = await idleUse(place.node);
  try {
    const fast = await atFullSpeed(place, tree, state, plan.sweeps);
    const slow = await leftAlone(place, tree, state, plan);
    const eventDelayMs = await delayOf(place, tree, state, plan.changes, 1, ['--every', '1h']);
    const sweepDelayMs = await delayOf(place, tree, state, plan.changes, 2, ['--every', '1s', '--no-file-events']);
    return {
      files: tree.files,
      idleRssMb: idle.rssMb,
      beyondMb: fast.use.rssMb - idle.rssMb,
      anonymousBeyondMb: fast.use.anonymousMb - idle.anonymousMb,
      peakBeyondMb: fast.use.peakRssMb - idle.rssMb,
      firstSweepSeconds: fast.firstSweepSeconds,
      firstSweepCpuSeconds: fast.firstSweepCpuSeconds,
      sweepSeconds: fast.sweepSeconds,
      sweepCpuSeconds: fast.sweepCpuSeconds,
      cpuShare: slow.cpuShare,
      windowSeconds: plan.windowSeconds,
      shareGiven: plan.cpuShare,
      slowBeyondMb: slow.use.rssMb - idle.rssMb,
      eventDelayMs,
      sweepDelayMs,
    };
  } finally {
    await rm(state, { recursive: true, force: true });
  }
}

export async function idleUse(node: string): Promise<ProcessUse> {
  const child = spawn(node, ['-e', 'setInterval(() => {}, 1e9)'], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    await sleep(IDLE_SETTLE_MS);
    return processUse(child.pid!);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

function startOf(place: CostPlace, tree: FileTree, state: string, flags: readonly string[]): WatcherStart {
  const words = [tree.folder, '--url', SITE, '--state', state, '--listen', '127.0.0.1:0', ...flags];
  return { node: place.node, file: place.file, words, cwd: place.workFolder, timeoutMs: place.timeoutMs };
}

async function atFullSpeed(place: CostPlace, tree: FileTree, state: string, sweeps: number) {
  const startedAt = performance.now();
  const watcher = await RunningWatcher.start(startOf(place, tree, state, [...AT_FULL_SPEED, '--every', '1s']));
  try {
    let head = await watcher.ready(SITE, place.timeoutMs);
    const firstSweepSeconds = (performance.now() - startedAt) / 1000;
    const first = processUse(watcher.pid);
    if (head.pages !== tree.files) throw new Error(`the watcher has ${head.pages} pages of ${tree.files}`);
    const begunAt = performance.now();
    for (let sweep = 0; sweep < sweeps; ) {
      await sleep(HEAD_EVERY_MS);
      const { head: now } = await watcher.report(SITE, '?limit=0');
      if (now.at !== head.at) sweep++;
      head = now;
    }
    const use = processUse(watcher.pid);
    return {
      firstSweepSeconds,
      firstSweepCpuSeconds: first.cpuSeconds,
      sweepSeconds: (performance.now() - begunAt) / 1000 / sweeps,
      sweepCpuSeconds: (use.cpuSeconds - first.cpuSeconds) / sweeps,
      use,
    };
  } finally {
    await watcher.stop();
  }
}

async function leftAlone(place: CostPlace, tree: FileTree, state: string, { windowSeconds, cpuShare }: CostPlan) {
  const flags = ['--every', '60s', '--cpu', String(cpuShare)];
  const watcher = await RunningWatcher.start(startOf(place, tree, state, flags));
  try {
    await watcher.ready(SITE, place.timeoutMs);
    const [before, beganAt] = [processUse(watcher.pid), performance.now()];
    await sleep(windowSeconds * 1000);
    const use = processUse(watcher.pid);
    const seconds = (performance.now() - beganAt) / 1000;
    return { cpuShare: (use.cpuSeconds - before.cpuSeconds) / seconds, use };
  } finally {
    await watcher.stop();
  }
}

async function delayOf(
  place: CostPlace,
  tree: FileTree,
  state: string,
  changes: number,
  /** Must differ from the version of earlier calls: a file with the reported content is not reported again. */
  version: number,
  flags: readonly string[],
): Promise<number | null> {
  const startedAtMs = Date.now();
  const watcher = await RunningWatcher.start(startOf(place, tree, state, [...AT_FULL_SPEED, ...flags]));
  const delaysMs: number[] = [];
  const changed = Array.from({ length: changes }, (_, place) => Math.floor((tree.files * (place + 0.5)) / changes));
  try {
    let { cursor, at } = await watcher.ready(SITE, place.timeoutMs);
    // The watcher first reports the changes from the time when it was not running.
    while (Date.parse(at) < startedAtMs) {
      await sleep(HEAD_EVERY_MS);
      ({ cursor, at } = (await watcher.report(SITE, '?limit=0')).head);
    }
    for (const file of changed) {
      await writeFile(join(tree.folder, tree.path(file)), pageText(file, version, tree.files, tree.path));
      const writtenAt = performance.now();
      for (;;) {
        const { head, entries } = await watcher.report(SITE, `?since=${cursor}`);
        cursor = head.cursor;
        if (entries.some(({ url }) => url.endsWith(urlOf(tree.path(file))))) break;
        if (performance.now() - writtenAt > DELAY_TIMEOUT_MS) return null;
        await sleep(ENTRY_EVERY_MS);
      }
      delaysMs.push(performance.now() - writtenAt);
    }
  } finally {
    await watcher.stop();
    for (const file of changed)
      await writeFile(join(tree.folder, tree.path(file)), pageText(file, 0, tree.files, tree.path));
  }
  return delaysMs.sort((left, right) => left - right)[changes >> 1]!;
}

function urlOf(path: string): string {
  return `/${path}`.replace(/\/index\.html$/, '/');
}
