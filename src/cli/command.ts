import type { CommandHelp } from '../core/help.ts';

/** A command of the command line. `run` returns the exit code. command-line.ts prints a thrown error as one line. */
export interface Command {
  readonly help: CommandHelp;
  run(words: readonly string[]): Promise<number>;
}
