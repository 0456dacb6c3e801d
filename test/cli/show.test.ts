/** Tests `show` over a real crawl of a small local site: the output is byte for byte the body that the server sent. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type LocalWeb, reply, startWeb } from '../../testbed/web/local-web.ts';
import { crawlHere } from '../crawl/crawl-here.ts';
import { runCli } from './setup/run-cli.ts';

const PATHS = '/flawed /zipped /latin /gone /moved /one /two /cut /bomb /secret /picture /TruncatedGzip'.split(' ');
const FRONT = `<title>front</title>${PATHS.map((path) => `<a href="${path}">x</a>`).join('')}`;
const ZIPPED = gzipSync(`<title>zipped</title>${'silk '.repeat(500)}`);
const BOMB = gzipSync('x'.repeat(1_000_000));
const LATIN = Buffer.from('<title>caf\xe9</title>na\xefve', 'latin1');
const PICTURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 13, 10, 26]);
const SAME = '<p>the same on two pages';

let web: LocalWeb;
let dir: string;
before(async () => {
  web = await startWeb();
  web.on('/robots.txt', reply('User-agent: *\nDisallow: /secret\n', { 'content-type': 'text/plain' }));
  web.on('/', reply(FRONT, { 'x-escape': 'a\x9b31mb' }));
  web.on('/zipped', reply(ZIPPED, { 'content-encoding': 'gzip' }));
  web.on('/flawed', ({ socket }) => socket.end('HTTP/1.1 200 OK\nX Powered By: x\r\n\r\n<p>flawed', 'latin1'));
  web.on('/latin', reply(LATIN, { 'content-type': 'text/html; charset=iso-8859-1' }));
  web.on('/gone', reply('it is gone', {}, 404));
  web.on('/moved', reply('', { location: '/one' }, 301));
  web.on('/one', reply(SAME));
  web.on('/two', reply(SAME));
  web.on('/cut', reply('x'.repeat(200_000), { 'content-type': 'text/plain' }));
  web.on('/bomb', reply(BOMB, { 'content-encoding': 'gzip' }));
  web.on('/picture', reply(PICTURE, { 'content-type': 'image/png' }));
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-show-'));
  const given = { patience: '0s', units: 1, concurrency: 1, maxBody: '100kb', dropTracking: true };
  await crawlHere(dir, [web.url('/')], given);
});
after(async () => {
  await web.close();
  rmSync(dir, { recursive: true, force: true });
});

function show(path: string, ...words: string[]) {
  return runCli('show', web.url(path), '--dir', dir, ...words);
}

test('show prints a page as the server sent it, without the content coding', async () => {
  const [front, zipped, latin, picture] = await Promise.all(['/', '/zipped', '/latin', '/picture'].map((p) => show(p)));
  for (const { exitCode, stderr } of [front!, zipped!, latin!, picture!]) assert.deepEqual([exitCode, stderr], [0, '']);
  assert.equal(front!.stdout, FRONT);
  assert.equal(zipped!.stdout, `<title>zipped</title>${'silk '.repeat(500)}`);
  assert.deepEqual(latin!.stdoutBytes, LATIN);
  assert.deepEqual(picture!.stdoutBytes, PICTURE);
});

test('--raw prints the stored bytes, --head the status line and headers', async () => {
  const [raw, head, front] = await Promise.all([
    show('/zipped', '--raw'),
    show('/zipped', '--head'),
    show('/', '--head'),
  ]);
  assert.deepEqual(raw.stdoutBytes, ZIPPED);
  assert.match(head.stdout, /^HTTP\/1\.1 200 OK\ncontent-type: text\/html; charset=utf-8\ncontent-encoding: gzip\n/);
  assert.ok(front.stdoutBytes.includes(Buffer.from('x-escape: a\x9b31mb\n', 'latin1')), 'bytes as received');
});

test('errors and redirects are printed, and stderr names their status', async () => {
  const [gone, moved] = await Promise.all([show('/gone'), show('/moved')]);
  assert.deepEqual([gone.exitCode, gone.stdout], [0, 'it is gone']);
  assert.equal(gone.stderr, 'orbweaver: the server answered with status 404\n');
  assert.deepEqual([moved.exitCode, moved.stdout], [0, '']);
  assert.equal(moved.stderr, 'orbweaver: the server answered with status 301, a redirect to /one\n');
});

test('a page that is stored as a revisit has its body and its own head', async () => {
  const [one, two, facts] = await Promise.all([show('/one'), show('/two'), show('/two', '--json')]);
  assert.deepEqual([one.stdout, two.stdout], [SAME, SAME]);
  const { revisit, url, bytes } = JSON.parse(facts.stdout);
  assert.deepEqual([revisit, url, bytes], [true, web.url('/two'), SAME.length]);
});

test('a cut or undecodable body is printed as far as possible, and stderr says so', async () => {
  const [cut, bad, raw] = await Promise.all([show('/cut'), show('/TruncatedGzip'), show('/TruncatedGzip', '--raw')]);
  assert.ok(cut.stdout === 'x'.repeat(100_000), `${cut.stdout.length} bytes`);
  assert.match(cut.stderr, /^orbweaver: the response was cut off when it was fetched \(length\)\n$/);
  assert.equal(bad.exitCode, 0);
  assert.match(bad.stdout, /^<p>0<\/p><p>7919<\/p>/);
  assert.match(
    bad.stderr,
    /^orbweaver: the body cannot be decoded as .* \[bad-encoding\]; only the decoded part is printed, --raw prints all/,
  );
  assert.deepEqual(raw.stdoutBytes.subarray(0, 3), Buffer.from([0x1f, 0x8b, 8]));
  assert.equal(raw.stderr, '');
});

test('a body that unpacks to more than the crawl allowed is cut, and stderr says so', async () => {
  const [bomb, raw] = await Promise.all([show('/bomb'), show('/bomb', '--raw')]);
  assert.ok(bomb.stdout === 'x'.repeat(100_000), `${bomb.stdout.length} bytes`);
  assert.match(bomb.stderr, /\[body-too-large\]; only the decoded part is printed/);
  assert.deepEqual(raw.stdoutBytes, BOMB);
});

test('a response that breaks the rules of HTTP is printed, and every view tells about the flaws', async () => {
  const [body, head, json] = await Promise.all([show('/flawed'), show('/flawed', '--head'), show('/flawed', '--json')]);
  const remark =
    'orbweaver: the server broke the rules of HTTP: a line does not end with CR LF; a header has an invalid name, or a space before its colon\n';
  assert.deepEqual([body.stdout, body.stderr], ['<p>flawed', remark]);
  assert.deepEqual([head.stdout, head.stderr], ['HTTP/1.1 200 OK\nX_Powered_By: x\nContent-Length: 9\n', remark]);
  assert.deepEqual(JSON.parse(json.stdout).flaws, ['line-end', 'header-name']);
});

test('--json has the facts without the body', async () => {
  const { stdout } = await show('/zipped', '--json');
  const facts = JSON.parse(stdout);
  assert.equal(
    Object.keys(facts).join(' '),
    'url fetchedAt status contentType headers digest file offset length revisit truncated flaws fault bytes captures',
  );
  assert.equal(facts.status, 200);
  assert.equal(facts.contentType, 'text/html');
  assert.deepEqual(facts.headers[1], ['content-encoding', 'gzip']);
  assert.match(facts.digest, /^sha1:[A-Z2-7]{32}$/);
  assert.equal(facts.bytes, '<title>zipped</title>'.length + 2_500);
  assert.deepEqual([facts.revisit, facts.truncated, facts.fault], [false, null, null]);
  assert.deepEqual(facts.captures, [facts.fetchedAt]);
  assert.deepEqual(readdirSync(join(dir, 'archive')), [facts.file]);
  const front = await show('/', '--json');
  assert.ok(!/[\x7f-\x9f]/.test(front.stdout), 'a terminal would run it');
  assert.deepEqual(JSON.parse(front.stdout).headers[1], ['x-escape', 'a\x9b31mb']);
});

test('other spellings of a URL mean the same URL by the rules of the crawl', async () => {
  const { stdout } = await show('/./one?utm_source=x#part');
  assert.equal(stdout, SAME);
});

test('the file of --output appears complete and replaces a file only with --force', async () => {
  const output = join(dir, 'page.html');
  writeFileSync(output, 'mine');
  const refused = await show('/latin', '--output', output);
  assert.equal(refused.exitCode, 2);
  assert.match(refused.stderr, /exists; add --force.*\[ERR_BAD_OPTION\]/);
  assert.equal(readFileSync(output, 'utf8'), 'mine');
  const forced = await show('/latin', '--output', output, '--force');
  assert.deepEqual([forced.exitCode, forced.stdout, forced.stderr], [0, '', '']);
  assert.deepEqual(readFileSync(output), LATIN);
  const empty = await show('/moved', '--output', output, '--force');
  assert.deepEqual([empty.exitCode, readFileSync(output).length], [0, 0]);
});

test('a URL that is not in the copy gets the reason and the command to learn more', async () => {
  const [unknown, outside, skipped] = await Promise.all([
    show('/never-heard-of'),
    runCli('show', 'https://elsewhere.test/', '--dir', dir),
    show('/secret'),
  ]);
  for (const { exitCode, stdout } of [unknown, outside, skipped]) assert.deepEqual([exitCode, stdout], [1, '']);
  assert.match(
    unknown.stderr,
    /This crawl does not know the URL: it was not found on any page.*orbweaver explain .*\[ERR_UNKNOWN_URL\]/,
  );
  assert.match(
    outside.stderr,
    /\[out-of-scope\]\. See: orbweaver explain https:\/\/elsewhere\.test\/ .*\[ERR_UNKNOWN_URL\]/,
  );
  assert.match(skipped.stderr, /Not fetched: .*\[robots-disallowed\].*orbweaver explain .*\[ERR_NOT_IN_COPY\]/);
});

test('bad input gets one line that says what to write', async () => {
  const asked: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /the URL is missing; write: orbweaver show <url> \[ERR_BAD_URL\]/],
    [['http://a.test/', 'http://b.test/'], /one URL at a time \[ERR_USAGE\]/],
    [['ftp://a.test/', '--dir', dir], /not an http or https URL.*\[ERR_BAD_URL\]/],
    [
      ['http://a.test/', '--at', 'yesterday'],
      /--at needs a time such as 2026-11-15, .*not "yesterday" \[ERR_BAD_OPTION\]/,
    ],
    [['http://a.test/', '--at', '2026-02-30'], /\[ERR_BAD_OPTION\]/],
    [['http://a.test/', '--head', '--raw'], /--head and --raw exclude each other; choose one \[ERR_USAGE\]/],
    [['http://a.test/', '--heads'], /did you mean --head\? \[ERR_UNKNOWN_OPTION\]/],
  ];
  for (const [words, right] of asked) {
    const { exitCode, stdout, stderr } = await runCli('show', ...words);
    assert.deepEqual([exitCode, stdout], [2, ''], words.join(' '));
    assert.match(stderr, right);
    assert.equal(stderr.trimEnd().split('\n').length, 1);
  }
  const noCrawl = await runCli('show', web.url('/'), '--dir', '/nonexistent-folder');
  assert.equal(noCrawl.exitCode, 1);
  assert.match(noCrawl.stderr, /\[ERR_NO_CRAWL\]/);
});
