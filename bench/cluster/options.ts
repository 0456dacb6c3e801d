/** The flags of `npm run bench -- cluster`. In: arguments. Out: checked options. */
import { BadOption, readFlags, wholeNumber } from '../options.ts';

const FLAGS = [
  'parts',
  'workers',
  'mbit',
  'latency',
  'hosts',
  'pages',
  'crowd',
  'crowd-pages',
  'known',
  'cost-pages',
  'fault-pages',
  'repeat',
  'seed',
  'timeout',
] as const;
export const PARTS = ['scaling', 'overlap', 'cost', 'faults'] as const;
export type Part = (typeof PARTS)[number];

const WORKERS = '1,2,3,4,8';
const KNOWN = '50000,5000000';
const MAX_WORKERS = 200;
/** Changing these flags repeats the same measurement, so the run is still a complete one. */
const HARMLESS: readonly string[] = ['repeat', 'timeout'];

export interface ClusterOptions {
  readonly parts: readonly Part[];
  /** Numbers of workers, ascending. */
  readonly workers: readonly number[];
  readonly megabitsPerSecond: number;
  readonly latencyMs: number;
  readonly hosts: number;
  readonly pages: number;
  /** Number of workers in the overlap scenarios. */
  readonly crowd: number;
  readonly crowdPages: number;
  /** Numbers of URLs that the store knows when its cost is measured, ascending. */
  readonly known: readonly number[];
  readonly costPages: number;
  readonly faultPages: number;
  readonly repeat: number;
  readonly seed: number;
  readonly timeoutMs: number;
  /** True when this is not the complete published measurement. The results then do not replace the published ones. */
  readonly partial: boolean;
}

export const CLUSTER_HELP = `npm run bench -- cluster [flags]

  --parts <a,b>        of ${PARTS.join(', ')} (default all): pages a second of several workers; pages that
                       fifty fetch twice; what PostgreSQL pays for a page; what killing, freezing and cutting off spoil
  --workers <n,n>      workers that crawl together (default ${WORKERS})
  --mbit <n>           megabits a second each of them has, each way (default 3)
  --latency <ms>       on the way to and from each of them, where the system can add it (default 5)
  --hosts <n>          of the web (default 200)
  --pages <n>          of the web that is crawled for speed (default 4000)
  --crowd <n>          workers of the overlap (default 50)
  --crowd-pages <n>    pages of their web (default 4000)
  --known <n,n>        URLs the store knows when its cost is measured (default ${KNOWN})
  --cost-pages <n>     pages that are committed for it (default 3200)
  --fault-pages <n>    pages of the web that is crawled under faults (default 5000)
  --repeat <n>         rounds, each with every case in turn (default 3)
  --seed <n>           of webs and faults (default 1)
  --timeout <s>        seconds a crawl may take (default 900)
  --quick              1 and 3 workers, 800 pages, a crowd of 10, 5,000 and 50,000 known URLs, 600 pages under faults, one round

Scaling and overlap give each worker a network of its own, which needs Linux, root and iproute2.
`;

export function readClusterOptions(args: readonly string[]): ClusterOptions | 'help' {
  const values = readFlags(args, FLAGS);
  if (values.help) return 'help';
  const { quick } = values;
  const number = (name: (typeof FLAGS)[number], usual: string, quickly = usual) =>
    wholeNumber(name, values[name] ?? (quick ? quickly : usual));
  const parts = (values.parts ?? PARTS.join()).split(',');
  const wrong = parts.find((part) => !PARTS.some((each) => each === part));
  if (wrong !== undefined) throw new BadOption(`--parts: there is no "${wrong}", only ${PARTS.join(', ')}`);
  const hosts = number('hosts', '200', '60');
  const [pages, crowdPages] = [number('pages', '4000', '800'), number('crowd-pages', '4000', '400')];
  const faultPages = number('fault-pages', '5000', '600');
  if (Math.min(pages, crowdPages, faultPages) < hosts) throw new BadOption('--pages: a host needs at least one page');
  const crowd = number('crowd', '50', '10');
  const workers = numbers('workers', values.workers ?? (quick ? '1,3' : WORKERS));
  if (Math.max(crowd, ...workers) > MAX_WORKERS) throw new BadOption(`--workers, --crowd: at most ${MAX_WORKERS}`);
  return {
    parts: PARTS.filter((part) => parts.includes(part)),
    workers,
    megabitsPerSecond: number('mbit', '3'),
    latencyMs: number('latency', '5'),
    hosts,
    pages,
    crowd,
    crowdPages,
    known: numbers('known', values.known ?? (quick ? '5000,50000' : KNOWN)),
    costPages: number('cost-pages', '3200', '640'),
    faultPages,
    repeat: number('repeat', '3', '1'),
    seed: number('seed', '1'),
    timeoutMs: number('timeout', '900') * 1000,
    partial: quick === true || FLAGS.some((name) => !HARMLESS.includes(name) && values[name] !== undefined),
  };
}

function numbers(flag: (typeof FLAGS)[number], text: string): number[] {
  const found = text.split(',').map((each) => wholeNumber(flag, each));
  return [...new Set(found)].sort((left, right) => left - right);
}
