/** Reads the memory and CPU time of a process and its descendants from /proc. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The unit of the times in /proc/<pid>/stat: 100 per second on every Linux that Node supports. */
const TICKS_A_SECOND = 100;

const MOST_READINGS = 20;

export interface TreeUse {
  /** Sum over the process tree. A memory page that two processes share counts twice. */
  readonly rssBytes: number;
  /** User and system time, including children that have been waited for. */
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
 * Use of a process and all its descendants. A process that ends during a reading would be missing, and its
 * parent, which inherits its time, may have been read before. So the tree is read again until no process
 * ends during the reading.
 */
export function useOfTree(rootPid: number): TreeUse {
  for (let reading = 1; ; reading++) {
    const pids = [rootPid, ...descendants(rootPid)];
    const use = treeUse(pids);
    if (reading === MOST_READINGS || pids.every((pid) => existsSync(`/proc/${pid}`))) return use;
  }
}

/** A process that has ended counts as zero. */
export function treeUse(pids: readonly number[]): TreeUse {
  let rssBytes = 0;
  let ticks = 0;
  for (const pid of pids) {
    const status = readOrEmpty(`/proc/${pid}/status`);
    rssBytes += Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
    // The name in the second field may contain spaces and brackets, so the fields are counted from its last bracket.
    const stat = readOrEmpty(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    for (const field of fields.slice(11, 15)) ticks += Number(field);
  }
  return { rssBytes, cpuSeconds: ticks / TICKS_A_SECOND };
}

/** A zombie, which has ended but was not yet waited for by its parent, is not running. */
export function isRunning(pid: number): boolean {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  return stat !== '' && stat[stat.lastIndexOf(')') + 2] !== 'Z';
}

function childrenOf(pid: number): number[] {
  // A child belongs to the thread that started it, so the children of every thread are read.
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
