/** The flags of `npm run bench -- watcher`. In: arguments. Out: checked options. */
import { BadOption, readFlags, wholeNumber } from '../options.ts';

const FLAGS = [
  'parts',
  'files',
  'window',
  'cpu',
  'node',
  'pages',
  'share',
  'delays',
  'repeat',
  'seed',
  'timeout',
] as const;
export const PARTS = ['cost', 'refresh'] as const;
export type Part = (typeof PARTS)[number];

const FILES = '10000,100000,1000000';
const DELAYS_MS = '0,20';

export interface WatcherOptions {
  readonly parts: readonly Part[];
  /** Numbers of files of the watched sites, ascending. */
  readonly files: readonly number[];
  readonly windowSeconds: number;
  /** Share of one core, from 0 to 1. */
  readonly cpuShare: number;
  /** The Node program that runs the watcher. */
  readonly node: string;
  readonly pages: number;
  /** Percentage of changed pages. */
  readonly share: number;
  /** Latencies of the site. */
  readonly answerAfterMs: readonly number[];
  readonly repeat: number;
  readonly seed: number;
  readonly timeoutMs: number;
  /** True when this is not the complete published measurement. The results then do not replace the published ones. */
  readonly partial: boolean;
}

export const WATCHER_HELP = `npm run bench -- watcher [flags]

  --parts <a,b>        of ${PARTS.join(', ')} (default both): what the watcher costs; what a refresh costs with it
  --files <n,n>        files of the sites that are watched (default ${FILES})
  --window <s>         seconds over which its share of the CPU is measured (default 180)
  --cpu <n>            the share it is given, in hundredths of a core (default 1)
  --node <path>        the Node it runs on (default this one)
  --pages <n>          pages of the site that is refreshed (default 10000)
  --share <n>          pages that change, of a hundred (default 3)
  --delays <n,n>       milliseconds after which the site answers (default ${DELAYS_MS})
  --repeat <n>         rounds of refreshes, each with everybody in turn (default 3)
  --seed <n>           of files, site and changes (default 1)
  --timeout <s>        seconds a run or a sweep may take (default 1800)
  --quick              10,000 files, a window of 20 s, 1,000 pages, one round
`;

export function readWatcherOptions(args: readonly string[]): WatcherOptions | 'help' {
  const values = readFlags(args, FLAGS);
  if (values.help) return 'help';
  const { quick } = values;
  const parts = (values.parts ?? PARTS.join()).split(',');
  const wrong = parts.find((part) => !PARTS.some((each) => each === part));
  if (wrong !== undefined) throw new BadOption(`--parts: there is no "${wrong}", only ${PARTS.join(', ')}`);
  const cpu = wholeNumber('cpu', values.cpu ?? '1');
  if (cpu > 100) throw new BadOption('--cpu: at most 100 hundredths');
  const share = wholeNumber('share', values.share ?? '3');
  if (share > 100) throw new BadOption('--share: at most 100 of a hundred');
  return {
    parts: PARTS.filter((part) => parts.includes(part)),
    files: numbers('files', values.files ?? (quick ? '10000' : FILES), 1_000),
    windowSeconds: wholeNumber('window', values.window ?? (quick ? '20' : '180')),
    cpuShare: cpu / 100,
    node: values.node ?? process.execPath,
    pages: wholeNumber('pages', values.pages ?? (quick ? '1000' : '10000')),
    share,
    answerAfterMs: numbers('delays', values.delays ?? DELAYS_MS, 0),
    repeat: wholeNumber('repeat', values.repeat ?? (quick ? '1' : '3')),
    seed: wholeNumber('seed', values.seed ?? '1'),
    timeoutMs: wholeNumber('timeout', values.timeout ?? '1800') * 1000,
    partial:
      FLAGS.some((name) => !['repeat', 'timeout'].includes(name) && values[name] !== undefined) || quick === true,
  };
}

function numbers(flag: string, text: string, least: number): number[] {
  const found = text.split(',').map((each) => (/^\d{1,8}$/.test(each) ? Number(each) : Number.NaN));
  if (!found.every((number) => number >= least)) {
    throw new BadOption(`--${flag}: whole numbers from ${least} on, with commas between`);
  }
  return [...new Set(found)].sort((left, right) => left - right);
}
