/**
 * Installs a peer once. In: source files and steps. Out: a folder with the installed peer.
 *
 * A stamp made from the sources and steps shows whether the installed peer is up to date. What always holds: a failed
 * installation leaves no stamp, and its reason names the step. The full output stays in `install.log`.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const STEP_TIMEOUT_MS = 30 * 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024 ** 2;

export interface Installation {
  readonly folder: string;
  /** Files that are copied first: source path → target path. */
  readonly sources: ReadonlyArray<readonly [string, string]>;
  readonly steps: ReadonlyArray<readonly [string, ...string[]]>;
}

/** Returns undefined when the peer is installed, otherwise the reason why not. */
export async function install(installation: Installation, report: (text: string) => void): Promise<string | undefined> {
  const { folder, sources, steps } = installation;
  const stampPath = join(folder, 'installed');
  const stamp = await stampOf(installation);
  if ((await readFile(stampPath, 'utf8').catch(() => '')) === stamp) return undefined;

  for (const [from, to] of sources) {
    const target = join(folder, to);
    await mkdir(dirname(target), { recursive: true });
    await copyFile(from, target);
  }
  const logPath = join(folder, 'install.log');
  let log = '';
  for (const [program, ...args] of steps) {
    const name = [program, ...args].join(' ');
    report(name);
    const { failure, output } = await runStep(program, args, folder);
    log += `$ ${name}\n${output}\n`;
    await writeFile(logPath, log);
    if (failure !== undefined) return `\`${name}\` ${failure}`;
  }
  await writeFile(stampPath, stamp);
  return undefined;
}

/** Returns the first line that a program prints about itself, or undefined when it cannot be run. */
export function askVersion(program: string, ...args: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, (error, stdout, stderr) => {
      resolve(error === null ? (stdout || stderr).trim().split('\n')[0] : undefined);
    });
  });
}

async function stampOf({ sources, steps }: Installation): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([sources.map(([, to]) => to), steps]));
  for (const [from] of sources) hash.update(await readFile(from));
  return hash.digest('hex');
}

function runStep(
  program: string,
  args: string[],
  cwd: string,
): Promise<{ failure: string | undefined; output: string }> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, timeout: STEP_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`;
      if (error === null) resolve({ failure: undefined, output });
      else if (error.code === 'ENOENT') resolve({ failure: `cannot be run: ${program} is not installed`, output });
      else if (error.killed) resolve({ failure: `took longer than ${STEP_TIMEOUT_MS / 60_000} minutes`, output });
      else resolve({ failure: `failed with exit code ${error.code} (see install.log)`, output });
    });
  });
}
