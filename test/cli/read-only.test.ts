/** Tests every reading command and the library as a user who may read the data folder but not write to it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { keepAnswers, NEWS, SITE_ANSWERS } from '../copy/versions-over-time.ts';
import { allowWriting, contentOf, forbidWriting, isRoot, OTHER_ID } from '../store/another-user.ts';
import { runCommands } from './setup/run-commands.ts';

const OTHER_USER = isRoot ? { uid: OTHER_ID, gid: OTHER_ID } : {};
let dir: string;
let content: string[];
before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-cli-read-only-'));
  await keepAnswers(dir, SITE_ANSWERS);
  forbidWriting(dir);
  content = contentOf(dir);
});
after(() => {
  allowWriting(dir);
  rmSync(dir, { recursive: true });
});

const COMMANDS: readonly (readonly [words: string[], prints: RegExp])[] = [
  [['status'], /knows \d+ URLs of 1 host\b/],
  [['explain', NEWS], /is a page of the copy|site\.test\/news/],
  [['links', NEWS], /site\.test\/news/],
  [['show', NEWS], /<title>/],
  [['history', NEWS], /2026-03-01/],
  [['diff', NEWS], /\{\+forty\+\}/],
  [['export', '--format', 'jsonl'], /"url":"http:\/\/site\.test\/news"/],
  [['export', '--format', 'csv'], /^http:\/\/site\.test\/news,/m],
  [['export', '--format', 'warc'], /^\x1f/],
  [['export', '--format', 'cdxj'], /^test,site\)\/news 20260301/m],
  [['refresh', '--dry-run'], /pages would be visited|No page is due/],
];

test('every reading command works and writes nothing into the folder', () => {
  const runs = runCommands(
    'another',
    {},
    COMMANDS.map(([words]) => [...words, '--dir', dir]),
  );
  for (const [i, { words, stdout, outcome }] of runs.entries()) {
    assert.equal(outcome, '0', words.join(' '));
    assert.match(stdout, COMMANDS[i]![1], words.join(' '));
  }
  assert.deepEqual(contentOf(dir), content);
});

test('the library opens and reads the copy', () => {
  const program = `
    import { openCopy } from ${JSON.stringify(new URL('../../src/index.ts', import.meta.url).href)};
    const copy = await openCopy(${JSON.stringify(dir)});
    const response = await copy.response(${JSON.stringify(NEWS)});
    const looks = await copy.history(${JSON.stringify(NEWS)});
    const changes = await copy.diff(${JSON.stringify(NEWS)});
    console.log(response.status, looks !== null, changes !== null, (await copy.counts()).hosts);
    await copy.close();`;
  const words = ['--input-type=module', '-e', program];
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', ...OTHER_USER });
  assert.equal(stderr, '');
  assert.equal(stdout, '200 true true 1\n');
  assert.deepEqual(contentOf(dir), content);
});

test('commands that write are refused with a clear message', () => {
  for (const { outcome } of runCommands('another', {}, [
    ['crawl', 'http://site.test/', '--dir', dir],
    ['refresh', '--dir', dir],
  ])) {
    assert.match(outcome, /^ERR_DIR cannot use the folder .*permission denied/);
  }
});
