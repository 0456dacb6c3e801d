/**
 * Readers without write access work beside a writer that starts, commits, ends and is killed, over and over. One
 * reader uses the folder itself and another uses a read-only mount of it; both keep the store open throughout. A third
 * reader opens the store again after every round.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openSqliteStore, readSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import { found, NOW_MS } from '../test/store/rows.ts';
import { killAfter } from '../test/store/sqlite/kill-after.ts';
import type { Proof, ProofContext, ProofResult } from './proof.ts';

const ROUNDS = 30;
const MOST_COMMITS = 25;
const CHECKS_PER_ROUND = 8;
const PROGRAM = join(import.meta.dirname, '../test/store/read-without-writing.ts');

export const proof: Proof = {
  claim: 'A reader without write access sees every committed URL and never a wrong answer, whatever the writer does.',
  run,
};

/** `words`: the number of rounds. */
async function run({ workFolder, report, words }: ProofContext): Promise<ProofResult> {
  if (process.getuid?.() !== 0) throw new Error('two users and a mount need root');
  const rounds = Number(words[0] ?? ROUNDS);
  const [dir, mounted] = [join(workFolder, 'copy'), join(workFolder, 'mounted')];
  await openSqliteStore(dir, NOW_MS, 'all').close();
  for (const folder of [workFolder, dir]) chmodSync(folder, 0o755);
  mkdirSync(mounted);
  mount('--bind', dir, mounted);
  try {
    mount('-o', 'remount,bind,ro', mounted);
    return await tryRounds(dir, mounted, rounds, report);
  } finally {
    // Readers of a failed run may still have files open there.
    spawnSync('umount', ['--lazy', mounted]);
  }
}

function mount(...words: string[]): void {
  const { status, stderr } = spawnSync('mount', words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`mount: ${stderr}`);
}

async function tryRounds(
  dir: string,
  mounted: string,
  rounds: number,
  report: (line: string) => void,
): Promise<ProofResult> {
  const problems: string[] = [];
  const readers = [new OpenReader('folder', dir), new OpenReader('read-only mount', mounted)];
  let answers = 0;
  let duringWrites = 0;
  const check = async (least: number, asked: readonly OpenReader[]): Promise<void> => {
    for (const reader of asked) {
      const problem = await reader.check(least);
      answers++;
      if (problem !== null) problems.push(problem);
    }
  };
  const random = randomFrom(1);
  for (let round = 1; round <= rounds; round++) {
    let checks = 0;
    const during = async (least: number): Promise<void> => {
      if (checks++ >= CHECKS_PER_ROUND) return;
      duringWrites++;
      await check(least, readers);
    };
    const commits = 1 + Math.floor(random() * MOST_COMMITS);
    if (random() < 0.5) await killAfter('commit-until-killed.ts', [dir], commits, () => during(0));
    else await commitAndClose(dir, round, commits, during);
    const fresh = new OpenReader('opened anew', mounted);
    await check(await knownUrls(dir), [...readers, fresh]);
    fresh.end();
    if (round % 10 === 0) report(`${round} of ${rounds} rounds, ${answers} answers, ${problems.length} problems`);
  }
  for (const reader of readers) reader.end();
  const row = { target: '0', measured: `${problems.length} of ${answers}`, holds: problems.length === 0 };
  return {
    rows: [{ what: 'answers that lack a committed URL, have one twice, go back, or are errors', ...row }],
    notes: [
      `${rounds} rounds, each with 1 to ${MOST_COMMITS} commits and then a kill or an end; the readers were asked ${duringWrites} times while a writer was at work.`,
    ],
    details: problems,
  };
}

/** A writer that ends normally. It commits each URL separately, and readers must see the URL from then on. */
async function commitAndClose(
  dir: string,
  round: number,
  commits: number,
  during: (least: number) => Promise<void>,
): Promise<void> {
  const store = openSqliteStore(dir, NOW_MS);
  for (let i = 0; i < commits; i++) {
    const [id] = await store.seed([found(`http://a.test/${round}/${i}`)], NOW_MS);
    await during(id!);
  }
  await store.close();
}

async function knownUrls(dir: string): Promise<number> {
  const store = readSqliteStore(dir);
  const urls = await store.urls(0, 1_000_000);
  await store.close();
  return urls.length;
}

/** A process of another user that keeps the store open. */
class OpenReader {
  readonly #name: string;
  readonly #child;
  readonly #lines;
  #most = 0;

  constructor(name: string, dir: string) {
    this.#name = name;
    this.#child = spawn(process.execPath, [PROGRAM, dir], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Returns the error in the answer, or null. Ids are assigned one by one, so no id may be missing. */
  async check(least: number): Promise<string | null> {
    this.#child.stdin.write('urls\n');
    const { value, done } = await this.#lines.next();
    if (done) return `${this.#name}: the reader ended`;
    const ids = JSON.parse(value) as number[];
    const before = this.#most;
    this.#most = ids.length;
    if (ids.some((id, i) => id !== i + 1)) return `${this.#name}: ids ${ids.slice(0, 50).join()}`;
    if (ids.length < before) return `${this.#name}: ${ids.length} URLs after ${before}`;
    return ids.length < least ? `${this.#name}: ${ids.length} URLs of ${least} that are committed` : null;
  }

  end(): void {
    this.#child.stdin.end();
  }
}

/** Produces the same numbers in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}
