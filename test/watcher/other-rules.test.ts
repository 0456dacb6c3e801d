/** A watcher that is restarted with other rules, before its first sweep and after it. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { readConfig, resolveWatch } from '../../src/watcher/watch-settings.ts';
import { SiteWatcher } from '../../src/watcher/watcher.ts';
import { ask, readReport } from '../../testbed/watcher/running-watcher.ts';

const REPORT = '/.well-known/orbweaver-report';

function site(t: TestContext) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'watcher-rules-')));
  const opened: SiteWatcher[] = [];
  t.after(async () => {
    for (const watcher of opened) await watcher.close();
    rmSync(base, { recursive: true, force: true });
  });
  const put = (path: string, content = path) => {
    mkdirSync(join(base, path, '..'), { recursive: true });
    writeFileSync(join(base, path), content);
  };
  /** A watcher that sweeps only when the test asks for it. */
  const open = async (settings: Readonly<Record<string, unknown>>) => {
    const given = { url: 'http://www.example.org/', state: join(base, 'state'), listen: '127.0.0.1:0', cpu: '100%' };
    const { options, sites } = readConfig({ ...given, ...settings }, 'test');
    let isHeld = true;
    const after = (ms: number, callback: () => void) => (isHeld ? () => {} : systemClock.after(ms, callback));
    const watcher = new SiteWatcher(resolveWatch([{ from: 'test', given: options }], sites), {
      clock: { now: () => Date.now(), after },
    });
    opened.push(watcher);
    await watcher.start();
    // The watcher reports the knowledge of its predecessor before it sweeps again.
    if (watcher.status().sites[0]!.sweptAt !== null) await watcher.firstSweep;
    const sweep = async () => {
      isHeld = false;
      const [swept] = await watcher.sweep();
      isHeld = true;
      return swept!;
    };
    const port = Number(new URL(watcher.status().listening!).port);
    const read = async (query = '') => {
      const { head, entries } = readReport((await ask(port, 'www.example.org', REPORT + query)).body);
      return { cursor: head.cursor, reported: entries.map(({ change, url }) => `${change} ${url}`).sort() };
    };
    return { watcher, sweep, read };
  };
  return { base, put, open };
}

test('excluded pages are not listed, and are reported as deleted to readers that know them', async (t) => {
  const { base, put, open } = site(t);
  for (const name of ['a', 'known', 'plain']) put(`www/${name}.html`);
  const before = await open({ root: join(base, 'www') });
  await before.sweep();
  const known = await before.read();
  assert.deepEqual(known.reported, ['page /a.html', 'page /known.html', 'page /plain.html']);
  put('www/secret.html');
  put('www/known.html', 'updated');
  put('www/a.html', 'updated');
  await before.sweep();
  await before.watcher.close();
  const { sweep, read } = await open({ root: join(base, 'www'), exclude: ['secret.html', 'known.html'] });
  assert.deepEqual((await read()).reported, ['page /a.html', 'page /plain.html']);
  assert.deepEqual((await read(`?since=${known.cursor}`)).reported, ['updated /a.html']);
  await sweep();
  assert.deepEqual((await read()).reported, ['page /a.html', 'page /plain.html']);
  assert.deepEqual((await read(`?since=${known.cursor}`)).reported, ['deleted /known.html', 'updated /a.html']);
});

test('a page is not reported at its former URL, and a page of a removed root is not reported', async (t) => {
  const { base, put, open } = site(t);
  for (const path of ['www/a.html', 'www/b.pdf', 'docs/c.html']) put(path);
  const roots = { '/': join(base, 'www'), '/docs/': join(base, 'docs') };
  const before = await open({ roots });
  await before.sweep();
  assert.deepEqual((await before.read()).reported, ['page /a.html', 'page /b.pdf', 'page /docs/c.html']);
  await before.watcher.close();
  const { sweep, read } = await open({ root: join(base, 'www'), dropExtension: ['.html'] });
  assert.deepEqual((await read()).reported, ['page /b.pdf']);
  await sweep();
  assert.deepEqual((await read()).reported, ['page /a', 'page /b.pdf']);
});

test('W8 known pages stay unchanged when roots are reordered, added or removed', async (t) => {
  const { base, put, open } = site(t);
  for (const path of ['www/w.html', 'docs/d.html', 'news/n.html', 'blog/b.html']) put(path);
  const folders = { '/': 'www', '/docs/': 'docs', '/news/': 'news', '/blog/': 'blog' };
  const sweptWith = async (prefixes: readonly (keyof typeof folders)[], since: string) => {
    const roots = Object.fromEntries(prefixes.map((prefix) => [prefix, join(base, folders[prefix])]));
    const { watcher, sweep, read } = await open({ roots });
    await sweep();
    const { reported } = await read(since === '' ? '' : `?since=${since}`);
    const pages = (await read()).reported.length;
    const { cursor } = await read('?limit=0');
    await watcher.close();
    assert.equal(pages, prefixes.length);
    return { reported, cursor };
  };
  const first = await sweptWith(['/', '/docs/'], '');
  const turned = await sweptWith(['/docs/', '/'], first.cursor);
  assert.deepEqual(turned.reported, []);
  const more = await sweptWith(['/news/', '/docs/', '/'], turned.cursor);
  assert.deepEqual(more.reported, ['new /news/n.html']);
  const fewer = await sweptWith(['/news/', '/'], more.cursor);
  assert.deepEqual(fewer.reported, ['deleted /docs/d.html']);
  const others = await sweptWith(['/blog/', '/news/', '/'], fewer.cursor);
  assert.deepEqual(others.reported, ['new /blog/b.html']);
  put('elsewhere/d.html', 'docs/d.html');
  folders['/docs/'] = 'elsewhere';
  const back = await sweptWith(['/docs/', '/blog/', '/news/', '/'], others.cursor);
  assert.deepEqual(back.reported, ['new /docs/d.html']);
  folders['/docs/'] = 'docs';
  assert.deepEqual((await sweptWith(['/docs/', '/blog/', '/news/', '/'], back.cursor)).reported, []);
});
