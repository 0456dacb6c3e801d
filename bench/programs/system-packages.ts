/**
 * Packages of the system, for programs that npm does not carry: a name in, nothing or why it could not be installed out. No service is
 * started by it.
 */
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const INSTALL_TIMEOUT_MS = 300_000;
const MAX_OUTPUT_BYTES = 16 * 1024 ** 2;
/** Asked by packages before they start or stop a service of the system; 101 forbids it. */
const SERVICE_POLICY = '/usr/sbin/policy-rc.d';
const START_NOTHING = '#!/bin/sh\nexit 101\n';

/** Undefined when it is installed; else why it is not, and what to do. */
export async function installPackage(
  program: string,
  packageName: string,
  report: (text: string) => void,
): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return `${program} is not installed, and only root can: apt-get install ${packageName}`;
  const update = ['update', '-q'];
  const install = ['install', '-y', '-q', '--no-install-recommends', packageName];
  // The lists of a fresh machine are empty, and those of an old one name packages that are gone. Without a network they may still do.
  report(`apt-get ${update.join(' ')}`);
  const outdated = await runApt(update);
  report(`apt-get ${install.join(' ')}`);
  const failure = await withoutServices(() => runApt(install));
  return failure && `${program} could not be installed (apt-get ${install.join(' ')}): ${outdated ?? failure}`;
}

async function runApt(words: readonly string[]): Promise<string | undefined> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await promisify(execFile)('apt-get', [...words], { timeout: INSTALL_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, env });
    return undefined;
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') return 'this system has no apt-get';
    return stderr.trim().split('\n').at(-1) || `exit code ${String(code)}`;
  }
}

/** Nobody asked for a server that runs from now on: some packages start one as they are installed. */
export async function withoutServices<T>(install: () => Promise<T>, policy = SERVICE_POLICY): Promise<T> {
  // One that is there is somebody's own.
  const isOurs = await writeFile(policy, START_NOTHING, { mode: 0o755, flag: 'wx' }).then(
    () => true,
    () => false,
  );
  try {
    return await install();
  } finally {
    if (isOurs) await rm(policy, { force: true });
  }
}
