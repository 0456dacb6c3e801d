/**
 * W6 as a reader of the report sees it: pages that become log-in pages, or stop being log-in pages,
 * and the information that is lost by a kill.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createWatcher, type Watcher, type WatcherSettings } from '../../src/watcher/create-watcher.ts';
import { ask, readReport } from '../../testbed/watcher/running-watcher.ts';

const REPORT = '/.well-known/orbweaver-report';
const logIn = (text: string) => `<!doctype html><form action="/in"><input type="password" name="${text}"></form>`;

function site(t: TestContext, pages: Readonly<Record<string, string>>) {
  const base = mkdtempSync(join(tmpdir(), 'watcher-left-out-'));
  const opened: Watcher[] = [];
  t.after(async () => {
    for (const watcher of opened) await watcher.close();
    rmSync(base, { recursive: true, force: true });
  });
  mkdirSync(join(base, 'www'));
  const put = (name: string, content: string) => writeFileSync(join(base, 'www', name), content);
  for (const [name, content] of Object.entries(pages)) put(name, content);
  const open = async (settings: Partial<WatcherSettings> = {}) => {
    const watcher = createWatcher({
      url: 'http://www.example.org/',
      root: join(base, 'www'),
      state: join(base, 'state'),
      listen: '127.0.0.1:0',
      cpu: '100%',
      every: '1h',
      fileEvents: false,
      ...settings,
    });
    opened.push(watcher);
    await watcher.start();
    await watcher.firstSweep;
    const port = Number(new URL(watcher.status().listening!).port);
    const read = async (query = '') => {
      const { head, entries } = readReport((await ask(port, 'www.example.org', REPORT + query)).body);
      const reported = entries.map(({ change, url }) => `${change} ${url}`).sort();
      return { cursor: head.cursor as string, isListing: head.listing as boolean, reported, entries };
    };
    return { watcher, read };
  };
  return { base, put, open };
}

test('W6 a log-in page is never reported, however often it changes', async (t) => {
  const { put, open } = site(t, { 'a.html': 'a', 'in.html': logIn('1') });
  const { watcher, read } = await open();
  const { cursor, reported } = await read();
  assert.deepEqual(reported, ['page /a.html']);
  for (const text of ['2', '3']) {
    put('in.html', logIn(text));
    await watcher.sweep();
  }
  assert.deepEqual((await read(`?since=${cursor}`)).reported, []);
});

test('W3 W6 if the URL has no extension, the file name shows that a page beginning with text is HTML', async (t) => {
  const { put, open } = site(t, {
    'index.html': 'Welcome! <a href="/a">a</a>',
    'a.html': 'a',
    'b.html': 'b',
    'in.html': `Please: ${logIn('1')}`,
  });
  const { watcher, read } = await open({ dropExtension: ['.html'] });
  const ranks = async () => Object.fromEntries((await read()).entries.map(({ url, rank }) => [url, rank]));
  assert.deepEqual(await ranks(), { '/': 0.5, '/a': 0.5, '/b': 0.4 });
  put('index.html', 'Welcome! <a href="/b">b</a>');
  await watcher.sweep();
  assert.deepEqual(await ranks(), { '/': 1, '/a': 0.4, '/b': 0.5 });
});

test('W6 readers begin with a new listing when a page becomes a log-in or stops being one', async (t) => {
  const { put, open } = site(t, { 'a.html': 'a', 'b.html': 'b' });
  const { watcher, read } = await open();
  const first = await read();
  assert.deepEqual(first.reported, ['page /a.html', 'page /b.html']);
  put('b.html', logIn('1'));
  await watcher.sweep();
  const without = await read(`?since=${first.cursor}`);
  assert.deepEqual([without.isListing, without.reported], [true, ['page /a.html']]);
  put('b.html', 'b again');
  await watcher.sweep();
  const again = await read(`?since=${without.cursor}`);
  assert.deepEqual([again.isListing, again.reported], [true, ['page /a.html', 'page /b.html']]);
  // A log-in page that was never reported changes nothing for any reader.
  put('new.html', logIn('1'));
  await watcher.sweep();
  const after = await read(`?since=${again.cursor}`);
  assert.deepEqual([after.isListing, after.reported], [false, []]);
});

test('W6 log-in pages stay unreported after a kill', async (t) => {
  const { base, put, open } = site(t, { 'a.html': 'a' });
  const { watcher, read } = await open({ every: '100ms' });
  put('in.html', logIn('1'));
  for (let tries = 0; watcher.status().sites[0]!.changes === 0 && tries < 500; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.deepEqual((await read()).reported, ['page /a.html']);
  // The state that a kill at this moment would leave.
  const state = join(base, 'killed');
  cpSync(join(base, 'state'), state, { recursive: true });
  rmSync(join(state, 'http_www.example.org', 'lock'));
  const next = await open({ state });
  await next.watcher.sweep();
  assert.deepEqual((await next.read()).reported, ['page /a.html']);
});

test('--no-events also removes events that were found before the option was set', async (t) => {
  const page = '<!doctype html><p id="t"></p><b onclick="document.getElementById(\'t\').innerHTML = Secret()">x</b>';
  const { open } = site(t, { 'a.html': page });
  const before = await open();
  assert.ok('events' in (await before.read()).entries[0]!);
  await before.watcher.close();
  const { read } = await open({ events: false });
  assert.ok(!('events' in (await read()).entries[0]!));
});

test('W6 the main page of a site below a path is reported, although a search form leads to it', async (t) => {
  const search = '<!doctype html><form action="/blog/"><input name="q"></form>';
  const { open } = site(t, { 'index.html': '<!doctype html>', 'a.html': search });
  const { read } = await open({ url: 'http://www.example.org/blog/' });
  assert.deepEqual((await read()).reported, ['page /blog/', 'page /blog/a.html']);
});
