/** Formats the output of `--help`. */
import type { FlagTable } from './flags.ts';

export interface CommandHelp {
  readonly usage: string;
  readonly about: string;
  readonly examples: readonly string[];
  readonly flags: FlagTable;
}

export function helpText({ usage, about, examples, flags }: CommandHelp): string {
  const rows = Object.entries(flags).map(
    ([name, { hint, help }]) => [`--${name}${hint ? ` ${hint}` : ''}`, help] as const,
  );
  const width = Math.min(34, Math.max(...rows.map(([left]) => left.length)));
  const lines = rows.map(([left, help]) => `  ${left.padEnd(width)}  ${help}`);
  return [
    `Usage: ${usage}`,
    '',
    about,
    '',
    'Examples:',
    ...examples.map((example) => `  ${example}`),
    '',
    'Flags:',
    ...lines,
    '',
  ].join('\n');
}
