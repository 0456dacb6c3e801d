/** The flags of `npm run bench -- refresh`. In: arguments. Out: checked options. */
import { BadOption, readFlags, wholeNumber } from '../options.ts';
import { CONTENDER_NAMES, type ContenderName, YARDSTICK } from './contenders.ts';
import { VARIANTS, type Variant } from './variants.ts';

const FLAGS = ['pages', 'slow-pages', 'shares', 'variants', 'only', 'repeat', 'seed', 'timeout'] as const;

const PAGES = '10000';
const SLOW_PAGES = '2000';
const SHARES = '0,1,3,12,100';
/** The share of changed pages that has an aim. */
export const JUDGED_SHARE = 3;
export const JUDGED_VARIANT = 'validators' satisfies Variant;

export interface RefreshOptions {
  readonly pages: number;
  /** Pages of the site for the slow contenders. */
  readonly slowPages: number;
  /** Percentages of changed pages, ascending. */
  readonly shares: readonly number[];
  readonly variants: readonly Variant[];
  readonly only: readonly ContenderName[];
  readonly repeat: number;
  readonly seed: number;
  readonly timeoutMs: number;
  /** True when this is not the complete published measurement. The results then do not replace the published ones. */
  readonly partial: boolean;
}

export const REFRESH_HELP = `npm run bench -- refresh [flags]

  --pages <n>          pages of the site (default ${PAGES})
  --slow-pages <n>     pages of the site of the slow ones (default ${SLOW_PAGES}, at most --pages)
  --shares <n,n>       pages that change, of a hundred (default ${SHARES})
  --variants <a,b>     of ${VARIANTS.join(', ')}
  --only <a,b>         of ${CONTENDER_NAMES.join(', ')} (${YARDSTICK} is the yardstick and always runs)
  --repeat <n>         rounds, each with every contender in turn; slow ones run in the first only (default 3)
  --seed <n>           of the site and its changes (default 1)
  --timeout <s>        seconds a run may take (default 600)
  --quick              one round, ${JUDGED_SHARE} of a hundred, ${JUDGED_VARIANT} only
`;

export function readRefreshOptions(args: readonly string[]): RefreshOptions | 'help' {
  const values = readFlags(args, FLAGS);
  if (values.help) return 'help';
  const { quick } = values;
  const pages = wholeNumber('pages', values.pages ?? PAGES);
  const only = namesOf('only', values.only ?? CONTENDER_NAMES.join(), CONTENDER_NAMES);
  return {
    pages,
    slowPages: Math.min(pages, wholeNumber('slow-pages', values['slow-pages'] ?? SLOW_PAGES)),
    shares: sharesOf(values.shares ?? (quick ? String(JUDGED_SHARE) : SHARES)),
    variants: namesOf('variants', values.variants ?? (quick ? JUDGED_VARIANT : VARIANTS.join()), VARIANTS),
    only: CONTENDER_NAMES.filter((name) => only.includes(name) || name === YARDSTICK),
    repeat: wholeNumber('repeat', values.repeat ?? (quick ? '1' : '3')),
    seed: wholeNumber('seed', values.seed ?? '1'),
    timeoutMs: wholeNumber('timeout', values.timeout ?? '600') * 1000,
    partial:
      FLAGS.some((name) => !['repeat', 'timeout'].includes(name) && values[name] !== undefined) || quick === true,
  };
}

function namesOf<Name extends string>(flag: string, text: string, known: readonly Name[]): Name[] {
  const names = text.split(',');
  const wrong = names.find((name) => !known.some((each) => each === name));
  if (wrong !== undefined) throw new BadOption(`--${flag}: there is no "${wrong}", only ${known.join(', ')}`);
  return known.filter((name) => names.includes(name));
}

function sharesOf(text: string): number[] {
  const shares = text.split(',').map((each) => (/^\d{1,3}(\.\d{1,3})?$/.test(each) ? Number(each) : Number.NaN));
  if (!shares.every((share) => share <= 100))
    throw new BadOption('--shares: numbers from 0 to 100, with commas between');
  return [...new Set(shares)].sort((left, right) => left - right);
}
