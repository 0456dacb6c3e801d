/**
 * Finds, installs and starts Chromium. In: a folder for its profile. Out: a process that listens for a debugger.
 *
 * Chromium refuses to run as root inside its sandbox, so root runs it as an account without other rights.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverAccount } from '../servers/server-account.ts';
import { installPackage } from '../servers/system-packages.ts';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const START_MS = 60_000;
const POLL_MS = 50;

export function chromiumPath(): string | undefined {
  return PROGRAMS.find((path) => existsSync(path));
}

/** Returns undefined when Chromium is installed, otherwise the reason why it is not. */
export async function installChromium(report: (text: string) => void): Promise<string | undefined> {
  return chromiumPath() === undefined ? installPackage('Chromium', 'chromium', report) : undefined;
}

export async function findChromium(report: (line: string) => void): Promise<string> {
  const problem = await installChromium(report);
  const found = chromiumPath();
  if (found === undefined) throw new Error(problem ?? 'Chromium was installed, but its program was not found');
  return found;
}

export interface RunningChromium {
  readonly child: ChildProcess;
  /** The WebSocket address of its debugger. */
  readonly endpoint: string;
}

export async function spawnChromium(
  program: string,
  folder: string,
  more: readonly string[] = [],
): Promise<RunningChromium> {
  await mkdir(folder, { recursive: true });
  const account = serverAccount();
  if (account !== undefined) await chown(folder, account.uid, account.gid);
  await chmod(folder, 0o700);
  const flags = ['--headless=new', '--remote-debugging-port=0', `--user-data-dir=${folder}`, '--no-first-run'];
  // Nothing but the pages is requested: no updates, no telemetry, no lists of dangerous sites.
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-gpu'];
  const child = spawn(program, [...flags, ...quiet, ...more, 'about:blank'], {
    ...account,
    cwd: folder,
    env: { HOME: folder, PATH: process.env.PATH, LANG: 'C.UTF-8' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000);
  });
  const portFile = join(folder, 'DevToolsActivePort');
  for (const endMs = Date.now() + START_MS; !existsSync(portFile); await sleep(POLL_MS)) {
    if (child.exitCode !== null || Date.now() > endMs) throw new Error(`Chromium did not start:\n${said}`);
  }
  await sleep(POLL_MS);
  const [port, path] = readFileSync(portFile, 'utf8').trim().split('\n');
  return { child, endpoint: `ws://127.0.0.1:${port}${path}` };
}
