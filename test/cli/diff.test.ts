/** Tests `orbweaver diff`: the changes on pages that were fetched several times. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { wantsColour } from '../../src/cli/commands/diff.ts';
import { safeLines } from '../../src/core/text/readable.ts';
import { HOST, keepAnswers, LOST, NEVER, NEWS, ONCE, PICTURE, SITE_ANSWERS } from '../copy/versions-over-time.ts';
import { runCli } from './setup/run-cli.ts';

const MARKUP = `${HOST}/markup`;
const ODD = `${HOST}/odd`;
let dir: string;
before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-diff-'));
  await keepAnswers(dir, {
    ...SITE_ANSWERS,
    [MARKUP]: [
      { at: '2026-03-01T08:00:00Z', body: '<p class="a">silk</p>\r\n<p>end' },
      { at: '2026-03-02T08:00:00Z', body: '<p class="b">silk</p>\r\n<p>end' },
    ],
    [ODD]: ['one\ntwo\u202e\x9b\nthree\u2028\n', 'one\n2\u2066\x9b\nthree\u2028\n'].map((body, day) => ({
      at: `2026-03-0${day + 1}T08:00:00Z`,
      body,
      headers: ['Content-Type', 'text/plain; charset=utf-8'],
    })),
  });
});
after(() => rmSync(dir, { recursive: true, force: true }));

function diff(url: string, ...words: string[]) {
  return runCli('diff', url, '--dir', dir, ...words);
}

test('diff shows the last change of a page word by word', async () => {
  const { exitCode, stdout, stderr } = await diff(NEWS);
  assert.deepEqual([exitCode, stderr], [0, '']);
  assert.equal(
    stdout,
    `${NEWS}
from 2026-03-02 08:00:00 UTC, text/html, 160 bytes
to   2026-03-05 08:00:00 UTC, text/html, 168 bytes
title "News" → "Fresh news"
5 words added, 4 removed

@@ line 1 @@
Orb-weavers
The web has [-thirty-]{+forty+} radii.
It is taken down at dawn.
Silk is strong.
[-The end-]{+Evil  31m+}.
`,
  );
});

test('--context sets the number of lines around a change', async () => {
  const [none, one] = await Promise.all([diff(NEWS, '--context', '0'), diff(NEWS, '--context=1')]);
  assert.match(none.stdout, /\n\n@@ line 2 @@\nThe web .*\n\n@@ line 5 @@\n.*\n$/);
  assert.match(one.stdout, /\n\n@@ line 1 @@\nOrb-weavers\nThe web .*\nIt is .*\nSilk is strong\.\n.*\n$/);
});

test('--from and --to choose the versions', async () => {
  const [same, whole, before] = await Promise.all([
    diff(NEWS, '--from', '2026-03-01', '--to', '2026-03-04'),
    diff(NEWS, '--from', '2026-03-01', '--to', '20260306'),
    diff(NEWS, '--to', '2026-03-02'),
  ]);
  assert.match(same.stdout, /\nBoth versions have the same content\.\n$/);
  assert.match(whole.stdout, /\nfrom 2026-03-01 .*\nto {3}2026-03-06 [\s\S]*\[-thirty-\]\{\+forty\+\}/);
  assert.deepEqual([before.exitCode, before.stderr], [0, '']);
  assert.equal(before.stdout, `${NEWS}\nThe copy has no version before 2026-03-01 08:00:00 UTC to compare with.\n`);
});

test('--format unified works with patch, also for the markup', async (t) => {
  const { stdout, stderr } = await diff(MARKUP, '--html-source', '--format', 'unified');
  assert.equal(stderr, '');
  assert.match(
    stdout,
    /^--- http:.*\t2026-03-01 08:00:00\.000000000 \+0000\n\+\+\+ .*\n@@ -1,2 \+1,2 @@\n-<p class="a">/,
  );
  assert.match(stdout, /\n <p>end\n\\ No newline at end of file\n$/);
  const [old, young] = await Promise.all([
    runCli('show', MARKUP, '--dir', dir, '--at', '2026-03-01'),
    runCli('show', MARKUP, '--dir', dir),
  ]);
  if (spawnSync('patch', ['--version']).status !== 0) return t.skip('patch is not installed');
  const file = join(dir, 'page.html');
  writeFileSync(file, old.stdoutBytes);
  const patched = spawnSync('patch', ['--binary', '--fuzz=0', file], { input: stdout });
  assert.equal(patched.status, 0, String(patched.stdout));
  assert.deepEqual(readFileSync(file), young.stdoutBytes);
});

test('a diff has no control characters in any format, and --raw keeps them for patch', async (t) => {
  const runs = await Promise.all(['plain', 'unified', 'html', 'json'].map((format) => diff(ODD, '--format', format)));
  for (const { exitCode, stdout } of runs) {
    assert.equal(exitCode, 0);
    assert.doesNotMatch(stdout, /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  }
  assert.match(runs[1]!.stderr, /Control characters are shown as spaces; --raw keeps them for patch\.\n$/);
  const raw = await diff(ODD, '--format', 'unified', '--raw');
  assert.equal(raw.stderr, '');
  assert.ok(raw.stdout.includes('\u202e') && raw.stdout.includes('\x9b'));
  assert.match((await diff(ODD, '--raw')).stderr, /--raw is only for patch; add --format unified \[ERR_USAGE\]/);
  if (spawnSync('patch', ['--version']).status !== 0) return t.skip('patch is not installed');
  const file = join(dir, 'odd.txt');
  writeFileSync(file, 'one\ntwo\u202e\x9b\nthree\u2028\n');
  const patched = spawnSync('patch', ['--binary', '--fuzz=0', file], { input: raw.stdout });
  assert.equal(patched.status, 0, String(patched.stdout));
  assert.equal(readFileSync(file, 'utf8'), 'one\n2\u2066\x9b\nthree\u2028\n');
});

test('--format unified without a difference prints nothing, and stderr says why', async () => {
  const { exitCode, stdout, stderr } = await diff(MARKUP, '--format', 'unified');
  assert.deepEqual([exitCode, stdout], [0, '']);
  assert.equal(stderr, 'orbweaver: The text is the same; only the markup changed. --html-source shows how.\n');
});

test('--format html prints a page in which all text is escaped', async () => {
  const { stdout } = await diff(MARKUP, '--html-source', '--format', 'html');
  assert.match(stdout, /^<!doctype html>\n/);
  assert.ok(stdout.includes('<span>&lt;p class=&quot;</span><del>a</del><ins>b</ins><span>&quot;&gt;silk&lt;/p&gt;'));
  assert.match((await diff(ONCE, '--format', 'html')).stdout, /<p>The copy has no version before .*<\/p>/);
});

test('--json prints one object, like --format json', async () => {
  const [json, format] = await Promise.all([diff(NEWS, '--json'), diff(NEWS, '--format', 'json')]);
  assert.equal(json.stdout, format.stdout);
  assert.ok(!/[\x7f-\x9f]/.test(json.stdout), 'a terminal would run it');
  const facts = JSON.parse(json.stdout);
  const names = 'url of from to compared wordsAdded wordsRemoved linesAdded linesRemoved hunks image';
  assert.equal(Object.keys(facts).join(' '), names);
  assert.equal(Object.keys(facts.from).join(' '), 'fetchedAt status contentType bytes digest title');
  assert.deepEqual([facts.of, facts.compared, facts.wordsAdded, facts.linesRemoved], ['text', true, 5, 2]);
  const [{ pieces, ...place }] = facts.hunks;
  assert.deepEqual(place, { oldLine: 1, oldLines: 5, newLine: 1, newLines: 5 });
  assert.deepEqual(pieces.slice(1, 3), [
    { kind: 'removed', text: 'thirty' },
    { kind: 'added', text: 'forty' },
  ]);
  const once = JSON.parse((await diff(ONCE, '--json')).stdout);
  assert.deepEqual([once.from, once.compared, once.wordsAdded, once.hunks], [null, false, null, []]);
});

test('a diff of content that is not text shows sizes and digests', async () => {
  const { exitCode, stdout } = await diff(PICTURE);
  assert.equal(exitCode, 0);
  assert.match(
    stdout,
    /\nfrom 2026-03-01 08:00:00 UTC, image\/png, 4 bytes\nto {3}2026-03-02 .*, image\/png, 5 bytes\n/,
  );
  assert.match(
    stdout,
    /\nThe versions are not text, so their words cannot be compared\.\nfrom sha256:[\da-f]{64}\nto {3}sha256:[\da-f]{64}\n$/,
  );
});

test('diff of a URL without versions says why there are none', async () => {
  const [unknown, lost, never, early] = await Promise.all([
    diff(`${HOST}/unheard-of`),
    diff(LOST),
    diff(NEVER),
    diff(NEWS, '--from', '2025'),
  ]);
  for (const { exitCode, stdout } of [unknown, lost, never, early]) assert.deepEqual([exitCode, stdout], [1, '']);
  const shown = await runCli('show', `${HOST}/unheard-of`, '--dir', dir);
  assert.equal(unknown.stderr, shown.stderr);
  assert.match(unknown.stderr, /This crawl does not know the URL.*\[ERR_UNKNOWN_URL\]/);
  assert.match(lost.stderr, /only errors and redirects for it\. See: orbweaver history .*\[ERR_NOT_IN_COPY\]/);
  assert.match(never.stderr, /it has not been fetched yet.*\[ERR_NOT_IN_COPY\]/);
  assert.match(
    early.stderr,
    /was not in the copy at 2025-12-31 23:59:59 UTC: its first version is from 2026-03-01 08:00:00 UTC \[ERR_NOT_IN_COPY\]/,
  );
});

test('bad input gets one line that says what to write', async () => {
  const asked: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /the URL is missing; write: orbweaver diff <url> \[ERR_BAD_URL\]/],
    [[NEWS, '--from', 'yesterday'], /--from needs a time such as .*not "yesterday" \[ERR_BAD_OPTION\]/],
    [[NEWS, '--from', '2026', '--to', '2025'], /--from is after --to.*\[ERR_BAD_OPTION\]/],
    [[NEWS, '--format', 'htm'], /not "htm".*did you mean html\? \[ERR_BAD_OPTION\]/],
    [[NEWS, '--json', '--format', 'html'], /--json and --format html exclude each other; choose one \[ERR_USAGE\]/],
    [[NEWS, '--context', '-1'], /--context needs a whole number from 0 .*\[ERR_BAD_OPTION\]/],
    [[NEWS, '--html-sauce'], /no flag --html-sauce; did you mean --html-source\? \[ERR_UNKNOWN_OPTION\]/],
  ];
  for (const [words, right] of asked) {
    const { exitCode, stdout, stderr } = await runCli('diff', ...words, '--dir', dir);
    assert.deepEqual([exitCode, stdout], [2, ''], words.join(' '));
    assert.match(stderr, right);
    assert.equal(stderr.trimEnd().split('\n').length, 1);
  }
});

test('only a terminal that accepts colours gets colours', () => {
  assert.equal(wantsColour(true, { TERM: 'xterm' }), true);
  assert.equal(wantsColour(true, { NO_COLOR: '' }), true);
  assert.equal(wantsColour(true, { NO_COLOR: '1' }), false);
  assert.equal(wantsColour(true, { TERM: 'dumb' }), false);
  assert.equal(wantsColour(false, { TERM: 'xterm' }), false);
  assert.equal(safeLines('a\x1b[2J\r\n\tb\u202e\u009b\u2028c'), 'a [2J\r\n\tb   c');
});

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');
const hasScript = spawnSync('script', ['--version']).status === 0;

test('a diff on a terminal is in colour, and a page cannot send escape sequences', {
  skip: !hasScript && 'no script(1)',
}, () => {
  const command = `'${process.execPath}' '${MAIN}' diff '${NEWS}' --dir '${dir}'`;
  const onTerminal = (env: NodeJS.ProcessEnv) => {
    const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], { env: { PATH: process.env.PATH, ...env } });
    return stdout.toString().replaceAll('\r\n', '\n');
  };
  const coloured = onTerminal({ TERM: 'xterm' });
  assert.ok(coloured.includes('\nThe web has \x1b[31;9mthirty\x1b[0m\x1b[32;4mforty\x1b[0m radii.\n'), coloured);
  assert.ok(coloured.includes('\x1b[32;4mEvil  31m\x1b[0m.\n'), coloured);
  const plain = onTerminal({ TERM: 'xterm', NO_COLOR: '1' });
  assert.ok(plain.includes('\n[-The end-]{+Evil  31m+}.\n') && !plain.includes('\x1b'), plain);
});
