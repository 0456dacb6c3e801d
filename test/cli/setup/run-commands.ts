/**
 * Runs many commands in one process, which is faster than one process for each. As a program, this file takes the
 * commands as JSON and prints the output of each command, followed by its outcome.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Command } from '../../../src/cli/arguments.ts';
import { becomeAnotherUser } from '../../store/another-user.ts';

export interface CommandRun {
  readonly words: readonly string[];
  readonly stdout: string;
  /** `0`, or the code and the message of the error. */
  readonly outcome: string;
}

/** With `another`, the process gives up the rights of root if the tests have them. */
export function runCommands(
  user: 'this' | 'another',
  env: NodeJS.ProcessEnv,
  commands: readonly (readonly string[])[],
): CommandRun[] {
  const words = [fileURLToPath(import.meta.url), user, JSON.stringify(commands)];
  const { stdout, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8', maxBuffer: 1e8 });
  const parts = stdout.split(/\0end of command: ([^\0]*)\0\n/);
  if (parts.length !== 2 * commands.length + 1 || stderr !== '') throw new Error(`${stderr}\n${stdout}`);
  return commands.map((words, i) => ({ words, stdout: parts[2 * i]!, outcome: parts[2 * i + 1]! }));
}

async function outcomeOf([name, ...words]: readonly string[]): Promise<string> {
  try {
    const { command } = (await import(`../../../src/cli/commands/${name}.ts`)) as { readonly command: Command };
    return String(await command.run(words));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return `${code} ${message}`;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === 'another') becomeAnotherUser();
  for (const command of JSON.parse(process.argv[3]!) as string[][]) {
    process.stdout.write(`\0end of command: ${await outcomeOf(command)}\0\n`);
  }
}
