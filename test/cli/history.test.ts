/** Tests `orbweaver history`: every visit to a page. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { HOST, keepAnswers, NEVER, NEWS, PICTURE, SITE_ANSWERS } from '../copy/versions-over-time.ts';
import { runCli } from './setup/run-cli.ts';

let dir: string;
before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-history-'));
  await keepAnswers(dir, SITE_ANSWERS);
});
after(() => rmSync(dir, { recursive: true, force: true }));

function history(url: string, ...words: string[]) {
  return runCli('history', url, '--dir', dir, ...words);
}

test('history has one line per visit, newest first', async () => {
  const { exitCode, stdout, stderr } = await history(NEWS);
  assert.deepEqual([exitCode, stderr], [0, '']);
  const [url, total, ...lines] = stdout
    .replaceAll(/sha256:[\da-f]{12}/g, 'DIGEST')
    .trimEnd()
    .split('\n');
  assert.deepEqual([url, total], [NEWS, '6 responses in the archive, newest first.']);
  assert.deepEqual(
    lines.map((line) => line.replace(/ {2,}/g, ' | ')),
    [
      '2026-03-06 08:00:00 UTC | same | 168 bytes | DIGEST',
      '2026-03-05 08:00:00 UTC | changed | 168 bytes | DIGEST | +5 −4 words',
      '2026-03-04 08:00:00 UTC | redirect 302 | 0 bytes | to /login [2J',
      '2026-03-03 08:00:00 UTC | error 503 | 7 bytes',
      '2026-03-02 08:00:00 UTC | same | 160 bytes | DIGEST',
      '2026-03-01 08:00:00 UTC | first | 160 bytes | DIGEST | text/html',
    ],
  );
});

test('--limit shows the newest responses and the total number', async () => {
  const { stdout } = await history(NEWS, '--limit', '2');
  assert.match(
    stdout,
    /\n6 responses in the archive, newest first\.\n2026-03-06 .*\n2026-03-05 .* \+5 −4 words\n… and 4 earlier; --limit 6 shows all\n$/,
  );
});

test('--json prints one object with an array', async () => {
  const [news, never] = await Promise.all([history(NEWS, '--json'), history(NEVER, '--json')]);
  const { url, total, looks } = JSON.parse(news.stdout);
  assert.deepEqual([url, total, looks.length], [NEWS, 6, 6]);
  assert.equal(
    Object.keys(looks[0]).join(' '),
    'fetchedAt found status contentType bytes digest wordsAdded wordsRemoved leadsTo image noted damage',
  );
  assert.deepEqual(looks[2], {
    fetchedAt: '2026-03-04T08:00:00.000Z',
    found: 'redirect',
    status: 302,
    contentType: 'text/html',
    bytes: 0,
    digest: null,
    wordsAdded: null,
    wordsRemoved: null,
    image: null,
    leadsTo: '/login\x1b[2J',
    noted: null,
    damage: null,
  });
  assert.deepEqual(JSON.parse(never.stdout), {
    url: NEVER,
    total: 0,
    looks: [],
    visits: null,
    besides: [],
    shownOn: [],
  });
});

test('documents that are not text have a history too', async () => {
  const { stdout } = await history(PICTURE);
  assert.match(stdout, /changed {2}5 bytes {2}sha256:[\da-f]{12} {2}image\/png\n.*first {4}4 bytes .*\n$/);
});

test('history of a URL without visits says why there are none', async () => {
  const [unknown, never, bad] = await Promise.all([
    history(`${HOST}/unheard-of`),
    history(NEVER),
    history(NEWS, '--limit', 'x'),
  ]);
  assert.deepEqual([unknown.exitCode, never.exitCode, bad.exitCode], [1, 1, 2]);
  assert.match(unknown.stderr, /This crawl does not know the URL.*\[ERR_UNKNOWN_URL\]/);
  assert.match(never.stderr, /it has not been fetched yet.*\[ERR_NOT_IN_COPY\]/);
  assert.match(bad.stderr, /--limit .*\[ERR_BAD_OPTION\]/);
});
