/**
 * Part d: a client of server-sent events is cut off 100 times while refreshes commit changes, and the server and the
 * runs are killed. The client must get every committed change once and in order. Rules are changed right before the
 * kills: no confirmed change of a rule may be lost.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readStoreAt, withStoreAt } from '../../src/crawl/place/open-store.ts';
import { runCli } from '../../test/cli/setup/run-cli.ts';
import { MAIN } from '../../test/setup/built-program.ts';
import type { ProofContext, ProofRow } from '../proof.ts';
import { startChangingWeb } from './changing-web.ts';
import { ServeProcess } from './serve-process.ts';
import { readEvents } from './sse-client.ts';

const PAGES = 400;
const CUTS = 100;
const KILL_SERVER_EVERY = 10;
const KILL_RUN_EVERY = 7;
const COPY = 'changing';
const API = `/api/copies/${COPY}`;
const PATIENCE_MS = 120_000;

export async function interrupt({ workFolder, report }: ProofContext): Promise<ProofRow[]> {
  const web = await startChangingWeb(PAGES);
  const dir = join(workFolder, COPY);
  await runCli('crawl', web.url('/'), '--dir', dir);
  const serve = await ServeProcess.start([dir]);
  const runs = new Refreshes(dir);
  const got: number[] = [];
  const lostRules: string[] = [];
  let last = '0';
  let killsOfServer = 0;
  let confirmed: number | null = null;
  for (let cut = 1; cut <= CUTS; cut++) {
    runs.keepRunning();
    const until = 1 + ((cut * 37) % 60);
    let seen = 0;
    const { ended, stop } = readEvents(
      `${serve.origin}${API}/events`,
      { ...serve.authorization, 'last-event-id': last },
      ({ event, id, data }, end) => {
        if (event !== 'change') return;
        got.push((JSON.parse(data) as { seq: number }).seq);
        last = id;
        if (++seen >= until) end();
      },
    );
    await Promise.race([ended, sleep(5_000)]);
    stop();
    await ended;
    const value = 1_000 + cut;
    const isConfirmed = await changeRule(serve, value);
    if (isConfirmed) confirmed = value;
    if (cut % KILL_RUN_EVERY === 0) runs.kill();
    if (cut % KILL_SERVER_EVERY === 0) {
      await serve.end('SIGKILL');
      killsOfServer++;
      await serve.start();
    }
    const shown = await ruleValue(serve);
    if (confirmed !== null && shown !== confirmed) lostRules.push(`after ${confirmed}: ${shown}`);
  }
  await runs.end();
  const newest = await withStoreAt(dir, (store) => store.lastChange());
  await readRest(serve, got, last, newest);
  const committed = await changesOf(dir);
  await serve.end();
  await web.close();
  const doubled = got.length - new Set(got).size;
  const known = new Set(got);
  const lost = committed.filter((seq) => !known.has(seq)).length;
  const invented = got.filter((seq) => !committed.includes(seq)).length;
  const disordered = got.filter((seq, i) => i > 0 && seq <= got[i - 1]!).length;
  for (const line of lostRules.slice(0, 10)) report(line);
  const kills = `${CUTS} cuts, ${killsOfServer} kills of the server, ${runs.kills} kills of a refresh`;
  return [
    row(`changes lost, of ${committed.length} (${kills})`, lost),
    row('changes that came twice, or that nobody committed', doubled + invented),
    row('changes in another order than that of the commits', disordered),
    row(`confirmed changes of rules that were lost, of ${CUTS}`, lostRules.length),
  ];
}

function row(what: string, measured: number): ProofRow {
  return { what, target: '0', measured: String(measured), holds: measured === 0 };
}

/** Refreshes, one after the other. */
class Refreshes {
  readonly #dir: string;
  #child: ChildProcess | null = null;
  kills = 0;

  constructor(dir: string) {
    this.#dir = dir;
  }

  keepRunning(): void {
    if (this.#child !== null) return;
    const child = spawn(process.execPath, [MAIN, 'refresh', '--dir', this.#dir], { stdio: 'ignore' });
    this.#child = child;
    child.once('exit', () => {
      if (this.#child === child) this.#child = null;
    });
  }

  kill(): void {
    if (this.#child === null) return;
    this.#child.kill('SIGKILL');
    this.#child = null;
    this.kills++;
  }

  async end(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    await ended;
  }
}

async function changeRule(serve: ServeProcess, value: number): Promise<boolean> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const response = await fetch(`${serve.origin}${API}/rules`, {
      method: 'PATCH',
      headers: { ...serve.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ rules: { maxLinks: value } }),
    });
    await response.text();
    if (response.ok) return true;
    await sleep(300);
  }
  return false;
}

async function ruleValue(serve: ServeProcess): Promise<number> {
  const { body } = await serve.get(`${API}/rules`);
  const { rules } = body as { rules: readonly { name: string; value: unknown; pending: string | null }[] };
  const { value, pending } = rules.find(({ name }) => name === 'maxLinks')!;
  return Number(String(pending ?? value).replaceAll(',', ''));
}

async function readRest(serve: ServeProcess, got: number[], last: string, newest: number): Promise<void> {
  if ((got.at(-1) ?? 0) >= newest) return;
  const { ended, stop } = readEvents(
    `${serve.origin}${API}/events`,
    { ...serve.authorization, 'last-event-id': last },
    ({ event, data }, end) => {
      if (event !== 'change') return;
      got.push((JSON.parse(data) as { seq: number }).seq);
      if (got.at(-1)! >= newest) end();
    },
  );
  await Promise.race([ended, sleep(PATIENCE_MS)]);
  stop();
}

async function changesOf(dir: string): Promise<number[]> {
  const store = await readStoreAt(dir);
  const all: number[] = [];
  for (;;) {
    const some = await store.changes(all.at(-1) ?? 0, 1_000);
    if (some.length === 0) break;
    all.push(...some.map(({ seq }) => seq));
  }
  await store.close();
  return all;
}
