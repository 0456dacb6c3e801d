/** What a process uses, from /proc: memory now and at its most, CPU time so far. */
import { readFileSync } from 'node:fs';

/** The unit of the times in /proc/<pid>/stat; 100 a second on every Linux that Node runs on. */
const TICKS_A_SECOND = 100;

export interface ProcessUse {
  readonly rssMb: number;
  /** Without what is shared with files on the disk, such as Node's own program. */
  readonly anonymousMb: number;
  readonly peakRssMb: number;
  readonly cpuSeconds: number;
}

export function processUse(pid: number): ProcessUse {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const mb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
  // The name in the second field may hold spaces and brackets: count from its last bracket.
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return {
    rssMb: mb('VmRSS'),
    anonymousMb: mb('RssAnon'),
    peakRssMb: mb('VmHWM'),
    cpuSeconds: ticks / TICKS_A_SECOND,
  };
}
