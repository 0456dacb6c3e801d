/**
 * The commands whose system calls fail on purpose. In: the built program and a folder for preparations. Out: for each
 * scenario, its folder before the command, the command, and its contents after an undisturbed run. What always holds:
 * the site and the web root behind a scenario do not change while it runs.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CrawlPlace } from '../../src/crawl/place/crawl-place.ts';
import { type LivingSite, startLivingSite } from '../../testbed/web/living-site.ts';
import { type Site, site } from '../../testbed/web/site.ts';
import { build, builtFolder } from '../setup/built-program.ts';
import { contentsOf, problemsOf } from './copy-check.ts';
import { CALLS, copyFiles, type WatchedCalls } from './failing-calls.ts';

/** The watcher may use all CPU time. By default it uses a hundredth of a core. */
const WATCHER_FLAGS = ['--once', '--write-files', '--cpu', '100%', '--first-cpu', '100%'];
const WATCHED = 'http://127.0.0.1:9/';

export interface FaultScenario {
  readonly name: string;
  /** Creates the folder in its state before the command. */
  prepare(dir: string): void;
  command(dir: string): readonly string[];
  /** Calls that may fail, computed for the current time. */
  watched(dir: string): WatchedCalls;
  /** Problems after any run, failed or not. */
  problems(dir: string): Promise<readonly string[]>;
  /** The content that a user gets, to compare with `expected`. */
  contents(dir: string): Promise<ReadonlyMap<string, string>>;
  readonly expected: ReadonlyMap<string, string>;
}

type Cleaning = { after(callback: () => Promise<void>): void };
/** Builds a whole command line from the words after the program name. */
type Orbweaver = (...words: string[]) => readonly string[];

/** Builds the program. The built program starts in half the time, and these runs start it hundreds of times. */
export async function buildProgram(folder: string): Promise<string> {
  if (builtFolder === undefined) await build(folder);
  return join(builtFolder ?? folder, 'main.js');
}

export async function faultScenarios(
  t: Cleaning,
  program: string,
  folder: string,
  pageCount: number,
): Promise<FaultScenario[]> {
  const orbweaver: Orbweaver = (...words) => [process.execPath, program, ...words];
  const pages = site({ pages: pageCount });
  return [
    await crawlScenario(t, orbweaver, pages, folder),
    await refreshScenario(t, orbweaver, pages, folder),
    await watcherScenario(orbweaver, pages, folder),
  ];
}

const COPY = {
  watched: (dir: string) => ({ calls: CALLS, files: copyFiles(dir) }),
  problems: problemsOf,
  contents: contentsOf,
};

async function startSite(t: Cleaning, pages: Site): Promise<LivingSite> {
  const living = await startLivingSite(t);
  for (const [page, path] of pages.paths.entries()) living.set(path, pages.html(page));
  return living;
}

async function crawlScenario(t: Cleaning, orbweaver: Orbweaver, pages: Site, folder: string): Promise<FaultScenario> {
  const living = await startSite(t, pages);
  const command = (dir: string) => orbweaver('crawl', living.web.url('/'), '--dir', dir, '--units', '1', '--json');
  const undisturbed = join(folder, 'crawled');
  await run(command(undisturbed));
  const expected = await contentsOf(undisturbed);
  return { name: 'crawl', prepare: (dir) => void mkdirSync(dir), command, ...COPY, expected };
}

/** A refresh that also drops old versions, rewrites the archive, and delivers changes to a file. */
async function refreshScenario(t: Cleaning, orbweaver: Orbweaver, pages: Site, folder: string): Promise<FaultScenario> {
  const living = await startSite(t, pages);
  const before = join(folder, 'before');
  await run(orbweaver('crawl', living.web.url('/'), '--dir', before, '--units', '1'));
  for (const [page, path] of pages.paths.entries()) {
    // More than half of the pages change, so that retention has an archive file to rewrite.
    if (page % 50 === 49) living.pages.set(path, { status: 410 });
    else if (page % 3 > 0) living.set(path, pages.html(page).replace('<p>', `<p>News. <a href="/new/${page % 20}">`));
  }
  for (let page = 0; page < 20; page++) living.set(`/new/${page}`, `<title>New ${page}</title><p>new page ${page}`);
  const flags = ['--keep', '1', '--units', '1', '--json'];
  const command = (dir: string) => orbweaver('refresh', '--dir', dir, '--feed', join(dir, 'feed.xml'), ...flags);
  const prepare = (dir: string) => cpSync(before, dir, { recursive: true });
  const undisturbed = join(folder, 'refreshed');
  prepare(undisturbed);
  await run(command(undisturbed));
  return { name: 'refresh', prepare, command, ...COPY, expected: await contentsOf(undisturbed) };
}

