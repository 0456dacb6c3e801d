/**
 * The commands whose system calls are made to fail. In: the built program and a folder to prepare in. Out: for each
 * scenario, its
 * folder before the command, the command, and its contents after an undisturbed run. What always holds: the site and
 * the web
 * root behind a scenario do not change while it runs.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CrawlPlace } from '../../src/crawl/crawl-place.ts';
import { type LivingSite, startLivingSite } from '../web/living-site.ts';
import { type Site, site } from '../web/site.ts';
import { contentsOf, problemsOf } from './copy-check.ts';
import { CALLS, copyFiles, type WatchedCalls } from './failing-calls.ts';

const PAGES = 300;
/** The watcher is to take what it can get; by default it takes a hundredth of a core. */
const WATCHER_FLAGS = ['--once', '--write-files', '--cpu', '100%', '--first-cpu', '100%'];
const WATCHED = 'http://127.0.0.1:9/';
const ROOT = join(import.meta.dirname, '..', '..');

export interface FaultScenario {
  readonly name: string;
  /** Makes the folder as it is before the command. */
  prepare(dir: string): void;
  command(dir: string): readonly string[];
  /** Calls that may fail, as of now. */
  watched(dir: string): WatchedCalls;
  /** What is wrong after any run, failed or not. */
  problems(dir: string): Promise<readonly string[]>;
  /** What a user gets, for comparing with `expected`. */
  contents(dir: string): Promise<ReadonlyMap<string, string>>;
  readonly expected: ReadonlyMap<string, string>;
}

type Cleaning = { after(callback: () => Promise<void>): void };
/** What makes a whole command line of the words after the program. */
type Orbweaver = (...words: string[]) => readonly string[];

/** Builds the program: a built one starts in half the time, and these runs start it hundreds of times. */
export async function buildProgram(folder: string): Promise<string> {
  await promisify(execFile)(process.execPath, [join(ROOT, 'build', 'build-package.ts'), folder], { cwd: ROOT });
  return join(folder, 'main.js');
}

export async function faultScenarios(t: Cleaning, program: string, folder: string): Promise<FaultScenario[]> {
  const orbweaver: Orbweaver = (...words) => [process.execPath, program, ...words];
  const pages = site({ pages: PAGES });
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

/** A worker of a cluster: its state is in a database that is well, its archive on a disk that is not. */
export async function workerScenario(
  t: Cleaning,
  program: string,
  folder: string,
  database: string,
): Promise<FaultScenario> {
  const living = await startSite(t, site({ pages: PAGES }));
  const placeOf = (dir: string): CrawlPlace => {
    // A crawl of its own in the database for every folder.
    const name = dir
      .replace(/[^A-Za-z0-9]+/g, '')
      .slice(-24)
      .toLowerCase();
    return { dir, cluster: { url: database, name }, archives: [join(dir, 'archive')] };
  };
  const command = (dir: string) => {
    const { cluster, archives } = placeOf(dir);
    const place = ['--name', cluster!.name, '--archive', archives[0]!, '--worker', 'w'];
    // A password in the URL is refused on the command line.
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

/** Calls that only files see. The watcher names files by time and process, so every file counts. */
const FILE_CALLS = ['pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'rename', 'unlink', 'mkdir'] as const;

/** A watcher that looks once, as from cron, after pages of its web root have changed. */
async function watcherScenario(orbweaver: Orbweaver, pages: Site, folder: string): Promise<FaultScenario> {
  const before = join(folder, 'watched');
  const root = join(before, 'root');
  const command = (dir: string) =>
    orbweaver('watch', join(dir, 'root'), '--url', WATCHED, '--state', join(dir, 'state'), ...WATCHER_FLAGS);
  mkdirSync(root, { recursive: true });
  for (let page = 0; page < PAGES; page++) writeFileSync(join(root, `${page}.html`), pages.html(page));
  await run(command(before));
  for (let page = 0; page < PAGES; page += 10) writeFileSync(join(root, `${page}.html`), `<p>news of page ${page}`);
  for (let page = 5; page < PAGES; page += 50) rmSync(join(root, `${page}.html`));
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
