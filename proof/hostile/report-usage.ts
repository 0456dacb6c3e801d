/**
 * Loaded before the program (`node --import`). When the program ends, this module writes the resource usage of the
 * whole process to the file named in HOSTILE_USAGE.
 */
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

export interface ProcessUsage {
  /** User and system time of all threads. */
  readonly cpuMs: number;
  readonly peakBytes: number;
}

const file = process.env.HOSTILE_USAGE;
if (isMainThread && file !== undefined) {
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const usage: ProcessUsage = { cpuMs: (userCPUTime + systemCPUTime) / 1_000, peakBytes: maxRSS * 1_024 };
    writeFileSync(file, JSON.stringify(usage));
  });
}
