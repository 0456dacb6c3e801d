import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readConfig, resolveWatch } from '../../src/watcher/watch-settings.ts';
import { SiteWatcher } from '../../src/watcher/watcher.ts';

function below(t: TestContext, settings: Readonly<Record<string, unknown>> = {}) {
  const base = mkdtempSync(join(tmpdir(), 'watcher-once-'));
  const root = join(base, 'www');
  mkdirSync(root);
  writeFileSync(join(root, 'a.html'), 'a');
  const given = { url: 'http://www.example.org/blog/', root, state: join(base, 'state'), cpu: '100%' };
  const { options, sites } = readConfig({ ...given, writeFiles: true, listen: 'off', ...settings }, 'test');
  const warnings: string[] = [];
  const watcher = new SiteWatcher(resolveWatch([{ from: 'test', given: options }], sites), {
    warn: (line) => warnings.push(line),
  });
  t.after(async () => {
    await watcher.close();
    rmSync(base, { recursive: true });
  });
  return { watcher, warnings, root };
}

test('--once for a site below a path fails with a message that names --once and the missing folder', async (t) => {
  const { watcher } = below(t);
  await assert.rejects(watcher.once(new AbortController().signal), (error: Error) => {
    assert.match(error.message, /^--once .* http:\/\/www\.example\.org\/; name the folder with --site http/);
    assert.doesNotMatch(error.message, /--write-files/);
    return true;
  });
});

test('--write-files for a site below a path fails with a message that names --write-files', async (t) => {
  const { watcher } = below(t);
  await assert.rejects(watcher.start(), { code: 'ERR_BAD_OPTION', message: /^--write-files needs a folder/ });
});

test('--once with IndexNow works without a folder for the report, and warns that no report is written', async (t) => {
  // The first run has nothing to announce, so it sends no request.
  const { watcher, warnings, root } = below(t, { indexnowKey: 'abcdefgh12345678' });
  await watcher.once(new AbortController().signal);
  assert.deepEqual(warnings, [
    'http://www.example.org: there is no folder for http://www.example.org/, so no report is written; changes are still announced',
  ]);
  assert.equal(watcher.status().sites[0]!.pages, 1);
  assert.deepEqual(readdirSync(root), ['a.html']);
});
