/**
 * Starts the bad hosts in a separate process. In: the number of copies. Out: the URLs to seed and the CPU
 * time of the process.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { treeUse } from '../../testbed/measure/process-tree.ts';
import type { BadUrl } from './bad-hosts.ts';

export interface BadHosts {
  readonly urls: readonly BadUrl[];
  /** CPU time since `serveBadHosts` returned: starting the hosts is not part of any crawl. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

export async function serveBadHosts(copies: number): Promise<BadHosts> {
  const script = join(import.meta.dirname, 'bad-hosts.ts');
  const child = spawn(process.execPath, [script, String(copies)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const firstLine = new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the bad hosts left with exit code ${code}`)));
  });
  const urls: readonly BadUrl[] = JSON.parse(await firstLine);
  const usedSeconds = () => treeUse([child.pid!]).cpuSeconds;
  const atStartSeconds = usedSeconds();
  return {
    urls,
    cpuSeconds: () => usedSeconds() - atStartSeconds,
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
