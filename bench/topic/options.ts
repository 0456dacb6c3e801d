/** The flags of `npm run bench -- topic`. In: arguments. Out: checked options. */
import { readFlags, wholeNumber } from '../options.ts';
import { SITES_HINT } from '../site/read-site.ts';

const FLAGS = ['pages', 'seeds', 'sites'] as const;

const PAGES = '20000';
const SEEDS = '5';
/**
 * The webs of lower seeds were used to find the weights. The webs from this seed on were first used for the figures.
 */
export const FIRST_SEED = 101;

export interface TopicOptions {
  readonly pages: number;
  /** Number of webs, with consecutive seeds from FIRST_SEED on. */
  readonly seeds: number;
  /** The names and start pages of real sites, to crawl instead of the webs. */
  readonly sites?: string;
  /** True when this is not the complete published measurement. The results then do not replace the published ones. */
  readonly partial: boolean;
}

export const TOPIC_HELP = `npm run bench -- topic [flags]

  --pages <n>          pages of each web (default ${PAGES})
  --seeds <n>          webs (default ${SEEDS})
  --quick              4,000 pages, two webs
  --sites ${SITES_HINT}
                       real sites instead of the model webs: a name and the file of the start page of each
`;

export function readTopicOptions(args: readonly string[]): TopicOptions | 'help' {
  const values = readFlags(args, FLAGS);
  if (values.help) return 'help';
  return {
    pages: wholeNumber('pages', values.pages ?? (values.quick ? '4000' : PAGES)),
    seeds: wholeNumber('seeds', values.seeds ?? (values.quick ? '2' : SEEDS)),
    ...(values.sites !== undefined && { sites: values.sites }),
    partial: [values.quick, values.pages, values.seeds].some((value) => value !== undefined),
  };
}
