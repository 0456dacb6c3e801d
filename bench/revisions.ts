/**
 * Compares two revisions of Orbweaver: `npm run bench -- revisions --base <revision>`. In: a git revision. Out: the
 * CPU time, wall time and memory of a crawl of one host, of a refresh of this copy with 3 % of the pages changed, and of
 * a crawl of twenty hosts, as ratios of the working tree to that revision. With `--package <name>`, only a crawl of the
 * real pages of this documentation package of Debian is compared.
 *
 * What always holds: each round runs the two revisions in the order A, B, B, A and adds up the two runs of each, so
 * that a machine that becomes slower during a round slows both alike. They take turns in starting a round. Both are
 * built and started like a published package. Ratios are taken within a round, and the median over the rounds is
 * reported. Each refresh updates the copy that the same revision has just crawled: two crawls never store the pages in
 * exactly the same order, and one pair of copies for all rounds shifted every ratio by up to 4 %.
 */
import { execFile } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { type Measured, runCommand } from '../testbed/measure/run-command.ts';
import { BadOption } from './options.ts';
import { changePages, makeSite, type Site } from './refresh/sites.ts';
import { describeMachine } from './report/machine.ts';
import { type Spread, spreadOf } from './report/summary.ts';
import { makePackageSite } from './site/package-site.ts';
import { makeWeb } from './web/make.ts';
import { findServerProgram, type ServerProgram, serveWeb } from './web/serve.ts';

const ROOT = join(import.meta.dirname, '..');
const CHANGED_SHARE = 0.03;
const TIMEOUT_MS = 600_000;
const MANY_HOSTS = 20;
const JOBS = ['crawl', 'refresh', 'crawl of twenty hosts'] as const;
type Job = (typeof JOBS)[number];
type Side = 'base' | 'here';
type Sites = Readonly<Partial<Record<Job, Site>> & { crawl: Site }>;
/** Above the ports of the made webs. */
const PACKAGE_PORT = 24_650;

interface Round {
  readonly job: Job;
  readonly base: Measured;
  readonly here: Measured;
}

export async function benchRevisions(
  words: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      base: { type: 'string' },
      rounds: { type: 'string' },
      pages: { type: 'string' },
      package: { type: 'string' },
    },
  });
  if (values.base === undefined) throw new BadOption('npm run bench -- revisions needs --base <revision>');
  const rounds = Number(values.rounds ?? 7);
  const folder = join(workFolder, 'revisions');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const programs = await buildBoth(values.base, folder, report);
  const bench = new Bench(folder, programs, await findServerProgram(report));
  const sites =
    values.package === undefined
      ? await madeSites(Number(values.pages ?? 10_000), workFolder, folder, report)
      : { crawl: await makePackageSite(workFolder, values.package, join(folder, 'package'), PACKAGE_PORT, report) };
  const jobs = JOBS.filter((job) => job in sites);
  const pages = sites.crawl.plan.shape.pages;

  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    const [first, second]: readonly [Side, Side] = round % 2 === 0 ? ['base', 'here'] : ['here', 'base'];
    const runs: { readonly job: Job; readonly side: Side; readonly run: Measured }[] = [];
    for (const side of [first, second, second, first]) {
      for (const job of jobs) runs.push({ job, side, run: await bench.run(job, side, sites[job]!) });
    }
    for (const job of jobs) {
      const ofSide = (wanted: Side) =>
        mean(runs.filter((one) => one.job === job && one.side === wanted).map(({ run }) => run));
      const [base, here] = [ofSide('base'), ofSide('here')];
      measured.push({ job, base, here });
      report(
        `${job} ${round}/${rounds}: CPU ${base.cpuSeconds.toFixed(2)} s before, ${here.cpuSeconds.toFixed(2)} s now`,
      );
    }
  }
  const text = markdown(values, pages, rounds, measured);
  process.stdout.write(text);
  if (values.pages !== undefined || values.rounds !== undefined) return 0;
  const name = values.package === undefined ? 'revisions' : `revisions-${values.package}`;
  await writeFile(join(resultsFolder, `${name}.md`), text);
  await writeFile(
    join(resultsFolder, `${name}.json`),
    `${JSON.stringify({ base: values.base, pages, measured }, undefined, 2)}\n`,
  );
  return measured.some(({ base, here }) => base.failure !== undefined || here.failure !== undefined) ? 1 : 0;
}

async function madeSites(
  pages: number,
  workFolder: string,
  folder: string,
  report: (text: string) => void,
): Promise<Sites> {
  const web = await makeWeb(join(workFolder, 'webs'), { seed: 1, pages, hosts: 1 }, report);
  const before = await makeSite(web, join(folder, 'before'), null, 0, false);
  const changed = await changePages(web, join(folder, 'changed'));
  const after = await makeSite(web, join(folder, 'after'), changed, Math.round(pages * CHANGED_SHARE), false);
  const manyHosts = await makeWeb(join(workFolder, 'webs'), { seed: 1, pages, hosts: MANY_HOSTS }, report);
  return {
    crawl: before,
    refresh: after,
    'crawl of twenty hosts': await makeSite(manyHosts, join(folder, 'many-hosts'), null, 0, false),
  };
}

