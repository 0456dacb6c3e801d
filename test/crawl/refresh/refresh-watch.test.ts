/** Tests a refresh that runs continuously: round after round, by the clock, across kill -9 and Ctrl-C. */
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SeededRandom } from '../../../testbed/random.ts';
import { type LivingSite, startLivingSite } from '../../../testbed/web/living-site.ts';
import { mountTmpfs } from '../../store/mount-tmpfs.ts';
import { crawlHere } from '../crawl-here.ts';
import { assertSound, dataFolder } from '../stored-crawl.ts';
import { refreshHere, told } from './refresh-here.ts';
import { type EndedRefresh, type RefreshProcess, startRefreshProcess } from './refresh-process.ts';

const PAGES = 40;
const WATCH = ['--watch', '--every', '300ms', '--due', '0', '--patience', '0s'];

async function crawledSite(t: TestContext, pages = PAGES): Promise<{ site: LivingSite; dir: string }> {
  const site = await startLivingSite(t);
  const paths = Array.from({ length: pages }, (_, i) => `/page/${i}`);
  site.set('/', paths.map((path) => `<a href="${path}">${path}</a>`).join('\n'));
  for (const path of paths)
    site.set(path, `<title>${path}</title><p>${path} as it was at first, and for some time.</p>`);
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s' });
  site.forget();
  return { site, dir };
}

const WORDS =
  'the spider takes her web down each evening and builds another before it is dark over the old garden wall'.split(' ');

function prose(random: SeededRandom, words: number): string {
  return Array.from({ length: words }, () => random.pick(WORDS)).join(' ');
}

/** Waits until the condition is true, as long as the process that should make it true lives. */
async function until(watching: RefreshProcess, isSo: () => Promise<boolean> | boolean): Promise<void> {
  let end: EndedRefresh | null = null;
  void watching.ended.then((ended) => {
    end = ended;
  });
  while (!(await isSo())) {
    assert.equal(end, null, 'it ended before');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('--watch visits pages round after round, finds new changes, and Ctrl-C ends it cleanly', async (t) => {
  const { site, dir } = await crawledSite(t);
  const watching = startRefreshProcess(dir, ...WATCH);
  await until(watching, () => site.asked('/page/3').length >= 2);
  site.set('/page/3', '<title>/page/3</title><p>It is another page now, with other words on it.</p>');
  await until(watching, async () => (await told(dir, site.web.origin)).includes('changed /page/3'));
  site.set('/page/4', '<title>/page/4</title><p>And so is this, a little later than the other.</p>');
  await until(watching, async () => (await told(dir, site.web.origin)).includes('changed /page/4'));
  watching.child.kill('SIGINT');
  const { exitCode, summary } = await watching.ended;
  assert.equal(exitCode, 11);
  assert.equal(summary?.changed, 2);
  await assertSound(dir);
});

test('kill -9 during --watch loses nothing: the next run continues, and each change is delivered once', async (t) => {
  const { site, dir } = await crawledSite(t);
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < PAGES; i += 2) {
      site.set(`/page/${i}`, `<title>/page/${i}</title><p>Round ${round} of page ${i} has brought these words.</p>`);
    }
    site.forget();
    const watching = startRefreshProcess(dir, ...WATCH);
    await until(watching, () => site.requests > 5 + 7 * round);
    watching.child.kill('SIGKILL');
    await watching.ended;
  }
  await refreshHere(dir);
  await assertSound(dir);
  const last = await refreshHere(dir);
  assert.equal(last.changed, 0, 'all is up to date');
  const lines = await told(dir, site.web.origin);
  const times = Map.groupBy(lines, (line) => line);
  for (let i = 0; i < PAGES; i += 2) {
    const count = times.get(`changed /page/${i}`)?.length ?? 0;
    assert.ok(count >= 1 && count <= 5, `page ${i} was told ${count} times`);
  }
  assert.equal(
    lines.length,
    [...times.keys()].reduce((sum, key) => sum + (key.startsWith('changed /page/') ? times.get(key)!.length : 0), 0),
  );
});

test('--keep drops old versions at the end and between rounds, and frees their disk space', async (t) => {
  const pages = 16;
  const { site, dir } = await crawledSite(t, pages);
  const big = (i: number, version: number): string =>
    `<title>/page/${i}</title><p>${prose(new SeededRandom(i * 100 + version), 1_000)}</p>`;
  // A file may disappear between the two calls.
  const sizeOf = (name: string): number => statSync(join(dir, 'archive', name), { throwIfNoEntry: false })?.size ?? 0;
  const archived = (): number => readdirSync(join(dir, 'archive')).reduce((sum, name) => sum + sizeOf(name), 0);
  for (let version = 1; version <= 3; version++) {
    for (let i = 0; i < pages; i++) site.set(`/page/${i}`, big(i, version));
    await refreshHere(dir);
  }
  const before = archived();
  const summary = await refreshHere(dir, { keep: '1' });
  assert.ok(summary.dropped >= 3 * pages, `${summary.dropped} dropped`);
  assert.ok(archived() < before / 2, `${archived()} of ${before} bytes are left`);
  assert.equal(summary.bytesFreed, before - archived());

  const watching = startRefreshProcess(dir, ...WATCH, '--keep', '1');
  for (let version = 4; version <= 6; version++) {
    for (let i = 0; i < pages; i++) site.set(`/page/${i}`, big(i, version));
    const changed = async () => (await told(dir, site.web.origin)).filter((line) => line.startsWith('changed')).length;
    await until(watching, async () => (await changed()) >= version * pages);
  }
  await until(watching, () => archived() < before / 2);
  watching.child.kill('SIGINT');
  const { exitCode, summary: end, stderr } = await watching.ended;
  assert.equal(exitCode, 11, stderr);
  assert.ok(end!.dropped >= 3 * pages);
  await assertSound(dir);
  assert.equal((await refreshHere(dir)).changed, 0);
});

test('a full disk stops the refresh with one line, and later nothing is lost or delivered twice', async (t) => {
  const site = await startLivingSite(t);
  const paths = Array.from({ length: PAGES }, (_, i) => `/page/${i}`);
  site.set('/', paths.map((path) => `<a href="${path}">${path}</a>`).join('\n'));
  for (const path of paths) site.set(path, `<title>${path}</title><p>${path} as it was at first.</p>`);
  const dir = dataFolder(t);
  const mounted = mountTmpfs(dir, 'size=3m');
  if (typeof mounted === 'string') {
    t.skip(mounted);
    return;
  }
  try {
    await crawlHere(dir, [site.web.url('/')], { patience: '0s', http2: false });
    // These bytes do not compress.
    for (const [i, path] of paths.entries()) {
      site.set(path, `<title>${path}</title><p>${prose(new SeededRandom(i), 60_000)}</p>`);
    }
    const { exitCode, stderr } = await startRefreshProcess(dir, '--patience', '0s').ended;
    assert.equal(exitCode, 1, stderr);
    assert.match(stderr, /ERR_DISK_FULL/);
    mounted.remount('size=200m');
    await refreshHere(dir);
    await assertSound(dir);
    const lines = await told(dir, site.web.origin);
    assert.equal(lines.length, new Set(lines).size, 'each change is told once');
    assert.equal(lines.filter((line) => line.startsWith('changed /page/')).length, PAGES);
  } finally {
    mounted.unmount();
  }
});
