/** Formats the output of `--help`. No line of the flags is wider than 120 columns. */
import type { FlagTable } from './flags.ts';

export interface CommandHelp {
  readonly usage: string;
  readonly about: string;
  readonly examples: readonly string[];
  readonly flags: FlagTable;
}

const MOST_COLUMNS = 120;

export function helpText({ usage, about, examples, flags }: CommandHelp): string {
  const rows = Object.entries(flags).map(
    ([name, { hint, help }]) => [`--${name}${hint ? ` ${hint}` : ''}`, help] as const,
  );
  const width = Math.min(34, Math.max(...rows.map(([left]) => left.length)));
  const lines = rows.flatMap(([left, help]) => {
    const [first, ...rest] = [...(left.length > width ? [''] : []), ...wrapped(help, MOST_COLUMNS - width - 4)];
    return [`  ${left.padEnd(width)}  ${first}`.trimEnd(), ...rest.map((line) => ' '.repeat(width + 4) + line)];
  });
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

function wrapped(text: string, columns: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= columns) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
