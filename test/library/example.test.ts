/** Runs the examples as a newcomer does: in their own process, by the package's name, until they end by themselves. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startWeb } from '../../testbed/web/local-web.ts';
import { site } from '../../testbed/web/site.ts';
import { dataFolder } from '../crawl/stored-crawl.ts';

const ROOT = join(import.meta.dirname, '../..');

async function runExample(tmp: string, ...words: readonly string[]) {
  const child = spawn(process.execPath, ['examples/first-crawl.ts', ...words], { cwd: ROOT, env: { TMPDIR: tmp } });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { exitCode: await ended, stdout, stderr };
}

test('the example prints its pages, ends by itself and leaves nothing behind', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/*', site({ pages: 60 }).serve);
  const tmp = join(dataFolder(t), 'tmp');
  mkdirSync(tmp);
  const { exitCode, stdout, stderr } = await runExample(tmp, web.url('/'));
  assert.deepEqual([exitCode, stderr], [0, '']);
  const lines = stdout.trimEnd().split('\n');
  assert.equal(lines[0], `${web.url('/')}  "Page 0"  10 links`);
  assert.match(lines.at(-1)!, /^50 pages, 0 duplicates, 0 failed: \d+ words in [\d.]+ s$/);
  assert.equal(lines.length, 51);
  // Node keeps the compiled code of the crawler's threads there; this test does not check it.
  assert.deepEqual(
    readdirSync(tmp).filter((name) => name.startsWith('orbweaver')),
    [],
  );
});

test('the example prints an error as one line with its code', async (t) => {
  const { exitCode, stdout, stderr } = await runExample(dataFolder(t), 'ftp://example.com/');
  assert.deepEqual([exitCode, stdout], [2, '']);
  assert.match(stderr, /^"ftp:\/\/example\.com\/" is not an http or https URL.* \[ERR_BAD_URL\]\n$/);
});
