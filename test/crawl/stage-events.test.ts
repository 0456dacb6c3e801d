/** Follows one URL through a crawl and a refresh by the events of its stages. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { channel } from 'node:diagnostics_channel';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { type CrawlEvents, listen } from '../../src/core/events.ts';
import { inStage, STAGE_END, STAGE_UNITS, type StageEnd } from '../../src/core/stage-events.ts';
import { StageTimes } from '../../src/core/stage-times.ts';
import { StageMeter } from '../../src/crawl/crew/stage-meter.ts';
import type { UnitThread } from '../../src/crawl/crew/unit-thread.ts';
import type { ToUnit } from '../../src/crawl/unit/messages.ts';
import { startLivingSite } from '../../testbed/web/living-site.ts';
import { crawlHere } from './crawl-here.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const LISTENER = join(import.meta.dirname, 'stage-listener.ts');

interface Line extends StageEnd {
  readonly phase: 'start' | 'end';
}

test('M6 W11 the stages of a URL are events, in the documented order', async (t) => {
  const table = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8').matchAll(
    /^\| (\w+) \| (crawler|link extractor|controller|link sorter) \|/gm,
  );
  const documented = Object.fromEntries([...table].map(([, stage, unit]) => [stage, unit]));
  assert.deepEqual(Object.entries(documented), Object.entries(STAGE_UNITS));

  const site = await startLivingSite(t);
  site.set('/', '<title>Home</title><p>one <a href="/next">next</a>');
  site.set('/next', '<p>next');
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-stages-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [url, dir] = [site.web.url('/'), join(folder, 'copy')];
  const stagesOf = async (name: string, ...words: string[]): Promise<Line[]> => {
    const file = join(folder, name);
    const command = ['--import', LISTENER, join(ROOT, 'src', 'cli', 'main.ts'), ...words, '--dir', dir, '--units', '1'];
    await promisify(execFile)(process.execPath, command, { env: { ...process.env, STAGE_EVENTS: file } });
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as Line);
  };
  const passed = (lines: readonly Line[]): string[] => {
    const own = lines.filter((line) => line.url === url);
    for (const { stage, unit, phase, tookMs } of own) {
      assert.equal(unit, documented[stage]);
      if (phase === 'end') assert.ok(tookMs >= 0, stage);
    }
    const ends = own.filter(({ phase }) => phase === 'end').map(({ stage }) => stage);
    assert.deepEqual(
      ends,
      own.filter(({ phase }) => phase === 'start').map(({ stage }) => stage),
    );
    const last = lines.findLastIndex((line) => line.url === url);
    const after = lines.slice(last + 1).filter(({ phase }) => phase === 'start');
    return [...ends, ...new Set(after.filter((line) => line.url === null).map(({ stage }) => stage))];
  };

  const crawled = passed(await stagesOf('crawl', 'crawl', url));
  assert.deepEqual(crawled, ['robots', 'parameters', 'fetch', 'page', 'content', 'links', 'archive', 'commit', 'rank']);
  site.set('/', '<title>Home</title><p>two <a href="/next">next</a>');
  const refreshed = passed(await stagesOf('refresh', 'refresh'));
  assert.deepEqual(refreshed, ['robots', 'fetch', 'page', 'content', 'links', 'archive', 'change', 'commit', 'rank']);
});

test('M6 the times of all stages reach the main thread while somebody listens', async (t) => {
  const site = await startLivingSite(t);
  site.set('/', '<title>Home</title><p>one <a href="/next">next</a><a href="/last">last</a>');
  for (const path of ['/next', '/last']) site.set(path, `<p>${path}`);
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-stages-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const heard: CrawlEvents['crawl/stages'][] = [];
  const stopListening = listen('crawl/stages', (event) => heard.push(event));
  t.after(stopListening);
  await crawlHere(dir, [site.web.url('/')]);
  const counts = Object.fromEntries(heard.at(-1)!.stages.map(({ stage, count }) => [stage, count]));
  const { commit = 0, rank = 0, ...ofPages } = counts;
  // The fourth URL is /sitemap.xml, which has no page.
  const asked = { robots: 4, parameters: 4, fetch: 4 };
  assert.deepEqual(ofPages, { ...asked, page: 3, content: 3, links: 3, archive: 3 });
  assert.ok(commit > 0 && rank === commit, JSON.stringify(counts));
  assert.ok(heard[0]!.stages.length === 0 && heard.at(-1)!.elapsedMs > heard[0]!.elapsedMs);

  stopListening();
  assert.equal(channel(STAGE_END).hasSubscribers, false, 'nobody listens to stages after a run');
});

test('M6 a unit stops measuring when nobody listens, and continues its sums with the next listener', async (t) => {
  const posted: ToUnit[] = [];
  const unit = { post: (message: ToUnit) => posted.push(message) } as unknown as UnitThread;
  const units = [unit];
  t.mock.timers.enable({ apis: ['setInterval'] });
  const meter = new StageMeter(() => units);
  meter.start();
  assert.deepEqual(posted, [], 'nothing is measured without a listener');
  const pages: number[] = [];
  const stopListening = listen('crawl/stages', ({ stages }) => pages.push(stages[0]?.count ?? 0));
  const memoryOf = (message: ToUnit | undefined) => (message?.type === 'measure' ? message.memory : null);
  t.mock.timers.tick(1_000);
  new StageTimes(memoryOf(posted[0])!).count({ stage: 'page', tookMs: 1 });
  t.mock.timers.tick(1_000);
  stopListening();
  t.mock.timers.tick(1_000);
  assert.deepEqual(posted[1], { type: 'measure', memory: null });
  const stopAgain = listen('crawl/stages', ({ stages }) => pages.push(stages[0]?.count ?? 0));
  t.after(stopAgain);
  t.mock.timers.tick(1_000);
  new StageTimes(memoryOf(posted[2])!).count({ stage: 'page', tookMs: 1 });
  // A unit that ended keeps its sums.
  units.pop();
  t.mock.timers.tick(1_000);
  inStage('commit', null, () => 0);
  meter.end();
  assert.deepEqual(pages, [0, 1, 1, 2, 2]);
});

test('a stage without listeners only does its work, and errors pass through', async () => {
  assert.equal(
    inStage('page', 'http://x/', () => 7),
    7,
  );
  assert.throws(() => inStage('page', null, () => assert.fail('broken')), /broken/);
  await assert.rejects(
    inStage('fetch', null, () => Promise.reject(new Error('late'))),
    /late/,
  );
});
