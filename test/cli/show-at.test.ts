/** Tests `show --at` with one page that was fetched at three times. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Capture } from '../../src/archive/warc-reader.ts';
import { headText } from '../../src/cli/commands/show.ts';
import { safeBytes } from '../../src/core/text/readable.ts';
import { isText } from '../../src/page/content-kind.ts';
import { ANSWERS, fetchOverTime, PAGE } from '../copy/fetched-over-time.ts';
import { runCli } from './setup/run-cli.ts';

let dir: string;
before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-show-at-'));
  await fetchOverTime(dir);
});
after(() => rmSync(dir, { recursive: true, force: true }));

function showAt(time: string, ...words: string[]) {
  return runCli('show', PAGE, '--dir', dir, '--at', time, ...words);
}

test('--at works between, at and after the fetch times', async () => {
  const asked = {
    '2024-05-01': 'version one',
    '2024-05-01 12:00:00 UTC': 'version one',
    '2025-03-10T08:30:15.249Z': 'version one',
    '2025-03-10T10:30:15+02:00': 'not now',
    '202503': 'not now',
    '2025': 'version two',
    '20251115094640': 'version two',
    '2999': 'version two',
  };
  await Promise.all(
    Object.entries(asked).map(async ([time, right]) => {
      const { exitCode, stdout } = await showAt(time);
      assert.deepEqual([exitCode, stdout], [0, right], time);
    }),
  );
});

test('without --at the newest response is printed, and the URL may have no scheme', async () => {
  const { stdout } = await runCli('show', 'site.test/page', '--dir', dir);
  assert.equal(stdout, 'version two');
});

test('--json names the response and all fetch times', async () => {
  const { stdout, stderr } = await showAt('2025-06', '--json');
  const { url, fetchedAt, status, captures } = JSON.parse(stdout);
  assert.equal(stderr, '');
  assert.deepEqual([url, fetchedAt, status], [PAGE, '2025-03-10T08:30:15.250Z', 503]);
  assert.deepEqual(
    captures,
    ANSWERS.map(({ fetchedAtMs }) => new Date(fetchedAtMs).toISOString()),
  );
});

test('--at before the first fetch names its time, and that time works', async () => {
  const { exitCode, stdout, stderr } = await showAt('2024-04');
  assert.deepEqual([exitCode, stdout], [1, '']);
  const right =
    /page was not in the copy at 2024-04-30 23:59:59 UTC: it was first fetched on (.* UTC) \[ERR_NOT_IN_COPY\]\n$/;
  assert.match(stderr, right);
  assert.equal((await showAt(right.exec(stderr)![1]!)).stdout, 'version one');
});

test('a damaged archive file gives no bytes, and the message names the damaged place', async (t) => {
  const { file, offset, length } = JSON.parse((await showAt('2025', '--json')).stdout);
  const path = join(dir, 'archive', file);
  const whole = readFileSync(path);
  t.after(() => writeFileSync(path, whole));
  const damaged = Buffer.from(whole);
  damaged[offset + length - 20]! ^= 0x10;
  for (const bytes of [damaged, whole.subarray(0, offset + 10), Buffer.alloc(0)]) {
    writeFileSync(path, bytes);
    const { exitCode, stdout, stderr } = await showAt('2025');
    assert.deepEqual([exitCode, stdout], [1, '']);
    assert.ok(stderr.startsWith(`orbweaver: cannot read the capture in ${file} at ${offset}: `), stderr);
    assert.match(stderr, /\[ERR_ARCHIVE\]\n$/);
  }
});

test('the head has no control characters on a terminal and is unchanged elsewhere', () => {
  const rawHeaders = ['X-Evil', 'a\x1b[2J\x9b31mb\x07', 'Set-Cookie', 'caf\xe9'];
  const capture = { protocol: 'h2', status: 200, statusText: '', rawHeaders } as unknown as Capture;
  assert.equal(headText(capture, true).toString(), 'HTTP/2 200\nX-Evil: a [2J 31mb\nSet-Cookie: café\n');
  const plain = 'HTTP/2 200\nX-Evil: a\x1b[2J\x9b31mb\x07\nSet-Cookie: caf\xe9\n';
  assert.equal(headText(capture, false).toString('latin1'), plain);
});

test('the media type, or else the bytes, decide whether a terminal can show a page', () => {
  const [text, binary] = [Buffer.from('text'), Buffer.from([0x89, 0x50, 0])];
  for (const type of ['text/html', 'text/csv', 'application/json', 'image/svg+xml', 'application/ld+json']) {
    assert.equal(isText(type, text), true, type);
  }
  for (const type of ['image/png', 'application/pdf', 'application/octet-stream', 'font/woff2', 'x']) {
    assert.equal(isText(type, text), false, type);
  }
  assert.deepEqual([isText('', text), isText('', binary)], [true, false]);
});

test('a page on a terminal keeps its lines and letters but sends no escape sequences', () => {
  assert.equal(
    safeBytes(Buffer.from('a\x1b[2J\0b\r\n\tc\u009b31m\rd\x7f é 漢\n')).toString(),
    'a [2J b\r\n\tc 31m d  é 漢\n',
  );
  const latin = Buffer.from('caf\xe9 \x93quoted\x94', 'latin1');
  assert.equal(safeBytes(latin).toString('latin1'), 'caf\xe9  quoted ');
  assert.equal(safeBytes(Buffer.from('a\u202eb\u2066c\u061cd\u200ee\u2028f\u0085g')).toString(), 'a b c d e f g');
});
