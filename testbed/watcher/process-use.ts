/** Reads the use of a process from /proc: current and highest memory, and CPU time so far. */
import { readFileSync } from 'node:fs';

/** The unit of the times in /proc/<pid>/stat: 100 per second on every Linux that Node supports. */
const TICKS_A_SECOND = 100;

export interface ProcessUse {
  readonly rssMb: number;
  /** Without memory that is shared with files on the disk, such as the Node program itself. */
  readonly anonymousMb: number;
  readonly peakRssMb: number;
  readonly cpuSeconds: number;
}

export function processUse(pid: number): ProcessUse {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const mb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
  // The name in the second field may contain spaces and brackets, so the fields are counted from its last bracket.
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
