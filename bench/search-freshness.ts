/**
 * Measures how soon the search index follows the copy: pages of a site change and disappear, one after the other, while
 * `orbweaver refresh --watch` runs.
 *
 * In: flags. Out: a table on stdout, progress on stderr, and bench/results/search-freshness.json and .md. The time of a
 * change is the time from its commit, as another process sees it in the store, until a search finds the page by its new
 * word and not by its old one. Both are looked at every few milliseconds. The exit code is 1 when the aim is missed.
 */
import { spawn } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openCopy } from '../src/index.ts';
import type { UrlRecord } from '../src/store/contract.ts';
import { readSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import { buildOrbweaver, orbweaverCommand } from '../testbed/measure/built-orbweaver.ts';
import { runCommand } from '../testbed/measure/run-command.ts';
import { type LivingSite, startLivingSite } from '../testbed/web/living-site.ts';
import { readFlags } from './options.ts';
import { describeMachine } from './report/machine.ts';
import { markdownRows } from './report/tables.ts';

const PAGES = 60;
/** Each page changes once. */
const CHANGES = 60;
const DELETIONS = 10;
const LOOK_EVERY_MS = 5;
const AIM_MS = 1_000;
const GIVE_UP_MS = 60_000;
const FIRST_EDITION = 1_000;

const HELP = `npm run bench -- search-freshness [flags]

  --quick              a few changes; the results are written to bench/work/results
`;

export async function benchSearchFreshness(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const values = readFlags(args, []);
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  await buildOrbweaver(report);
  const closing: (() => Promise<void>)[] = [];
  try {
    const site = await startLivingSite({ after: (close) => void closing.push(close) });
    const dir = join(workFolder, 'search-freshness');
    const counts = values.quick ? { changes: 5, deletions: 1 } : { changes: CHANGES, deletions: DELETIONS };
    const rows = await measure(site, dir, counts, report);
    await rm(dir, { recursive: true, force: true });
    const folder = values.quick ? join(workFolder, 'results') : resultsFolder;
    const machine = describeMachine(new Date());
    const load = loadavg()[0]!.toFixed(1);
    const text = `# search-freshness\n\n${markdown(rows)}\n- Machine: ${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, ${machine.date} UTC; load of the last minute ${load} (other programs included).\n`;
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, 'search-freshness.json'),
      `${JSON.stringify({ machine, load, rows }, undefined, 2)}\n`,
    );
    await writeFile(join(folder, 'search-freshness.md'), text);
    process.stdout.write(`${text}\n`);
    return rows.every(({ p95Ms }) => p95Ms <= AIM_MS) ? 0 : 1;
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

interface Row {
  readonly what: string;
  readonly count: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly mostMs: number;
}

async function measure(
  site: LivingSite,
  dir: string,
  counts: { readonly changes: number; readonly deletions: number },
  report: (text: string) => void,
): Promise<readonly Row[]> {
  const paths = Array.from({ length: PAGES }, (_, i) => `/page-${i}`);
  site.set('/', `<title>Front</title>${paths.map((path) => `<a href="${path}">${path}</a> `).join('')}`);
  for (const [i, path] of paths.entries()) site.set(path, pageWith(wordOf(i, 0)));
  await rm(dir, { recursive: true, force: true });
  const crawl = await runCommand(orbweaverCommand(['crawl', site.web.url('/'), '--dir', dir]), GIVE_UP_MS);
  if (crawl.failure !== undefined) throw new Error(`the crawl failed: ${crawl.failure}`);

  const flags = ['--watch', '--every', '1s', '--due', '0', '--min-interval', '0s'];
  const { program, args, cwd } = orbweaverCommand(['refresh', '--dir', dir, ...flags]);
  const refresh = spawn(program, args, { cwd, stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => refresh.once('exit', () => resolve()));
  const store = readSqliteStore(dir);
  const copy = await openCopy(dir);
  try {
    const ids = new Map((await store.urls(0, 10 * PAGES)).map(({ url, id }) => [url, id]));
    const recordOf = async (path: string): Promise<UrlRecord> =>
      (await store.records([ids.get(site.web.url(path))!]))[0]!;
    const finds = async (word: string): Promise<boolean> => (await copy.search(word)).total > 0;
    const timeAfterCommit = async (isCommitted: () => Promise<boolean>, isFollowed: () => Promise<boolean>) => {
      await until(isCommitted);
      const committedMs = performance.now();
      await until(isFollowed);
      return performance.now() - committedMs;
    };
    // The first change also waits for the program and its threads to start. It is not counted.
    site.set(paths[0]!, pageWith(wordOf(0, FIRST_EDITION)));
    await until(() => finds(wordOf(0, FIRST_EDITION)));
    const changed: number[] = [];
    for (let edition = 1; edition <= counts.changes; edition++) {
      const i = edition % PAGES;
      const before = await recordOf(paths[i]!);
      const [oldWord, newWord] = [wordOf(i, edition === PAGES ? FIRST_EDITION : 0), wordOf(i, edition)];
      site.set(paths[i]!, pageWith(newWord));
      changed.push(
        await timeAfterCommit(
          async () => (await recordOf(paths[i]!)).digest !== before.digest,
          async () => (await finds(newWord)) && !(await finds(oldWord)),
        ),
      );
      report(`change ${edition} of ${counts.changes}: ${changed.at(-1)!.toFixed(0)} ms`);
    }
    const gone: number[] = [];
    for (let i = 1; i <= counts.deletions; i++) {
      site.pages.set(paths[i]!, { status: 410 });
      gone.push(
        await timeAfterCommit(
          async () => (await recordOf(paths[i]!)).state !== 'fetched',
          async () => !(await finds(wordOf(i, i <= counts.changes ? i : 0))),
        ),
      );
      report(`deletion ${i} of ${counts.deletions}: ${gone.at(-1)!.toFixed(0)} ms`);
    }
    return [
      rowOf('a changed page is found by its new word and not by the old one', changed),
      rowOf('a deleted page is not found', gone),
    ];
  } finally {
    refresh.kill('SIGINT');
    await ended;
    await copy.close();
    await store.close();
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + GIVE_UP_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('the change did not arrive');
    await wait(LOOK_EVERY_MS);
  }
}

/** A word of letters, because numbers have other rules. */
function wordOf(page: number, edition: number): string {
  const letters = (number: number): string => String(number).replace(/\d/g, (digit) => 'qzxvkwjyhp'[Number(digit)]!);
  return `w${letters(page)}m${letters(edition)}`;
}

function pageWith(word: string): string {
  return `<!doctype html><title>Page</title><p>This page of the site is about ${word}, and nothing else.</p>`;
}

function rowOf(what: string, times: readonly number[]): Row {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!);
  return { what, count: times.length, medianMs: at(0.5), p95Ms: at(0.95), mostMs: Math.round(sorted.at(-1)!) };
}

function markdown(rows: readonly Row[]): string {
  const cells = rows.map(({ what, count, medianMs, p95Ms, mostMs }) => [
    what,
    ...[count, medianMs, p95Ms, mostMs].map(String),
  ]);
  return markdownRows(['from the commit until a search says so', 'number', 'median ms', '95 % ms', 'most ms'], cells);
}
