/** Tests every form of content at several times: pages that changed, pages that did not exist yet, and pages gone since. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { HOST, keepAnswers } from '../../copy/versions-over-time.ts';
import { runCli } from '../setup/run-cli.ts';

const SENTENCE = 'The spider takes its web down at dawn, and it builds another one when the night begins.';
const page = (title: string, cell: string) =>
  `<!doctype html><title>${title}</title><nav><a href=/>Home</a></nav><main><h1>${title}</h1>${`<p>${SENTENCE}</p>`.repeat(4)}` +
  `<table><tr><th>Part<th>Size<tr><td>leg<td>${cell}</table></main>`;

/** Changed, with an error between its versions; gone since; not there yet; and moved. */
const ANSWERS = {
  [`${HOST}/page`]: [
    { at: '2026-01-10T00:00:00Z', body: page('First', 'one') },
    { at: '2026-02-10T00:00:00Z', body: 'busy', status: 503 },
    { at: '2026-03-10T00:00:00Z', body: page('Second', 'two') },
  ],
  [`${HOST}/gone`]: [
    { at: '2026-01-10T00:00:00Z', body: page('Gone', 'left') },
    { at: '2026-03-10T00:00:00Z', body: 'no more', status: 404 },
  ],
  [`${HOST}/new`]: [{ at: '2026-03-10T00:00:00Z', body: page('New', 'fresh') }],
  [`${HOST}/moved`]: [
    { at: '2026-01-10T00:00:00Z', body: page('Moved', 'old place') },
    { at: '2026-03-10T00:00:00Z', body: '', status: 301, headers: ['Content-Type', 'text/html', 'Location', '/new'] },
  ],
};

/** For each time, the titles and the cells of the pages that the copy had. */
const TIMES: Readonly<Record<string, Readonly<Record<string, readonly [title: string, cell: string]>>>> = {
  '2026-02': { page: ['First', 'one'], gone: ['Gone', 'left'], moved: ['Moved', 'old place'] },
  '2026-03': { page: ['Second', 'two'], new: ['New', 'fresh'] },
};
const NAMES = ['page', 'gone', 'new', 'moved'];

let dir: string;
before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-content-at-'));
  await keepAnswers(dir, ANSWERS);
});
after(() => rmSync(dir, { recursive: true, force: true }));

const run = (command: string, ...words: readonly string[]) => runCli(command, ...words, '--dir', dir);

for (const [time, pages] of Object.entries(TIMES)) {
  test(`${time}: rows with content are those of the time, in every form`, async () => {
    for (const form of ['text', 'markdown', 'html']) {
      const { stdout, stderr } = await run('export', '--content', form, '--at', time, '--state', 'fetched');
      const rows = stdout.split('\n').filter((line) => line !== '');
      const found = rows.map((line) => JSON.parse(line) as Record<string, string | number | null>);
      assert.equal(stderr, '');
      assert.deepEqual(
        found.map(({ url }) => url).sort(),
        Object.keys(pages)
          .map((name) => `${HOST}/${name}`)
          .sort(),
      );
      for (const { url, title, content, state, status, digest, rank, fetchedAt } of found) {
        const [trueTitle, cell] = pages[String(url).split('/').at(-1)!]!;
        assert.deepEqual([title, state, status, rank], [trueTitle, 'fetched', 200, null]);
        assert.ok(String(content).includes(trueTitle) && String(content).includes(cell));
        assert.equal(String(content).includes('Home'), form === 'html');
        assert.match(String(digest), /^sha256:[0-9a-f]{64}$/);
        assert.ok(String(fetchedAt) <= `${time}-31`);
      }
    }
  });

  test(`${time}: files are those of the time, in every form`, async () => {
    const files = { markdown: 'X.md', mirror: 'X.html', tables: 'X.tables/1.csv' };
    for (const [format, file] of Object.entries(files)) {
      const out = join(dir, format);
      const { exitCode } = await run('export', '--format', format, '--out', out, '--at', time);
      assert.equal(exitCode, 0);
      for (const name of NAMES) {
        const path = join(out, 'site.test', file.replace('X', name));
        assert.equal(existsSync(path), name in pages, `${time} ${path}`);
        if (name in pages) assert.ok(readFileSync(path, 'utf8').includes(pages[name]![1]), path);
      }
    }
  });

  test(`${time}: show prints the response of the time`, async () => {
    for (const view of ['--text', '--markdown']) {
      const shown = await run('show', `${HOST}/${time === '2026-03' ? 'new' : 'gone'}`, '--at', time, view);
      assert.deepEqual([shown.stderr, shown.stdout.includes(SENTENCE)], ['', true]);
    }
    const other = await run('show', `${HOST}/${time === '2026-03' ? 'gone' : 'new'}`, '--at', time, '--text');
    assert.match(other.stderr, time === '2026-03' ? /answered with status 404/ : /was not in the copy at/);
  });
}

test('rows of other states tell what the URL was at that time', async () => {
  const { stdout } = await run('export', '--content', 'text', '--at', '2026-03');
  const rows = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const states = Object.fromEntries(
    rows.map(({ url, state, status, content }) => [url, [state, status, content === null]]),
  );
  assert.deepEqual(states[`${HOST}/gone`], ['failed', 404, true]);
  assert.deepEqual(states[`${HOST}/moved`], ['redirect', 301, true]);
  const failed = await run('export', '--content', 'text', '--at', '2026-03', '--state', 'failed');
  assert.equal(failed.stdout.split('\n').length, 2);
  const early = await run('export', '--content', 'text', '--at', '2020');
  assert.deepEqual([early.exitCode, early.stdout], [0, '']);
});

test('--at needs a form of content', async () => {
  const rows = await run('export', '--at', '2026');
  assert.deepEqual([rows.exitCode, /--at works only with .* add --content to jsonl/.test(rows.stderr)], [2, true]);
  assert.match((await run('export', '--content', 'text', '--at', 'soon')).stderr, /--at needs a time such as/);
  assert.equal((await run('export', '--content', 'text', '--out', 'x')).exitCode, 2);
});
