/** The flags of `npm run bench -- hostile`. In: arguments. Out: checked options. */
import { BadOption, readFlags, wholeNumber } from '../options.ts';

const FLAGS = ['pages', 'copies', 'repeat', 'seed', 'timeout'] as const;

const PAGES = '10000';
/** Each copy has its own second octet in 127.0.0.0/8. */
const MAX_COPIES = 100;

export interface HostileOptions {
  /** Pages of the healthy host. */
  readonly pages: number;
  /** Number of hosts with each bad behaviour. */
  readonly copies: number;
  readonly repeat: number;
  readonly seed: number;
  readonly timeoutMs: number;
  /** True when this is not the complete published measurement. The results then do not replace the published ones. */
  readonly partial: boolean;
}

export const HOSTILE_HELP = `npm run bench -- hostile [flags]

  --pages <n>          pages of the healthy host (default ${PAGES})
  --copies <n>         hosts with each bad behaviour (default 1, at most ${MAX_COPIES})
  --repeat <n>         rounds, each with every case in turn (default 3)
  --seed <n>           of the healthy web (default 1)
  --timeout <s>        seconds a run may take (default 600)
  --quick              2,000 pages, one round
`;

export function readHostileOptions(args: readonly string[]): HostileOptions | 'help' {
  const values = readFlags(args, FLAGS);
  if (values.help) return 'help';
  const copies = wholeNumber('copies', values.copies ?? '1');
  if (copies > MAX_COPIES) throw new BadOption(`--copies: at most ${MAX_COPIES}`);
  return {
    pages: wholeNumber('pages', values.pages ?? (values.quick ? '2000' : PAGES)),
    copies,
    repeat: wholeNumber('repeat', values.repeat ?? (values.quick ? '1' : '3')),
    seed: wholeNumber('seed', values.seed ?? '1'),
    timeoutMs: wholeNumber('timeout', values.timeout ?? '600') * 1000,
    partial: [values.quick, values.pages, values.copies, values.seed].some((value) => value !== undefined),
  };
}
