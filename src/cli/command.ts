import type { CommandHelp } from '../core/help.ts';

/** A command of the command line. `run` returns the exit code; what it throws is printed as one line by main.ts. */
export interface Command {
  readonly help: CommandHelp;
  run(words: readonly string[]): Promise<number>;
}
