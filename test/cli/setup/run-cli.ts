import { spawn } from 'node:child_process';
import { buffer, text } from 'node:stream/consumers';
import { MAIN } from '../../setup/built-program.ts';

export interface CliRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  /** The raw bytes of stdout. */
  readonly stdoutBytes: Buffer;
  readonly stderr: string;
}

/** Runs the command line as a user does, in its own process. */
export function runCli(...words: string[]): Promise<CliRun> {
  return runCliIn({}, ...words);
}

/** Does the same as `runCli`, with an environment. */
export function runCliIn(env: NodeJS.ProcessEnv, ...words: string[]): Promise<CliRun> {
  return run(words, { env });
}

/** Does the same as `runCli`, in a working directory. */
export function runCliAt(cwd: string, ...words: string[]): Promise<CliRun> {
  return run(words, { env: {}, cwd });
}

async function run(words: readonly string[], where: { readonly env: NodeJS.ProcessEnv; readonly cwd?: string }) {
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'pipe', 'pipe'], ...where });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdoutBytes, stderr] = await Promise.all([buffer(child.stdout), text(child.stderr)]);
  return { exitCode: await ended, stdout: stdoutBytes.toString(), stdoutBytes, stderr };
}
