/**
 * Installs system packages for programs that npm does not have. In: a name. Out: nothing, or the reason why the
 * installation failed. No service is started.
 */
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const INSTALL_TIMEOUT_MS = 300_000;
const MAX_OUTPUT_BYTES = 16 * 1024 ** 2;
/** Packages run this script before they start or stop a system service; exit code 101 forbids it. */
const SERVICE_POLICY = '/usr/sbin/policy-rc.d';
const START_NOTHING = '#!/bin/sh\nexit 101\n';

/** Returns undefined when the package is installed, otherwise the reason and the next step for the user. */
export async function installPackage(
  program: string,
  packageName: string,
  report: (text: string) => void,
): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return `${program} is not installed, and only root can: apt-get install ${packageName}`;
  const update = ['update', '-q'];
  const install = ['install', '-y', '-q', '--no-install-recommends', packageName];
  // The package lists of a new machine are empty, and old lists name packages that no longer exist. Without a network
  // the existing lists may still be good enough.
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

/** Some packages start a server during their installation. The user did not ask for a running server. */
export async function withoutServices<T>(install: () => Promise<T>, policy = SERVICE_POLICY): Promise<T> {
  // An existing policy file belongs to somebody else and is kept.
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
