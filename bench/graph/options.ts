/** The flags of `npm run bench -- graph`. In: arguments. Out: checked options. */
import { readFlags, wholeNumber } from '../options.ts';

const FLAGS = ['pages', 'links', 'repeat', 'seed'] as const;

const PAGES = '1000000';
const LINKS = '20';

export interface GraphOptions {
  readonly pages: number;
  /** Mean number of links per page. */
  readonly meanLinks: number;
  readonly repeat: number;
  readonly seed: number;
  /** True when this is not the complete published measurement. The results then do not replace the published ones. */
  readonly partial: boolean;
}

export const GRAPH_HELP = `npm run bench -- graph [flags]

  --pages <n>          pages of the model web (default ${PAGES})
  --links <n>          links of a page, in the mean (default ${LINKS})
  --repeat <n>         rounds of timing (default 5)
  --seed <n>           of the web (default 1)
  --quick              50,000 pages, one round
`;

export function readGraphOptions(args: readonly string[]): GraphOptions | 'help' {
  const values = readFlags(args, FLAGS);
  if (values.help) return 'help';
  return {
    pages: wholeNumber('pages', values.pages ?? (values.quick ? '50000' : PAGES)),
    meanLinks: wholeNumber('links', values.links ?? LINKS),
    repeat: wholeNumber('repeat', values.repeat ?? (values.quick ? '1' : '5')),
    seed: wholeNumber('seed', values.seed ?? '1'),
    partial: [values.quick, values.pages, values.links, values.seed].some((value) => value !== undefined),
  };
}
