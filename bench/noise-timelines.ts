/**
 * The benchmark of noise on real pages over time: how often does a refresh report a page whose text has not changed,
 * and does it lose a change of the text?
 *
 * In: flags. Out: a table on stdout, progress on stderr, and bench/results/noise-timelines.json and .md. A partial run
 * writes to bench/work/results instead. The exit code is 1 if learning from looks loses a change that is found without.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readTimelines } from './noise-timelines/read-timelines.ts';
import { type FoundByLook, replaySite } from './noise-timelines/replay-site.ts';
import { BadOption, readFlags } from './options.ts';
import { describeMachine } from './report/machine.ts';

const HELP = `npm run bench -- noise-timelines --snapshots <a,b> --versions <a,b> [flags]

  --snapshots <a,b>    git repositories of snapshots of pages, such as OpenTermsArchive/demo-snapshots
  --versions <a,b>     the repositories of the versions of their text, in the same order
  --looks <n>          looks at each page (default 20)
  --days <n>           days between two looks (default 2)
  --only <a,b>         only these sites

Every site is crawled once and refreshed at every look, with and without learning from looks.
`;

/** Before this look, little can be known. */
const FIRST_COUNTED = 5;
const LEAST_SNAPSHOTS = 12;
const DAY_MS = 86_400_000;

interface Figures {
  readonly site: string;
  readonly pages: number;
  /** Looks from `FIRST_COUNTED` on at a page with other bytes and the same text, and alarms at them. */
  readonly quiet: number;
  readonly alarms: number;
  readonly alarmsUnlearned: number;
  readonly alarmsInTemplate: number;
  /** Changes of the text at all looks, and those without an alarm. */
  readonly real: number;
  readonly lost: number;
  readonly lostUnlearned: number;
}

export async function benchNoiseTimelines(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const values = readFlags(args, ['snapshots', 'versions', 'looks', 'days', 'only']);
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const [snapshots, versions] = [values.snapshots?.split(',') ?? [], values.versions?.split(',') ?? []];
  if (snapshots.length === 0 || snapshots.length !== versions.length)
    throw new BadOption('--snapshots and --versions need the same number of repositories');
  const [looks, days] = [Number(values.looks ?? 20), Number(values.days ?? 2)];
  const only = values.only?.split(',');
  const folder = only === undefined ? resultsFolder : join(workFolder, 'results');
  const figures: Figures[] = [];
  for (const [at, repository] of snapshots.entries()) {
    const sites = await readTimelines([repository, versions[at]!], looks * days, LEAST_SNAPSHOTS);
    for (const site of sites.filter(({ name }) => only === undefined || only.includes(name))) {
      const endMs = Math.max(...site.timelines.map((timeline) => timeline.snapshots.at(-1)!.atMs));
      const timesMs = Array.from({ length: looks }, (_, look) => endMs - (looks - 1 - look) * days * DAY_MS);
      const replay = { repository, site, timesMs, dir: join(workFolder, 'noise-timelines') };
      const learned = await replaySite({ ...replay, learns: true });
      const unlearned = await replaySite({ ...replay, learns: false });
      const one = figuresOf(site.name, learned, unlearned);
      figures.push(one);
      // A run takes long, so what is known is written after each site.
      await writeFigures(folder, figures, looks, days);
      report(`${site.name}: ${one.alarms} alarms (${one.alarmsUnlearned} without learning) at ${one.quiet} looks`);
    }
  }
  process.stdout.write(markdown(figures, looks, days));
  return figures.some(({ lost, lostUnlearned }) => lost > lostUnlearned) ? 1 : 0;
}

async function writeFigures(folder: string, figures: readonly Figures[], looks: number, days: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'noise-timelines.md'), markdown(figures, looks, days));
  await writeFile(join(folder, 'noise-timelines.json'), `${JSON.stringify(figures, undefined, 2)}\n`);
}

function figuresOf(site: string, learned: readonly FoundByLook[], unlearned: readonly FoundByLook[]): Figures {
  const isQuiet = (found: FoundByLook) => found.look >= FIRST_COUNTED && found.hasOtherBytes && !found.isReal;
  const alarms = learned.filter((found) => isQuiet(found) && found.isAlarm);
  const isLost = ({ isReal, isAlarm }: FoundByLook) => isReal && !isAlarm;
  return {
    site: basename(site),
    pages: new Set(learned.map(({ page }) => page)).size,
    quiet: learned.filter(isQuiet).length,
    alarms: alarms.length,
    alarmsUnlearned: unlearned.filter((found) => isQuiet(found) && found.isAlarm).length,
    alarmsInTemplate: alarms.filter(({ part }) => part === 'template').length,
    real: learned.filter(({ isReal }) => isReal).length,
    lost: learned.filter(isLost).length,
    lostUnlearned: unlearned.filter(isLost).length,
  };
}

function markdown(figures: readonly Figures[], looks: number, days: number): string {
  const total = (of: keyof Omit<Figures, 'site'>) => figures.reduce((sum, one) => sum + one[of], 0);
  const all = { ...figures[0]!, site: 'all' };
  for (const name of COLUMNS) Object.assign(all, { [name]: total(name) });
  const rows = [...figures, all].map((one) => {
    const share = one.quiet === 0 ? '–' : `${((100 * one.alarms) / one.quiet).toFixed(1)} %`;
    return `| ${one.site} | ${COLUMNS.map((name) => one[name]).join(' | ')} | ${share} |`;
  });
  const { cpu, cores, date } = describeMachine(new Date());
  return `# noise-timelines

Pages of real sites at ${looks} looks, ${days} days apart: a crawl, and a refresh for every look, with and without
learning from looks. The truth are the recorded versions of the text that matters on each page. A change anywhere else
on the page, such as a new entry of the menu, counts as noise here, although readers see it. The archive has one
snapshot of each moment, so second looks find nothing. Looks with other bytes and the same text are counted from look
${FIRST_COUNTED} on, changes of the text from look 1 on.

| site | pages | looks without a change of the text | alarms at these | without learning | of the alarms in the template | changes of the text | of these lost | lost without learning | alarms |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}

- machine: ${cpu}, ${cores} cores, ${date} UTC
`;
}

const COLUMNS = [
  'pages',
  'quiet',
  'alarms',
  'alarmsUnlearned',
  'alarmsInTemplate',
  'real',
  'lost',
  'lostUnlearned',
] as const;
