/** The flags of `npm run bench -- frontier`. In: arguments. Out: checked options. */
import { BadOption, readFlags, wholeNumber } from '../options.ts';
import { LINK_SERIES, type LinkSeries } from './plan.ts';

const FLAGS = ['known', 'links', 'pages', 'repeat', 'seed', 'timeout'] as const;

const KNOWN = '10000,100000,1000000,5000000';
const PAGES = '5000';

export interface FrontierOptions {
  readonly known: readonly number[];
  readonly links: readonly LinkSeries[];
  readonly pages: number;
  readonly repeat: number;
  readonly seed: number;
  readonly timeoutMs: number;
  /** True when this is not the complete published measurement. The results then do not replace the published ones. */
  readonly partial: boolean;
}

export const FRONTIER_HELP = `npm run bench -- frontier [flags]

  --known <n,n>        known URLs, smallest first (default ${KNOWN})
  --links <a,b>        of ${LINK_SERIES.join(', ')} (default: all)
  --pages <n>          pages each crawl fetches (default ${PAGES})
  --repeat <n>         rounds, each with every case in turn (default 3)
  --seed <n>           of the web (default 1)
  --timeout <s>        seconds a run may take (default 600)
  --quick              10,000 and 100,000 known URLs, one round
`;

export function readFrontierOptions(args: readonly string[]): FrontierOptions | 'help' {
  const values = readFlags(args, FLAGS);
  if (values.help) return 'help';
  const pages = wholeNumber('pages', values.pages ?? PAGES);
  const known = (values.known ?? (values.quick ? '10000,100000' : KNOWN))
    .split(',')
    .map((text) => wholeNumber('known', text))
    .sort((left, right) => left - right);
  if (known[0]! < pages) throw new BadOption(`--known: at least ${pages}, the pages that are served`);
  const links = (values.links ?? LINK_SERIES.join(',')).split(',').map(linkSeries);
  return {
    known,
    links,
    pages,
    repeat: wholeNumber('repeat', values.repeat ?? (values.quick ? '1' : '3')),
    seed: wholeNumber('seed', values.seed ?? '1'),
    timeoutMs: wholeNumber('timeout', values.timeout ?? '600') * 1000,
    partial: [values.quick, values.known, values.links, values.pages, values.seed].some((value) => value !== undefined),
  };
}

function linkSeries(name: string): LinkSeries {
  const found = LINK_SERIES.find((series) => series === name);
  if (found === undefined) throw new BadOption(`--links: there is no series "${name}"`);
  return found;
}
