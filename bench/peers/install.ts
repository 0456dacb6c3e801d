/**
 * Installs a peer once: source files and steps in, a folder with the peer in it out.
 *
 * A stamp made from the sources and steps tells whether what is there is what is wanted. What always holds: a failed
 * installation leaves no stamp, and its reason names the step; the full output stays in `install.log`.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const STEP_TIMEOUT_MS = 30 * 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024 ** 2;

export interface Installation {
  readonly folder: string;
  /** Files copied in first: path here → path there. */
  readonly sources: ReadonlyArray<readonly [string, string]>;
  readonly steps: ReadonlyArray<readonly [string, ...string[]]>;
}

/** Undefined when it is installed; else why it is not. */
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

/** The first line a program prints about itself, or undefined when it cannot be run. */
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
