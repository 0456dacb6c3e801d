/**
 * Kills refreshes whose followers are at work, and checks what the followers have made in the end. In: the number of
 * pages and kills. Out: figures for the report. Throws an assertion error if a change was not delivered, was delivered
 * in another order, or differs from the copy, if a description differs from one made without kills, or if an index that
 * a follower keeps, or the search index, differs from the copy.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { readIndexStatus } from '../../../src/crawl/following/search/index-status.ts';
import { placeAt } from '../../../src/crawl/place/crawl-place.ts';
import { withStoreAt } from '../../../src/crawl/place/open-store.ts';
import type { ChangeEntry } from '../../../src/store/contract.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { type LivingSite, startLivingSite } from '../../../testbed/web/living-site.ts';
import { runCli } from '../../cli/setup/run-cli.ts';
import { crawlHere } from '../crawl-here.ts';
import { changesIn } from '../refresh/refresh-here.ts';
import { dataFolder, storedUrls } from '../stored-crawl.ts';
import { undescribe } from './described-copy.ts';
import { indexedAnew, lasting } from './search/indexed-pages.ts';

export interface KilledFollowers {
  readonly pages: number;
  readonly kills: number;
}

export interface FollowedFigures {
  readonly changes: number;
  /** Changes that a listener received again after a kill. */
  readonly repeated: number;
  readonly descriptions: number;
  /** Entries that the index wrote, and pages that it has in the end. */
  readonly indexed: number;
  readonly pages: number;
  /** Kills after which the next run had something left to follow. */
  readonly killsWithWorkLeft: number;
  /** Pages in the search index, and kills after which it was behind the copy. */
  readonly searchable: number;
  readonly killsOfIndex: number;
}

const SEED = 20_261_119;
const REFRESH = join(import.meta.dirname, 'refresh-with-index.ts');
const SECRET = 'c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0';

export async function followKilledRefreshes(
  t: Pick<TestContext, 'after'>,
  { pages, kills }: KilledFollowers,
  report: (line: string) => void = () => {},
): Promise<FollowedFigures> {
  const site = await startLivingSite(t);
  const dir = dataFolder(t);
  const round = new Rounds(site, pages);
  round.next();
  await crawlHere(dir, [site.web.url('/')], { patience: '0s' });

  const hook = await startHook(t);
  const lines = join(dir, 'heard.jsonl');
  const index = join(dir, 'index.jsonl');
  for (const file of [lines, index]) writeFileSync(file, '');
  const given = { onChange: `cat >> '${lines}'`, webhook: hook.url, webhookSecret: SECRET };
  // The listeners are known from this run on.
  await refreshOnce(dir, given, index, null);
  round.next();
  await refreshOnce(dir, given, index, null);
  const random = new SeededRandom(SEED);
  let killsWithWorkLeft = 0;
  let killsOfIndex = 0;
  for (let kill = 1; kill <= kills; kill++) {
    round.next();
    const heard = hook.heard.length;
    const { requests } = site;
    // Some kills happen while a batch is being delivered, the others while pages are visited and described.
    // Pages that are gone are not visited in each round.
    const wanted = requests + 1 + random.below(Math.floor(pages / 2));
    const instant = kill % 3 === 1 ? hook.asked() : until(() => site.requests >= wanted, random.below(AFTER_MS));
    await refreshOnce(dir, given, index, instant);
    const last = (await changesIn(dir)).at(-1)!.seq;
    if ((hook.acknowledged.at(-1)?.seq ?? 0) < last) killsWithWorkLeft++;
    if ((await behindIn(dir)) > 0) killsOfIndex++;
    report(
      `kill ${kill}/${kills} after ${site.requests - requests} requests: ${hook.heard.length - heard} changes heard`,
    );
  }
  await refreshOnce(dir, given, index, null);

  const changes = await changesIn(dir);
  assertHeard(hook.heard, changes);
  assertHeard(jsonLines(lines), changes);
  const { indexed, inIndex } = await assertIndexed(dir, index);
  const searchable = lasting(dir);
  assert.deepEqual(searchable, await indexedAnew(t, dir));
  const descriptions = await assertDescribed(t, dir, changes);
  return {
    changes: changes.length,
    repeated: hook.heard.length - new Set(hook.heard.map(({ seq }) => seq)).size,
    descriptions,
    indexed,
    pages: inIndex,
    killsWithWorkLeft,
    searchable: searchable.length,
    killsOfIndex,
  };
}

/** Touched URLs that are not in the search index as they are now. */
async function behindIn(dir: string): Promise<number> {
  return withStoreAt(dir, async (store) => (await readIndexStatus(store, placeAt(dir)))?.behind ?? 0);
}

/** The states of the site: in each round some pages change, some are gone and some are back. */
class Rounds {
  readonly #site: LivingSite;
  readonly #pages: number;
  #round = 0;

  constructor(site: LivingSite, pages: number) {
    this.#site = site;
    this.#pages = pages;
  }

