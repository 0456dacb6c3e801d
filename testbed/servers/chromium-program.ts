/**
 * Finds Chromium for the tests of the web interface, or installs it from the system's packages when root asks, and
 * starts it with its sandbox. In: nothing. Out: the command, or the reason why there is none.
 *
 * What always holds: Chromium never runs without its sandbox. It refuses to use it as root, so root starts it through an
 * account without other rights.
 */
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serverAccount } from './server-account.ts';
import { installPackage } from './system-packages.ts';

const COMMANDS = ['chromium', '/usr/bin/chromium', 'chromium-browser'];

export async function findChromium(commands: readonly string[] = COMMANDS): Promise<string | undefined> {
  for (const command of commands) {
    try {
      const { stdout } = await promisify(execFile)('/bin/sh', ['-c', 'command -v "$0"', command]);
      return stdout.trim();
    } catch {
      // This candidate does not exist.
    }
  }
  return undefined;
}

/** Returns undefined when Chromium is installed, otherwise the reason and the next step for the user. */
export function installChromium(report: (text: string) => void): Promise<string | undefined> {
  return installPackage('Chromium', 'chromium', report);
}

export interface ChromiumHome {
  /** A program that starts Chromium as the right account. It takes the arguments of Chromium. */
  readonly program: string;
  readonly profile: string;
  remove(): Promise<void>;
}

/** Makes a folder in which Chromium may write, and a program that starts it there. */
export async function chromiumHome(chromium: string): Promise<ChromiumHome> {
  const folder = await mkdtemp(join(tmpdir(), 'orbweaver-chromium-'));
  const profile = join(folder, 'profile');
  await mkdir(profile);
  const account = serverAccount();
  const change = account && `setpriv --reuid=${account.uid} --regid=${account.gid} --clear-groups `;
  const lines = ['#!/bin/sh', `export HOME='${folder}' TMPDIR='${folder}'`, `exec ${change ?? ''}'${chromium}' "$@"`];
  const program = join(folder, 'chromium.sh');
  await writeFile(program, `${lines.join('\n')}\n`);
  await chmod(program, 0o755);
  await chmod(folder, 0o755);
  if (account !== undefined) {
    for (const path of [folder, profile]) await chown(path, account.uid, account.gid);
  }
  return { program, profile, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
}
