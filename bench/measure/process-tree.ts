/** Reads what a process and its descendants use from /proc. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The unit of the times in /proc/<pid>/stat; 100 a second on every Linux that Node runs on. */
const TICKS_A_SECOND = 100;

const MOST_READINGS = 20;

export interface TreeUse {
  /** Sum over the tree; a page that two processes share counts twice. */
  readonly rssBytes: number;
  /** User and system time, children already waited for included. */
  readonly cpuSeconds: number;
}

export function descendants(rootPid: number): number[] {
  const found: number[] = [];
  const pending = [rootPid];
  for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
    for (const child of childrenOf(pid)) {
      found.push(child);
      pending.push(child);
    }
  }
  return found;
}

/**
 * Of a process and all its descendants. One that ends in the middle of a reading would be missing, and its parent, which has inherited its
 * time, may have been read before: so it is read again, until none did.
 */
export function useOfTree(rootPid: number): TreeUse {
  for (let reading = 1; ; reading++) {
    const pids = [rootPid, ...descendants(rootPid)];
    const use = treeUse(pids);
    if (reading === MOST_READINGS || pids.every((pid) => existsSync(`/proc/${pid}`))) return use;
  }
}

/** One that has ended counts as nothing. */
export function treeUse(pids: readonly number[]): TreeUse {
  let rssBytes = 0;
  let ticks = 0;
  for (const pid of pids) {
    const status = readOrEmpty(`/proc/${pid}/status`);
    rssBytes += Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
    // The name in the second field may hold spaces and brackets: count from its last bracket.
    const stat = readOrEmpty(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    for (const field of fields.slice(11, 15)) ticks += Number(field);
  }
  return { rssBytes, cpuSeconds: ticks / TICKS_A_SECOND };
}

/** One that has ended and is not yet buried by its parent does not count. */
export function isRunning(pid: number): boolean {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  return stat !== '' && stat[stat.lastIndexOf(')') + 2] !== 'Z';
}

function childrenOf(pid: number): number[] {
  // A child belongs to the thread that started it, so every thread is asked.
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
  return threads.flatMap((thread) =>
    readOrEmpty(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