  next(): void {
    const round = this.#round++;
    const paths = Array.from({ length: this.#pages }, (_, i) => `/page-${i}`);
    this.#site.set('/', `<title>Front</title>${paths.map((path) => `<a href="${path}">${path}</a> `).join('')}`);
    paths.forEach((path, i) => {
      const edition = Math.floor((round + (i % 5)) / (1 + (i % 3)));
      const isGone = i % 11 === 4 && round % 4 === 2;
      if (isGone) this.#site.pages.set(path, { status: 410 });
      else this.#site.set(path, pageOf(i, edition));
    });
  }
}

function pageOf(i: number, edition: number): string {
  const words = Array.from({ length: 60 }, (_, at) => `word${(i * 61 + at) % 997}`).join(' ');
  return `<!doctype html><title>Page ${i}</title><main><h1>Page ${i}</h1><p>${words}</p>
    <p>This is edition ${edition} of the page, and it costs ${edition * 3 + i} euros.</p></main>`;
}

interface HeardChange {
  readonly seq: number;
  readonly url: string;
  readonly kind: string;
}

/** Resolves some time after the condition holds, or after a long time: then the run has ended, and the test fails. */
async function until(holds: () => boolean, thenMs: number): Promise<void> {
  for (let waits = 0; !holds() && waits < MAX_WAITS; waits++) await setTimeout(1);
  await setTimeout(thenMs);
}

interface Hook {
  readonly url: string;
  readonly heard: readonly HeardChange[];
  /** The changes of batches that were answered. */
  readonly acknowledged: readonly HeardChange[];
  /** Resolves when the next batch arrives. This batch is never answered, so a kill leaves it to the next run. */
  asked(): Promise<void>;
}

/** Longer than any time after which a kill follows, so no refresh ends before it is killed. */
const ANSWER_MS = 40;
const AFTER_MS = 20;
const MAX_WAITS = 20_000;

async function startHook(t: Pick<TestContext, 'after'>): Promise<Hook> {
  const heard: HeardChange[] = [];
  const acknowledged: HeardChange[] = [];
  let onUnanswered: (() => void) | null = null;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      const { changes } = JSON.parse(body).data;
      heard.push(...changes);
      if (onUnanswered !== null) {
        onUnanswered();
        onUnanswered = null;
        return;
      }
      setTimeout(ANSWER_MS).then(() => {
        if (response.destroyed) return;
        acknowledged.push(...changes);
        response.writeHead(204).end();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return {
    ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, heard, acknowledged },
    asked: () =>
      new Promise((resolve) => {
        onUnanswered = resolve;
      }),
  };
}

/** Runs a refresh to its end, or kills it at an instant. */
async function refreshOnce(dir: string, given: object, index: string, instant: Promise<void> | null): Promise<void> {
  const child = spawn(process.execPath, [REFRESH, dir, index, JSON.stringify(given)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {},
  });
  let stderr = '';
  child.stderr.on('data', (piece) => {
    stderr += piece;
  });
  instant?.then(() => child.kill('SIGKILL'));
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on('close', (...end) => resolve(end)),
  );
  if (instant === null) assert.equal(code, 0, stderr);
  else assert.equal(signal, 'SIGKILL', `the refresh ended before it was killed: ${stderr}`);
}

/** Every change was delivered, in the order of the commits; repeats begin at the batch that was not acknowledged. */
function assertHeard(heard: readonly HeardChange[], changes: readonly ChangeEntry[]): void {
  const first = heard[0]?.seq ?? 0;
  const wanted = changes.filter(({ seq, kind }) => seq >= first && kind !== 'noise');
  const seen = new Set<number>();
  const inOrder = heard.filter(({ seq }) => !seen.has(seq) && seen.add(seq));
  assert.deepEqual(
    inOrder.map(({ seq, url, kind }) => [seq, url, kind]),
    wanted.map(({ seq, url, kind }) => [seq, url, kind]),
  );
  assert.ok(wanted.length > 20, `${wanted.length} changes`);
}

/** What the follower of `refresh-with-index.ts` has noted last of each page is what the copy says. */
async function assertIndexed(dir: string, index: string): Promise<{ indexed: number; inIndex: number }> {
  const entries = jsonLines<{ url: string; digest: string }>(index);
  const inIndex = new Map(entries.map(({ url, digest }) => [url, digest]));
  for (const [url, digest] of inIndex) if (digest === '') inIndex.delete(url);
  const inCopy = new Map<string, string>();
  for (const { url, digest } of (await storedUrls(dir)).values()) if (digest !== '') inCopy.set(url, digest);
  assert.deepEqual(new Map([...inIndex].sort()), new Map([...inCopy].sort()));
  return { indexed: entries.length, inIndex: inIndex.size };
}

/** Descriptions made in one go, in another copy and without kills, are the same. */
async function assertDescribed(
  t: Pick<TestContext, 'after'>,
  dir: string,
  changes: readonly ChangeEntry[],
): Promise<number> {
  const other = dataFolder(t);
  cpSync(dir, other, { recursive: true });
  undescribe(other);
  const { exitCode, stderr } = await runCli('follow', '--reset', '--dir', other);
  assert.equal(exitCode, 0, stderr);
  const again = await changesIn(other);
  const described = changes.filter(({ change }) => change !== null);
  assert.ok(described.length > 20, `${described.length} descriptions`);
  assert.deepEqual(
    again.map(({ seq, change }) => [seq, change]),
    changes.map(({ seq, change }) => [seq, change]),
  );
  return described.length;
}

/** A line that a kill has cut is the last of its write, and its batch comes again. */
function jsonLines<Line = HeardChange>(file: string): Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
