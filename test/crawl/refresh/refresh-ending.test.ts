/**
 * Tests that a refresh ends when it should: at its time limit, at Ctrl-C at any
 * point, and whatever the wall clock shows.
 */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { listen, type RetainStep } from '../../../src/core/events.ts';
import type { RunningRefresh } from '../../../src/crawl/refresh.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { type LivingSite, startLivingSite } from '../../../testbed/web/living-site.ts';
import { reply } from '../../../testbed/web/local-web.ts';
import { crawlHere } from '../crawl-here.ts';
import { assertSound, dataFolder } from '../stored-crawl.ts';
import { refreshHere, startRefreshHere } from './refresh-here.ts';

const PAGES = 60;
/** A timeout far longer than any of these tests takes if all is well. */
const PROMPTLY = { timeout: 90_000 };
/** Shorter than the sleep of a refresh that has not noticed the stop. */
const AT_ONCE_MS = 15_000;

async function crawledSite(
  t: Pick<TestContext, 'after'>,
): Promise<{ site: LivingSite; dir: string; paths: readonly string[] }> {
  const site = await startLivingSite(t);
  const paths = Array.from({ length: PAGES }, (_, i) => `/page/${i}`);
  site.set('/', paths.map((path) => `<a href="${path}">${path}</a>`).join('\n'));
  for (const path of paths) site.set(path, `<title>${path}</title><p>${path} as it was at first.</p>`);
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s' });
  site.forget();
  return { site, dir, paths };
}

const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing.reverse()) await close();
});

let prepared: Promise<string> | null = null;

/** A copy of a site with versions to drop. The site stays the same. */
async function copyWithVersions(t: TestContext): Promise<string> {
  prepared ??= prepareVersions({ after: (close: () => unknown) => void closing.push(close) });
  const dir = dataFolder(t);
  cpSync(await prepared, dir, { recursive: true });
  return dir;
}

/** The archive consists mostly of these versions. */
async function prepareVersions(t: Pick<TestContext, 'after'>): Promise<string> {
  const { site, dir, paths } = await crawledSite(t);
  const random = new SeededRandom(1);
  for (let version = 1; version < 4; version++) {
    for (const path of paths) {
      const words = Array.from({ length: 300 }, () => random.below(1_000_000).toString(36));
      site.set(path, `<p>${words.join(' ')}</p>`);
    }
    await refreshHere(dir);
  }
  return dir;
}

/** Runs the action at the first such step of retention. The returned function says whether the step happened. */
function atStep(t: TestContext, wanted: RetainStep, action: () => void): () => boolean {
  let isDone = false;
  const onStep = ({ step }: { readonly step: RetainStep }): void => {
    if (isDone || step !== wanted) return;
    isDone = true;
    action();
  };
  t.after(listen('retain/progress', onStep));
  return () => isDone;
}

const WATCH = { watch: true, every: '1h', due: 0, keep: '1' };

test('--time is kept: pages that have not begun by then are left for the next refresh', async (t) => {
  const { site, dir, paths } = await crawledSite(t);
  const answerMs = 100;
  for (const path of paths) site.web.on(path, (visit) => void setTimeout(() => reply('page')(visit), answerMs));
  // The pages are visited one at a time, so that all of them take far longer than the time limit.
  // The unit has all of them from the beginning. A slow machine plans them within this time, too.
  const summary = await refreshHere(dir, { units: 1, perHost: 1, time: '1s' });
  assert.equal(summary.ending, 'limit');
  assert.ok(summary.left > PAGES / 2, `${summary.left} left`);
  assert.equal(summary.requests + summary.left, PAGES + 1);
  await assertSound(dir);
  assert.equal((await refreshHere(dir, { budget: 5 })).requests, 5, 'the host is free for the next run');
});

test('if --time ends before anything is planned, all pages are left', async (t) => {
  const { dir } = await crawledSite(t);
  const { ending, requests, left } = await refreshHere(dir, { time: '1ms' });
  assert.deepEqual([ending, requests, left], ['limit', 0, PAGES + 1]);
});

test('a clock that was set back since the last run does not delay a refresh', PROMPTLY, async (t) => {
  const { dir } = await crawledSite(t);
  const db = new DatabaseSync(join(dir, 'crawl.db'));
  db.prepare('UPDATE hosts SET asked_at = ?, delay_ms = 5').run(Date.now() + 3_600_000);
  db.close();
  const { ending, left } = await refreshHere(dir, { delay: '5ms' });
  assert.deepEqual([ending, left], ['done', 0]);
});

test('Ctrl-C while versions are dropped between rounds ends the refresh at once and cleanly', PROMPTLY, async (t) => {
  const dir = await copyWithVersions(t);
  let run: RunningRefresh | null = null;
  let stoppedAtMs = 0;
  const isStopped = atStep(t, 'copied', () => {
    stoppedAtMs = performance.now();
    run!.stop();
  });
  run = await startRefreshHere(dir, WATCH);
  const { ending } = await run.summary;
  assert.ok(isStopped());
  assert.ok(performance.now() - stoppedAtMs < AT_ONCE_MS);
  assert.equal(ending, 'interrupted');
  await assertSound(dir);
});

test('Ctrl-C just before units are asked to close their files ends the refresh at once', PROMPTLY, async (t) => {
  const dir = await copyWithVersions(t);
  let run: RunningRefresh | null = null;
  const { postMessage } = Worker.prototype;
  t.mock.method(Worker.prototype, 'postMessage', function (this: Worker, message: { readonly type: string }) {
    if (message.type === 'rest') run!.stop();
    postMessage.call(this, message);
  });
  run = await startRefreshHere(dir, { ...WATCH, units: 1 });
  const { ending } = await run.summary;
  assert.equal(ending, 'interrupted');
  await assertSound(dir);
});

test(
  'a second Ctrl-C stops the dropping of versions at the end, and the next run continues it',
  PROMPTLY,
  async (t) => {
    const dir = await copyWithVersions(t);
    let run: RunningRefresh | null = null;
    const isStopped = atStep(t, 'dropped', () => {
      run!.stop();
      run!.stop();
    });
    run = await startRefreshHere(dir, { keep: '1' });
    const summary = await run.summary;
    assert.ok(isStopped());
    assert.ok(summary.dropped > 0);
    assert.equal(summary.bytesFreed, 0);
    await assertSound(dir);
    assert.ok((await refreshHere(dir, { keep: '1' })).bytesFreed > 0);
  },
);
