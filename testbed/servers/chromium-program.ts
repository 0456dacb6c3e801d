/**
 * Finds Chromium for the tests of the web interface, or installs it from the system's packages when root asks, and
 * starts it with its sandbox. In: nothing. Out: the command, or the reason why there is none.
 *
 * What always holds: Chromium never runs without its sandbox. It refuses to use it as root, so root starts it through an
 * account without other rights.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { serverAccount } from './server-account.ts';
import { installPackage } from './system-packages.ts';

const COMMANDS = ['chromium', '/usr/bin/chromium', 'chromium-browser'];
const START_MS = 60_000;
const POLL_MS = 50;
/** Nothing but the pages is requested: no updates, no telemetry, no lists of dangerous sites. */
const FLAGS = [
  ...['--headless=new', '--remote-debugging-port=0', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--disable-gpu'],
];

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

/** Finds or installs Chromium for a proof, which cannot go on without it. */
export async function needChromium(report: (line: string) => void): Promise<string> {
  const known = await findChromium();
  if (known !== undefined) return known;
  const problem = await installChromium(report);
  const found = await findChromium();
  if (found === undefined) throw new Error(problem ?? 'Chromium was installed, but its program was not found');
  return found;
}

export interface RunningChromium {
  /** The WebSocket address of its debugger. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Starts Chromium with its usual profile, which connects in advance, as the private windows of a test runner do not. */
export async function startChromium(chromium: string, flags: readonly string[] = []): Promise<RunningChromium> {
  const home = await chromiumHome(chromium);
  const child = spawn(home.program, [...FLAGS, `--user-data-dir=${home.profile}`, ...flags, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await ended;
    }
    await home.remove();
  };
  try {
    return { endpoint: await endpointOf(child, join(home.profile, 'DevToolsActivePort')), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function endpointOf(child: ChildProcess, portFile: string): Promise<string> {
  let said = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000);
  });
  for (const endMs = Date.now() + START_MS; ; await sleep(POLL_MS)) {
    if (child.exitCode !== null || Date.now() > endMs) throw new Error(`Chromium did not start:\n${said}`);
    const [port, path] = existsSync(portFile) ? readFileSync(portFile, 'utf8').trim().split('\n') : [];
    if (path !== undefined) return `ws://127.0.0.1:${port}${path}`;
  }
}
