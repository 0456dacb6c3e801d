/** Follows one URL through a crawl and a refresh by the events of its stages. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { inStage, STAGE_UNITS, type StageEnd } from '../../src/core/stage-events.ts';
import { startLivingSite } from '../../testbed/web/living-site.ts';

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
