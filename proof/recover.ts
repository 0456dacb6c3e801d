/**
 * Tries every way of losing the database or the archive, on a site of 10,000 pages that was refreshed
 * three times: nothing is deleted, and `orbweaver recover` restores everything that the archive holds.
 * `words`: a number of pages for a shorter run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RecoverSummary } from '../src/recover/recover.ts';
import { change, startChangingSite } from '../test/recover/changing-site.ts';
import { type CopyState, copyState } from '../test/recover/copy-state.ts';
import { changedFiles, filesOf } from '../test/recover/folder-files.ts';
import type { LivingSite } from '../testbed/web/living-site.ts';
import type { Proof, ProofContext, ProofResult, ProofRow } from './proof.ts';

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const PAGES = 10_000;
const ROUNDS = 3;
const KILLS = 8;

interface CliRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function cli(...words: string[]): Promise<CliRun> {
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'pipe', 'pipe'], env: {} });
  const ended = once(child, 'close') as Promise<[number | null]>;
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { exitCode: (await ended)[0], stdout, stderr };
}

interface LossCase {
  readonly name: string;
  readonly lose: (dir: string, away: string) => void | Promise<void>;
  /** Brings files back before the recovery. */
  readonly before?: (dir: string, away: string) => void;
  /** Whether a crawl has to refuse. A crawl continues if only a part of a file is unknown. */
  readonly crawlRefuses: boolean;
}

function database(dir: string): string {
  return join(dir, 'crawl.db');
}

function moveFiles(from: string, to: string, names: readonly string[]): void {
  mkdirSync(to, { recursive: true });
  for (const name of names) renameSync(join(from, name), join(to, name));
}

function lossCases(other: string): LossCase[] {
  return [
    { name: 'crawl.db removed', lose: (dir) => rmSync(database(dir)), crawlRefuses: true },
    { name: 'crawl.db empty', lose: (dir) => writeFileSync(database(dir), ''), crawlRefuses: true },
    {
      name: 'crawl.db cut to half',
      lose: (dir) => truncateSync(database(dir), Math.floor(readFileSync(database(dir)).length / 2)),
      crawlRefuses: true,
    },
    {
      name: 'crawl.db overwritten',
      lose: (dir) => writeFileSync(database(dir), Buffer.alloc(1e6, 7)),
      crawlRefuses: true,
    },
    {
      name: 'crawl.db of another crawl',
      lose: (dir) => cpSync(join(other, 'crawl.db'), database(dir)),
      crawlRefuses: true,
    },
    {
      name: 'archive away, then back',
      lose: (dir, away) => moveFiles(join(dir, 'archive'), away, [...filesOf(dir).keys()]),
      before: (dir, away) => moveFiles(away, join(dir, 'archive'), [...archiveOf(away)]),
      crawlRefuses: true,
    },
    {
      name: 'newest archive file away, then back',
      lose: (dir, away) => moveFiles(join(dir, 'archive'), away, [...filesOf(dir).keys()].slice(-1)),
      before: (dir, away) => moveFiles(away, join(dir, 'archive'), [...archiveOf(away)]),
      crawlRefuses: true,
    },
    {
      name: 'newest archive file away, recovered without it, then back',
      lose: async (dir, away) => {
        moveFiles(join(dir, 'archive'), away, [...filesOf(dir).keys()].slice(-1));
        const run = await cli('recover', '--dir', dir);
        if (run.exitCode !== 0) throw new Error(run.stderr);
      },
      before: (dir, away) => moveFiles(away, join(dir, 'archive'), [...archiveOf(away)]),
      crawlRefuses: false,
    },
  ];
}

function archiveOf(folder: string): Iterable<string> {
  return filesOf(join(folder, '..')).keys();
}

/** Lists the URLs whose state differs and the fields that differ. */
function differences(before: CopyState, after: CopyState): string[] {
  const found: string[] = [];
  for (const url of new Set([...before.urls.keys(), ...after.urls.keys()])) {
    const [one, other] = [before.urls.get(url), after.urls.get(url)];
    if (one === undefined || other === undefined) found.push(`${url} is ${one ? 'lost' : 'new'}`);
    else if (JSON.stringify(one) !== JSON.stringify(other)) found.push(`${url} differs`);
  }
  const told = [before.changes.toSorted(), after.changes.toSorted()];
  if (JSON.stringify(told[0]) !== JSON.stringify(told[1])) found.push('the changes differ');
  return found;
}

async function makeCopy(site: LivingSite, dir: string, pages: number, report: ProofContext['report']): Promise<void> {
  const crawled = await cli('crawl', site.web.url('/'), '--dir', dir, '--units', '1', '--depth', '200', '--json');
  if (crawled.exitCode !== 0) throw new Error(crawled.stderr);
  report(`crawled ${JSON.parse(crawled.stdout).pages} pages`);
  for (let round = 1; round <= ROUNDS; round++) {
    change(site, round, pages);
    const refreshed = await cli('refresh', '--dir', dir, '--units', '1', '--json');
    if (refreshed.exitCode !== 0) throw new Error(refreshed.stderr);
    report(`round ${round}: ${JSON.parse(refreshed.stdout).changed} pages changed`);
  }
}

