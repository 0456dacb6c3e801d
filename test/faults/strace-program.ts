/** Finds strace, which makes system calls fail, or installs it from the system's packages if root asks for it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installPackage } from '../../testbed/servers/system-packages.ts';

export const NO_STRACE = 'needs strace and the right to trace processes';

/** False if strace is not installed, or if tracing is forbidden, as in some containers. */
export function findStrace(): Promise<boolean> {
  return promisify(execFile)('strace', [
    '-qqq',
    '-f',
    '--seccomp-bpf',
    '-e',
    'trace=close',
    '-o',
    '/dev/null',
    'true',
  ]).then(
    () => true,
    () => false,
  );
}

/** Returns undefined if strace is installed, else the reason and the next step for the user. */
export function installStrace(report: (text: string) => void): Promise<string | undefined> {
  return installPackage('strace', 'strace', report);
}
