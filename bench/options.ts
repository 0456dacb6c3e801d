/**
 * The flags of the benchmark. In: the arguments of the command line. Out: checked options, or an error that
 * names the bad flags.
 */
import { parseArgs } from 'node:util';
import { CRAWLERS } from './peers/all.ts';
import { MAX_HOSTS } from './web/plan.ts';

const FLAGS = ['scenario', 'pages', 'hosts', 'slow-pages', 'repeat', 'only', 'seed', 'timeout'] as const;

export const SCENARIOS = {
  'one-host': { hosts: 1 },
  'twenty-hosts': { hosts: 20 },
} as const satisfies Record<string, { hosts: number }>;
export type ScenarioName = keyof typeof SCENARIOS;

export interface Scenario {
  readonly name: string;
  readonly hosts: number;
  readonly pages: number;
  /** Pages of the web for the slow crawlers. */
  readonly slowPages: number;
}

export interface BenchOptions {
  readonly scenarios: readonly Scenario[];
  readonly repeat: number;
  readonly only: readonly string[];
  readonly seed: number;
  readonly timeoutMs: number;
  /** True when this is not the complete published measurement. The results then do not replace the published ones. */
  readonly partial: boolean;
}

export const HELP = `npm run bench -- [flags]
npm run bench -- canonical-sites     canonical links between pages of real sites; has flags of its own (--help)
npm run bench -- cluster [flags]     several workers on PostgreSQL; has flags of its own (--help)
npm run bench -- freshness [flags]   how fresh the schedule keeps a copy; has flags of its own (--help)
npm run bench -- frontier [flags]    the growing frontier; has flags of its own (--help)
npm run bench -- graph [flags]       link lists and PageRank of a model web; has flags of its own (--help)
npm run bench -- hostile [flags]     a healthy host beside hostile ones; has flags of its own (--help)
npm run bench -- main-content-sites  main content of real sites against the truth; has flags of its own (--help)
npm run bench -- markdown-sites      Markdown of real pages, rendered again; has flags of its own (--help)
npm run bench -- near-duplicate-sites near duplicates on real sites; has flags of its own (--help)
npm run bench -- noise-timelines     alarms on noise on real pages over time; has flags of its own (--help)
npm run bench -- orders [flags]      which order brings important pages first; has flags of its own (--help)
npm run bench -- refresh [flags]     what bringing a copy up to date costs; has flags of its own (--help)
npm run bench -- revisions --base <revision> [--rounds <n>] [--pages <n>]   compared with another revision of Orbweaver
npm run bench -- search [flags]      the search engine against others; has flags of its own (--help)
npm run bench -- search-freshness    how soon searches find changed pages; has flags of its own (--help)
npm run bench -- search-spelling     corrections and completions of queries; has flags of its own (--help)
npm run bench -- template-sites      templates of real sites against the truth; has flags of its own (--help)
npm run bench -- topic [flags]       a focused crawl against breadth-first; has flags of its own (--help)
npm run bench -- watcher [flags]     what a watcher costs, and a refresh with it; has flags of its own (--help)

  --scenario <name>    ${Object.keys(SCENARIOS).join(' or ')} (default: both)
  --pages <n>          pages of the web (default 10000)
  --hosts <n>          hosts, 1 to ${MAX_HOSTS}: a scenario of your own instead of the named ones
  --slow-pages <n>     pages of the web of the slow crawlers (default 2000, at most --pages)
  --repeat <n>         rounds, each with every crawler in turn (default 3)
  --only <a,b>         of ${CRAWLERS.map((crawler) => crawler.name).join(', ')}
  --seed <n>           of the web (default 1)
  --timeout <s>        seconds a run may take (default 600)
  --quick              1000 pages, one round
`;

export class BadOption extends Error {}

export function readOptions(args: readonly string[]): BenchOptions | 'help' {
  const values = readFlags(args, FLAGS);
  if (values.help) return 'help';
  const pages = wholeNumber('pages', values.pages ?? (values.quick ? '1000' : '10000'));
  const slowPages = Math.min(pages, wholeNumber('slow-pages', values['slow-pages'] ?? '2000'));
  const only = (values.only ?? '').split(',').filter(Boolean);
  for (const name of only) {
    if (!CRAWLERS.some((crawler) => crawler.name === name))
      throw new BadOption(`--only: there is no crawler "${name}"`);
  }
  return {
    scenarios: chooseScenarios(values.scenario, values.hosts, pages, slowPages),
    repeat: wholeNumber('repeat', values.repeat ?? (values.quick ? '1' : '3')),
    only,
    seed: wholeNumber('seed', values.seed ?? '1'),
    timeoutMs: wholeNumber('timeout', values.timeout ?? '600') * 1000,
    partial: [values.quick, values.only, values.pages, values['slow-pages'], values.seed].some(
      (value) => value !== undefined,
    ),
  };
}

function chooseScenarios(
  name: string | undefined,
  hosts: string | undefined,
  pages: number,
  slowPages: number,
): Scenario[] {
  if (hosts !== undefined) {
    if (name !== undefined) throw new BadOption('--hosts and --scenario exclude each other');
    const count = wholeNumber('hosts', hosts);
    if (count > MAX_HOSTS) throw new BadOption(`--hosts: at most ${MAX_HOSTS}`);
    if (slowPages < count) throw new BadOption('--pages and --slow-pages: a host needs at least one page');
    return [{ name: `${count}-hosts`, hosts: count, pages, slowPages }];
  }
  if (name !== undefined && !(name in SCENARIOS)) throw new BadOption(`--scenario: there is no scenario "${name}"`);
  const names = name === undefined ? (Object.keys(SCENARIOS) as ScenarioName[]) : [name as ScenarioName];
  return names.map((each) => ({ name: each, hosts: SCENARIOS[each].hosts, pages, slowPages }));
}

/** Reads the flags of a benchmark: its flags with a value, and --quick and --help, which every benchmark has. */
export function readFlags<Name extends string>(
  args: readonly string[],
  names: readonly Name[],
): Partial<Record<Name, string>> & { readonly quick?: boolean; readonly help?: boolean } {
  const texts = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  const options = { ...texts, quick: { type: 'boolean' as const }, help: { type: 'boolean' as const } };
  try {
    return parseArgs({ args: [...args], options }).values as Partial<Record<Name, string>>;
  } catch (error) {
    throw new BadOption(error instanceof Error ? error.message : String(error));
  }
}

export function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new BadOption(`--${name}: "${text}" is no whole number above 0`);
  return number;
}
