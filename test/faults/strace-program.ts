/** strace, which makes system calls fail: found, or installed from the system's packages where root asks. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installPackage } from '../../bench/programs/system-packages.ts';

export const NO_STRACE = 'needs strace and the right to trace processes';

/** False where it is not installed, and where tracing is forbidden, as in some containers. */
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

/** Undefined when it is installed; else why it is not, and what to do. */
export function installStrace(report: (text: string) => void): Promise<string | undefined> {
  return installPackage('strace', 'strace', report);
}