function mean(runs: readonly Measured[]): Measured {
  const meanOf = (value: (run: Measured) => number) => runs.reduce((sum, run) => sum + value(run), 0) / runs.length;
  return {
    wallSeconds: meanOf((run) => run.wallSeconds),
    cpuSeconds: meanOf((run) => run.cpuSeconds),
    peakRssMb: meanOf((run) => run.peakRssMb),
    stdout: '',
    failure: runs.find(({ failure }) => failure !== undefined)?.failure,
  };
}

class Bench {
  readonly #folder: string;
  readonly #programs: Readonly<Record<Side, string>>;
  readonly #server: ServerProgram;

  constructor(folder: string, programs: Readonly<Record<Side, string>>, server: ServerProgram) {
    this.#folder = folder;
    this.#programs = programs;
    this.#server = server;
  }

  /** One measured run on a new server: a crawl into a new copy, or a refresh of the last crawled copy. */
  async run(job: Job, side: Side, site: Site): Promise<Measured> {
    const dir = join(this.#folder, `copy-${side}`);
    if (job !== 'refresh') await rm(dir, { recursive: true, force: true });
    const scope = site.plan.hosts.length > 1 ? 'any' : 'host';
    const crawl = ['crawl', site.plan.seedUrl, '--scope', scope, '--dir', dir];
    const words = job === 'refresh' ? ['refresh', '--dir', dir] : crawl;
    const server = await serveWeb(this.#server, site, join(this.#folder, 'server'), join(this.#folder, 'requests.log'));
    const args = ['--max-semi-space-size=2', this.#programs[side], ...words, '--json'];
    return runCommand({ program: process.execPath, args, cwd: ROOT }, TIMEOUT_MS).finally(() => server.stop());
  }
}

/** Builds the base in its own work tree, with the packages that are installed here. */
async function buildBoth(base: string, folder: string, report: (text: string) => void): Promise<Record<Side, string>> {
  const run = promisify(execFile);
  const source = join(folder, 'source');
  report(`building ${base} and the working tree`);
  await run('git', ['worktree', 'prune'], { cwd: ROOT });
  await run('git', ['worktree', 'add', '--force', '--detach', source, base], { cwd: ROOT });
  try {
    await symlink(join(ROOT, 'node_modules'), join(source, 'node_modules'));
    for (const [root, side] of [
      [source, 'base'],
      [ROOT, 'here'],
    ] as const) {
      await run(process.execPath, [join(root, 'build', 'build-package.ts'), join(folder, side)], { cwd: root });
    }
  } finally {
    await run('git', ['worktree', 'remove', '--force', source], { cwd: ROOT });
  }
  return { base: join(folder, 'base', 'main.js'), here: join(folder, 'here', 'main.js') };
}

function markdown(
  { base, package: name }: { readonly base?: string; readonly package?: string },
  pages: number,
  rounds: number,
  measured: readonly Round[],
): string {
  const jobs = JOBS.filter((job) => measured.some((one) => one.job === job));
  const rows = jobs.map((job) => {
    const good = measured.filter((one) => one.job === job && !one.base.failure && !one.here.failure);
    const ratio = (value: (run: Measured) => number) =>
      spreadText(spreadOf(good.map((one) => value(one.here) / value(one.base))));
    const perPage = spreadOf(good.map(({ here }) => (here.cpuSeconds * 1000) / pages));
    const cells = [ratio((run) => run.cpuSeconds), ratio((run) => run.wallSeconds), ratio((run) => run.peakRssMb)];
    return `| ${job} | ${good.length} of ${rounds} | ${cells.join(' | ')} | ${perPage?.median.toFixed(2)} |`;
  });
  const machine = describeMachine(new Date());
  const count = pages.toLocaleString('en');
  return `# revisions

The working tree compared with ${base}: ${name === undefined ? `${count} pages; the refresh of one host finds 3 % of them changed, by validators` : `the ${count} pages of the Debian package ${name}`}.
A ratio above 1 means that the working tree needs more. Median and range of ratios within a round, which runs each revision twice.

| run | good rounds | CPU time | wall time | memory | CPU ms per page now |
| --- | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}

- machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, ${machine.date} UTC
`;
}

function spreadText(spread: Spread | undefined): string {
  if (spread === undefined) return '–';
  return `${spread.median.toFixed(3)}× (${spread.min.toFixed(3)}–${spread.max.toFixed(3)})`;
}