async function killOften(dir: string, totalSeconds: number): Promise<void> {
  for (let n = 1; n <= KILLS; n++) {
    const child = spawn(process.execPath, [MAIN, 'recover', '--dir', dir], { stdio: 'ignore', env: {} });
    const ended = once(child, 'exit');
    await Promise.race([sleep((totalSeconds * 1_000 * n) / (KILLS + 2)), ended]);
    child.kill('SIGKILL');
    await ended;
  }
}

async function run({ workFolder, report, words }: ProofContext): Promise<ProofResult> {
  const pages = Number(words[0] ?? PAGES);
  const closing: (() => Promise<void>)[] = [];
  const site = await startChangingSite({ after: (work) => void closing.push(work) }, pages);
  try {
    const whole = join(workFolder, 'whole');
    await makeCopy(site, whole, pages, report);
    const other = join(workFolder, 'other');
    await cli('crawl', site.web.url('/p1'), '--dir', other, '--limit', '5');
    const every = Math.max(1, Math.floor(pages / 500));
    const original = await copyState(whole, every);
    const files = filesOf(whole);
    const rows: ProofRow[] = [];
    let rebuilt: RecoverSummary | null = null;
    for (const { name, lose, before, crawlRefuses } of lossCases(other)) {
      const dir = join(workFolder, 'case');
      const away = join(workFolder, 'away', 'archive');
      cpSync(whole, dir, { recursive: true });
      await lose(dir, away);
      const kept = filesOf(dir);
      const asked = site.requests;
      const crawl = await cli('crawl', site.web.url('/'), '--dir', dir);
      const refused = crawl.exitCode === 1 && site.requests === asked;
      const deleted = changedFiles(dir, kept);
      before?.(dir, away);
      const recovery = await cli('recover', '--dir', dir, '--json');
      const summary = recovery.exitCode === 0 ? (JSON.parse(recovery.stdout) as RecoverSummary) : null;
      rebuilt ??= summary;
      const wrong = summary === null ? [recovery.stderr] : differences(original, await copyState(dir, every));
      const touched = changedFiles(dir, files);
      rows.push({
        what: name,
        target: `${crawlRefuses ? 'crawl refuses and asks nobody; ' : ''}no file deleted or changed; everything restored`,
        measured: `${refused ? 'refused' : `crawl exit ${crawl.exitCode}`}; ${deleted.length + touched.length} files changed; ${wrong.length} differences in ${original.urls.size} URLs`,
        holds: (refused || !crawlRefuses) && deleted.length + touched.length + wrong.length === 0,
      });
      report(`${name}: ${rows.at(-1)!.measured}${wrong.length > 0 ? ` (${wrong[0]})` : ''}`);
      rmSync(dir, { recursive: true });
      if (existsSync(away)) rmSync(away, { recursive: true });
    }
    rows.push(await killed(whole, join(workFolder, 'killed'), original, every, rebuilt!.seconds));
    report(`killed: ${rows.at(-1)!.measured}`);
    const answers = rebuilt!.added;
    rows.push({
      what: 'memory of a rebuild',
      target: 'below 350 MB',
      measured: `${rebuilt!.peakRssMb} MB`,
      holds: rebuilt!.peakRssMb < 350,
    });
    return {
      rows,
      notes: [
        `${pages} pages, ${ROUNDS} rounds of refresh, ${answers} answers in ${files.size} archive files`,
        `a rebuild took ${rebuilt!.seconds.toFixed(1)} s, ${Math.round(answers / rebuilt!.seconds)} answers a second`,
        `compared: state, reason, depth, title, digest, canonical, duplicate, redirect, counts of links and the links of every URL; history and who links there of one URL in ${every}`,
      ],
      details: { rebuilt },
    };
  } finally {
    for (const close of closing) await close();
  }
}

async function killed(
  whole: string,
  dir: string,
  original: CopyState,
  every: number,
  seconds: number,
): Promise<ProofRow> {
  cpSync(whole, dir, { recursive: true });
  rmSync(database(dir));
  await killOften(dir, seconds);
  const last = await cli('recover', '--dir', dir, '--json');
  const wrong = last.exitCode === 0 ? differences(original, await copyState(dir, every)) : [last.stderr];
  const touched = changedFiles(dir, filesOf(whole));
  return {
    what: `recovery killed ${KILLS} times`,
    target: 'the next run completes it; nothing twice, nothing lost',
    measured: `exit ${last.exitCode}; ${touched.length} files changed; ${wrong.length} differences`,
    holds: last.exitCode === 0 && touched.length + wrong.length === 0,
  };
}

export const proof: Proof = {
  claim:
    'Whatever is lost of database or archive, nothing is deleted, and recover restores all that the archive holds.',
  run,
};
