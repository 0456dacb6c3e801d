/** The machine the figures are from: without it they say nothing. No host name: it is nobody's business. */
import { cpus, release, totalmem, type } from 'node:os';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  readonly date: string;
}

export function describeMachine(now: Date): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    system: `${type()} ${release()}`,
    node: process.version,
    date: now.toISOString().slice(0, 16).replace('T', ' '),
  };
}