/** A worker of a cluster. Its state is in a healthy database, its archive on a failing disk. */
export async function workerScenario(
  t: Cleaning,
  program: string,
  folder: string,
  { database, pageCount }: { readonly database: string; readonly pageCount: number },
): Promise<FaultScenario> {
  const living = await startSite(t, site({ pages: pageCount }));
  const placeOf = (dir: string): CrawlPlace => {
    // Every folder has its own crawl in the database.
    const name = dir
      .replace(/[^A-Za-z0-9]+/g, '')
      .slice(-24)
      .toLowerCase();
    return { dir, cluster: { url: database, name }, archives: [join(dir, 'archive')] };
  };
  const command = (dir: string) => {
    const { cluster, archives } = placeOf(dir);
    const place = ['--name', cluster!.name, '--archive', archives[0]!, '--worker', 'w'];
    // The command line refuses a password in the URL.
    return [
      'env',
      `ORBWEAVER_STORE=${database}`,
      process.execPath,
      program,
      'crawl',
      living.web.url('/'),
      ...place,
      '--units',
      '1',
      '--json',
    ];
  };
  const undisturbed = join(folder, 'worked');
  await run(command(undisturbed));
  const writers = Array.from({ length: 8 }, (_, i) => `w.${i + 1}-unit0`);
  return {
    name: 'worker',
    prepare: (dir) => void mkdirSync(dir),
    command,
    watched: (dir) => ({ calls: CALLS, files: copyFiles(dir, writers) }),
    problems: (dir) => problemsOf(placeOf(dir)),
    contents: (dir) => contentsOf(placeOf(dir)),
    expected: await contentsOf(placeOf(undisturbed)),
  };
}

/** Calls that are used only on files. The watcher names files by time and process, so every file counts. */
const FILE_CALLS = ['pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'rename', 'unlink', 'mkdir'] as const;

/** A watcher that sweeps once, as from cron, after pages of its web root have changed. */
async function watcherScenario(orbweaver: Orbweaver, pages: Site, folder: string): Promise<FaultScenario> {
  const before = join(folder, 'watched');
  const root = join(before, 'root');
  const command = (dir: string) =>
    orbweaver('watch', join(dir, 'root'), '--url', WATCHED, '--state', join(dir, 'state'), ...WATCHER_FLAGS);
  mkdirSync(root, { recursive: true });
  for (const page of pages.paths.keys()) writeFileSync(join(root, `${page}.html`), pages.html(page));
  await run(command(before));
  for (let page = 0; page < pages.paths.length; page += 10)
    writeFileSync(join(root, `${page}.html`), `<p>news of page ${page}`);
  for (let page = 5; page < pages.paths.length; page += 50) rmSync(join(root, `${page}.html`));
  const prepare = (dir: string) => cpSync(before, dir, { recursive: true, preserveTimestamps: true });
  const undisturbed = join(folder, 'told');
  prepare(undisturbed);
  await run(command(undisturbed));
  return {
    name: 'watcher',
    prepare,
    command,
    watched: () => ({ calls: FILE_CALLS, files: null }),
    problems: async () => [],
    contents: async (dir) => reportedChanges(dir),
    expected: reportedChanges(undisturbed),
  };
}

/** URL and kind of every change in the report that the watcher wrote into its web root. */
function reportedChanges(dir: string): Map<string, string> {
  const lines = readFileSync(join(dir, 'root', '.well-known', 'orbweaver-report'), 'utf8')
    .trim()
    .split('\n');
  const entries = lines.map((line) => JSON.parse(line) as { url?: string; change?: string });
  return new Map(entries.flatMap(({ url, change }) => (url === undefined ? [] : [[url, change ?? '']])));
}

async function run([program, ...words]: readonly string[]): Promise<void> {
  await promisify(execFile)(program!, words);
}
