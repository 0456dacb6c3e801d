import assert from 'node:assert/strict';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../src/core/clock.ts';
import { Detector } from '../../../src/watcher/detect/detector.ts';
import type { Change } from '../../../src/watcher/records.ts';
import { mountTmpfs } from '../../store/mount-tmpfs.ts';
import { hashOf, served, testParts, testView, type Watched, watchFolder } from './watched-folder.ts';

function write(root: string, path: string, content = path): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), content);
}

async function begin(watched: Watched): Promise<void> {
  await watched.detector.sweep();
  await watched.reader.list(watched.memory);
}

const changeLines = (changes: readonly Change[]) =>
  changes.map(({ kind, page, from, to }) =>
    [kind, page.url, ...(from === null ? [] : ['from', from]), ...(to === null ? [] : ['to', to])].join(' '),
  );

/** Runs one sweep and returns the reported changes. */
async function swept(watched: Watched): Promise<string[]> {
  await watched.detector.sweep();
  return changeLines(await watched.compare());
}

const quiet = { maxWatchedFolders: 0 };

test('W1 new, updated and deleted pages are found; a new time, a new mode or equal content is no change', async (t) => {
  const watched = await watchFolder(
    t,
    (root) => ['a.html', 'b.html', 'c/d.html', 'x.png', '.git/config'].map((path) => write(root, path)),
    quiet,
  );
  const { root, memory } = watched;
  await begin(watched);
  assert.equal(memory.pageCount, 3);
  assert.deepEqual(await swept(watched), []);
  write(root, 'a.html', 'other');
  write(root, 'c/new.html');
  unlinkSync(join(root, 'b.html'));
  assert.deepEqual(await swept(watched), ['updated /a.html', 'new /c/new.html', 'deleted /b.html']);
  assert.equal((await memory.find('0/a.html'))!.updates, 1);
  utimesSync(join(root, 'a.html'), 1, 1);
  chmodSync(join(root, 'c/d.html'), 0o600);
  write(root, '.beside', 'c/new.html');
  renameSync(join(root, '.beside'), join(root, 'c/new.html'));
  write(root, '.git/other');
  write(root, 'y.png');
  assert.deepEqual(await swept(watched), []);
  // The same size, and the old modification time.
  write(root, 'a.html', 'OTHER');
  utimesSync(join(root, 'a.html'), 1, 1);
  assert.deepEqual(await swept(watched), ['updated /a.html']);
  assert.equal((await memory.find('0/a.html'))!.hash, hashOf('OTHER'));
});

test('a moved page is new and deleted, each entry names the other, and the number of updates is kept', async (t) => {
  const watched = await watchFolder(
    t,
    (root) =>
      ['a.html', 'm/1.html', 'm/2.html', 'm/empty', 'z.html'].map((path) =>
        write(root, path, path.endsWith('empty') ? '' : path),
      ),
    quiet,
  );
  const { root, memory } = watched;
  await begin(watched);
  write(root, 'a.html', 'updated once');
  await watched.detector.sweep();
  await watched.compare();
  renameSync(join(root, 'a.html'), join(root, 'b.html'));
  renameSync(join(root, 'm'), join(root, 'n'));
  assert.deepEqual(await swept(watched), [
    'deleted /a.html to /b.html',
    'new /b.html from /a.html',
    'deleted /m/1.html to /n/1.html',
    'new /n/1.html from /m/1.html',
    'deleted /m/2.html to /n/2.html',
    'new /n/2.html from /m/2.html',
    'deleted /m/empty to /n/empty',
    'new /n/empty from /m/empty',
  ]);
  assert.equal((await memory.find('0/b.html'))!.updates, 1);
  // The new name sorts before the old name, so the new page is reported before the old one is found missing.
  renameSync(join(root, 'b.html'), join(root, '0.html'));
  assert.deepEqual(await swept(watched), ['new /0.html', 'deleted /b.html to /0.html']);
  assert.equal((await memory.find('0/0.html'))!.updates, 1);
  // A copy, or content that several files share, does not count as a move.
  write(root, 'copy.html', 'z.html');
  assert.deepEqual(await swept(watched), ['new /copy.html']);
  unlinkSync(join(root, 'n/empty'));
  write(root, 'o/empty', '');
  writeFileSync(join(root, 'o/other'), '');
  assert.deepEqual((await swept(watched)).sort(), ['deleted /n/empty', 'new /o/empty', 'new /o/other']);
});

test('a file that shadows another file takes over its URL: one updated page, never two pages', async (t) => {
  const watched = await watchFolder(
    t,
    (root) => ['d/index.htm', 'clean/a/index.html', 'e/index.html', 'e/index.htm'].map((path) => write(root, path)),
    quiet,
  );
  const { root, memory } = watched;
  await begin(watched);
  assert.equal(memory.pageCount, 3);
  write(root, 'd/index.html');
  write(root, 'clean/a.html');
  unlinkSync(join(root, 'e/index.html'));
  assert.deepEqual((await swept(watched)).sort(), ['updated /clean/a/', 'updated /d/', 'updated /e/']);
  assert.equal((await memory.find('0/d/index.html'))!.updates, 1);
  assert.equal(await memory.find('0/d/index.htm'), null);
  unlinkSync(join(root, 'd/index.html'));
  unlinkSync(join(root, 'clean/a.html'));
  write(root, 'e/index.html');
  assert.deepEqual((await swept(watched)).sort(), ['updated /clean/a/', 'updated /d/', 'updated /e/']);
  // The same content from another file of the URL is not a change, and a rename between these files is not one either.
  write(root, 'd/index.html', 'd/index.htm');
  renameSync(join(root, 'clean/a/index.html'), join(root, 'clean/a.html'));
  // The change is recorded, because the files differ. A report omits it, because the content is the same.
  assert.deepEqual(await swept(watched), ['updated /clean/a/', 'updated /d/']);
  rmSync(join(root, 'd'), { recursive: true });
  rmSync(join(root, 'clean'), { recursive: true });
  assert.deepEqual((await swept(watched)).sort(), ['deleted /clean/a/', 'deleted /d/']);
});

test('a file that was read while it was written is reported again when it is complete', async (t) => {
  const watched = await watchFolder(t, (root) => write(root, 'a.html'), quiet);
  const { root, detector, memory } = watched;
  await begin(watched);
  const fd = openSync(join(root, 'half.html'), 'w');
  writeSync(fd, 'half');
  await detector.sweep();
  assert.equal((await memory.find('0/half.html'))!.isFresh, true);
  writeSync(fd, ' and whole');
  closeSync(fd);
  await detector.sweep();
  assert.deepEqual(changeLines(await watched.compare()), ['new /half.html', 'updated /half.html']);
});

test('links to files inside the site are pages; links to folders or out of the site are not', async (t) => {
  const watched = await watchFolder(
    t,
    (root) => {
      write(root, 'real/a.html');
      symlinkSync('real/a.html', join(root, 'link.html'));
      symlinkSync('real', join(root, 'folder'));
      symlinkSync('/etc/passwd', join(root, 'out.html'));
      symlinkSync('loop.html', join(root, 'loop.html'));
    },
    quiet,
  );
  await begin(watched);
  assert.deepEqual([...watched.reader.pages.keys()].sort(), ['/link.html', '/real/a.html']);
  write(watched.root, 'real/a.html', 'other');
  assert.deepEqual((await swept(watched)).sort(), ['updated /link.html', 'updated /real/a.html']);
  // The sweep does not enter a folder that was replaced by a link to a folder with the same files.
  renameSync(join(watched.root, 'real'), join(watched.root, 'then'));
  symlinkSync('then', join(watched.root, 'real'));
  assert.deepEqual((await swept(watched)).sort(), [
    'deleted /real/a.html to /then/a.html',
    'new /then/a.html from /real/a.html',
  ]);
});

test('a root that is missing or not mounted loses no page', async (t) => {
  const watched = await watchFolder(t, (root) => write(root, 'a.html'), quiet);
  const { root, memory, detector } = watched;
  await begin(watched);
  renameSync(root, `${root}-away`);
  await detector.sweep();
  await detector.sweep();
  assert.deepEqual(watched.notices, ['root-missing']);
  assert.equal(memory.pageCount, 1);
  mkdirSync(root);
  const mounted = mountTmpfs(root, 'size=1m');
  if (typeof mounted === 'string') return t.skip(mounted);
  try {
    await detector.sweep();
    assert.deepEqual(watched.notices, ['root-missing', 'root-missing']);
    assert.equal(memory.pageCount, 1, 'an empty folder of another device');
  } finally {
    mounted.unmount();
  }
  write(root, 'a.html');
  await detector.sweep();
  assert.equal(memory.lastSeq, 0);
  // A root that was emptied by hand, on the same device, is empty.
  unlinkSync(join(root, 'a.html'));
  assert.deepEqual(await swept(watched), ['deleted /a.html']);
});

test('a root that disappears during a sweep loses no page', async (t) => {
  let onPause = () => {};
  const options = { ...quiet, filesPerPause: 1, onPause: () => onPause() };
  const names = ['a.html', 'b.html', 'c.html', 'd/e.html'];
  const watched = await watchFolder(t, (root) => names.map((path) => write(root, path)), options);
  const { root, memory, detector } = watched;
  await begin(watched);
  let pauses = 0;
  onPause = () => {
    if (++pauses === 2) renameSync(root, `${root}-away`);
  };
  await detector.sweep();
  assert.ok(pauses >= 2);
  assert.deepEqual([memory.lastSeq, memory.pageCount], [0, names.length]);
  assert.deepEqual(watched.notices, ['root-missing']);
  renameSync(`${root}-away`, root);
  assert.deepEqual(await swept(watched), []);
  // A page that disappears while the root stays is deleted.
  pauses = 2;
  unlinkSync(join(root, 'b.html'));
  assert.deepEqual(await swept(watched), ['deleted /b.html']);
});

test('an unreadable folder or file keeps its pages, and one notice is sent', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root can give up its rights for a while');
  const watched = await watchFolder(
    t,
    (root) => ['a.html', 'shut/b.html', 'shut/deep/c.html', 'z.html'].map((path) => write(root, path)),
    quiet,
  );
  const { root, memory } = watched;
  await begin(watched);
  chmodSync(join(root, '..'), 0o755);
  chmodSync(memory.folder, 0o777);
  chmodSync(join(root, 'shut'), 0o700);
  chmodSync(join(root, 'a.html'), 0o600);
  write(root, 'z.html', 'other');
  write(root, 'secret.html');
  chmodSync(join(root, 'secret.html'), 0o600);
  process.seteuid!(65_534);
  try {
    await watched.detector.sweep();
    await watched.detector.sweep();
    assert.deepEqual(changeLines(await watched.reader.follow(memory)), ['updated /z.html']);
    assert.deepEqual(watched.notices.sort(), ['file-unreadable', 'file-unreadable', 'folder-unreadable']);
    assert.equal(memory.pageCount, 4);
  } finally {
    process.seteuid!(0);
  }
  unlinkSync(join(root, 'shut/b.html'));
  assert.deepEqual(await swept(watched), ['new /secret.html', 'deleted /shut/b.html']);
});

test('a folder may have more names than fit in memory, and names that are not UTF-8 are left out', async (t) => {
  const watched = await watchFolder(
    t,
    (root) => {
      for (let at = 0; at < 3_000; at++) write(root, `many/${(at * 7919) % 3_000}.html`);
      writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]), 'x');
    },
    { ...quiet, maxNames: 50 },
  );
  await begin(watched);
  assert.equal(watched.memory.pageCount, 3_000);
  assert.deepEqual(watched.notices, ['name-not-utf8']);
  write(watched.root, 'many/77.html', 'other');
  await watched.detector.sweep();
  assert.deepEqual(changeLines(await watched.reader.follow(watched.memory)), ['updated /many/77.html']);
  assert.deepEqual(
    readdirSync(watched.memory.folder).filter((name) => name.startsWith('names-')),
    [],
  );
});

test('all pages can be replaced and deleted at once, although overlay and move table hold far fewer', async (t) => {
  const watched = await watchFolder(
    t,
    (root) => Array.from({ length: 2_000 }, (_, at) => write(root, `d${at % 20}/${at}.html`)),
    { ...quiet, maxHeld: 50 },
    { maxOverlay: 100 },
  );
  await begin(watched);
  for (let at = 0; at < 2_000; at++) write(watched.root, `d${at % 20}/${at}.html`, `deployed ${at}`);
  assert.equal((await swept(watched)).length, 2_000);
  rmSync(watched.root, { recursive: true });
  mkdirSync(watched.root);
  const deleted = await swept(watched);
  assert.equal(deleted.filter((each) => each.startsWith('deleted')).length, 2_000);
});

test('a sweep that finds damage in the middle of the memory builds the memory again', async (t) => {
  const watched = await watchFolder(
    t,
    (root) => Array.from({ length: 300 }, (_, at) => write(root, `${at}.html`)),
    quiet,
  );
  const { memory, detector } = watched;
  await begin(watched);
  const run = join(memory.folder, readdirSync(memory.folder).find((name) => name.startsWith('pages-'))!);
  const bytes = readFileSync(run);
  bytes.fill(0x21, 5_000, 5_100);
  writeFileSync(run, bytes);
  const { epoch } = memory;
  await assert.rejects(detector.sweep(), { code: 'ERR_STORE' });
  assert.notEqual(memory.epoch, epoch);
  assert.equal((await detector.sweep()).isFirst, true);
  assert.deepEqual(watched.notices, ['memory-damaged']);
  await watched.reader.list(memory);
  await watched.compare();
});

test('new and updated HTML is examined; other files and large files are not', async (t) => {
  const watched = await watchFolder(
    t,
    (root) => {
      write(root, 'a.html', '<p>a</p>');
      write(root, 'b.txt', 'b');
      write(root, 'large.html', 'x'.repeat(5 * 1024 * 1024));
      write(root, 'middle.html', 'y'.repeat(300_000));
    },
    quiet,
  );
  const seen: string[] = [];
  const events = [{ events: ['onload'], sources: ['body'], target: 'é', value: '"' }] as const;
  const examine = (content: Buffer, url: string) => {
    seen.push(`${url} ${content.length}`);
    return { events };
  };
  const detector = new Detector({ ...testParts(watched.memory, watched.view), examine }, quiet);
  await detector.sweep();
  assert.deepEqual(seen, ['/a.html 8', '/middle.html 300000']);
  assert.deepEqual((await watched.memory.find('0/a.html'))!.events, events);
  assert.equal((await watched.memory.find('0/large.html'))!.hash, hashOf('x'.repeat(5 * 1024 * 1024)));
  write(watched.root, 'a.html', '<p>b</p>!');
  write(watched.root, 'b.txt', 'c');
  await detector.sweep();
  assert.deepEqual(seen.slice(2), ['/a.html 9']);
});

test('W8 a site can have several roots, and the pages of a removed root are deleted', async (t) => {
  const watched = await watchFolder(
    t,
    (root) => ['one/a.html', 'two/a.html', 'three/b.html'].map((path) => write(root, path)),
    quiet,
  );
  const folders = ['one', 'two', 'three'].map((name) => join(watched.root, name)) as [string, string, string];
  const sweepWith = async (...roots: string[]) => {
    const view = testView(...roots);
    const detector = new Detector(testParts(watched.memory, view), quiet);
    await detector.sweep();
    const changes = changeLines(await watched.reader.follow(watched.memory));
    return { changes, expected: [...served(view)].sort() };
  };
  await sweepWith(...folders);
  await watched.reader.list(watched.memory);
  assert.deepEqual([...watched.reader.pages.keys()].sort(), ['/a.html', '/r1/a.html', '/r2/b.html']);
  const { changes, expected } = await sweepWith(folders[0], folders[1]);
  assert.deepEqual(changes, ['deleted /r2/b.html']);
  assert.deepEqual([...watched.reader.pages].sort(), expected);
});

test('under new rules, unchanged files become other pages or no pages', async (t) => {
  const { root, view, memory, reader } = await watchFolder(t, (root) =>
    ['a.html', 'b.pdf', 'c.html'].map((path) => write(root, path)),
  );
  // Files that were written that long ago are not read again.
  const later = { ...systemClock, now: () => Date.now() + 60_000 };
  const sweepWith = async (rules: typeof view) => {
    const detector = new Detector({ ...testParts(memory, rules), clock: later }, quiet);
    await detector.sweep();
    await detector.sweep();
    await detector.stop();
    return changeLines(await reader.follow(memory)).sort();
  };
  await sweepWith(view);
  await reader.list(memory);
  const urlOf = (number: number, path: string) =>
    path === 'b.pdf' ? null : (view.urlOf(number, path)?.replace('/c.html', '/c') ?? null);
  assert.deepEqual(await sweepWith({ ...view, urlOf }), [
    'deleted /b.pdf',
    'deleted /c.html to /c',
    'new /c from /c.html',
  ]);
  assert.deepEqual(await sweepWith(view), ['deleted /c to /c.html', 'new /b.pdf', 'new /c.html from /c']);
  assert.equal(readFileSync(join(root, 'b.pdf'), 'utf8'), 'b.pdf');
});

test('if a root is a link to a release, linked files in it are still pages after the switch', async (t) => {
  const watched = await watchFolder(t, (root) => rmSync(root, { recursive: true }), quiet);
  const { root } = watched;
  const release = (number: number) => {
    const folder = `${root}-${number}`;
    write(folder, 'v2.html', 'always the same');
    write(folder, 'index.html', `release ${number}`);
    symlinkSync('v2.html', join(folder, 'latest.html'));
    return folder;
  };
  symlinkSync(release(1), root);
  await begin(watched);
  assert.equal(watched.memory.pageCount, 3);
  symlinkSync(release(2), `${root}-next`);
  renameSync(`${root}-next`, root);
  rmSync(`${root}-1`, { recursive: true });
  await watched.detector.sweep();
  assert.deepEqual(changeLines(await watched.reader.follow(watched.memory)), ['updated /']);
});

test('equal content from another file of a URL gets a change number, for listings in progress', async (t) => {
  const watched = await watchFolder(t, (root) => write(root, 'clean/a/index.html', 'same'), quiet);
  const { root, memory } = watched;
  await begin(watched);
  // `clean/a.html` comes before `clean/a/index.html` in every order.
  write(root, 'clean/a.html', 'same');
  assert.deepEqual(await swept(watched), ['updated /clean/a/']);
  assert.equal(memory.pageCount, 1);
  assert.equal((await memory.find('0/clean/a.html'))!.updates, 0);
});

test('files named by events are checked at the pace of a sweep, however many there are', async (t) => {
  let pauses = 0;
  const options = { everyMs: 3_600_000, debounceMs: 500, filesPerPause: 10, onPause: () => pauses++ };
  const watched = await watchFolder(t, (root) => write(root, 'index.html'), options);
  const { root, memory, detector } = watched;
  detector.start();
  await begin(watched);
  pauses = 0;
  for (let i = 0; i < 300; i++) write(root, `${i}.html`);
  for (let tries = 0; memory.pageCount < 301 && tries < 500; tries++) await sleep(20);
  assert.deepEqual((await watched.compare()).length, 300);
  assert.ok(pauses >= 30, `${pauses} pauses`);
});

test('a stop during the last file of a sweep schedules no further sweep', async (t) => {
  const { view, memory } = await watchFolder(t, (root) => write(root, 'index.html'));
  let timers = 0;
  const clock = {
    ...systemClock,
    after: (ms: number, callback: () => void) => {
      timers++;
      const cancel = systemClock.after(ms, () => {
        timers--;
        callback();
      });
      return () => {
        timers--;
        cancel();
      };
    },
  };
  let stopped: Promise<void> | null = null;
  const examine = () => {
    stopped = detector.stop();
    return { events: [] };
  };
  const detector: Detector = new Detector({ ...testParts(memory, view), clock, examine }, quiet);
  detector.start();
  while (stopped === null) await sleep(5);
  await stopped;
  await sleep(5);
  assert.equal(timers, 0);
});

test('W3 a moved page keeps its updates, also if it was stored before the old file was missed', async (t) => {
  const watched = await watchFolder(t, (root) => write(root, 'z.html'), quiet);
  const { root, memory } = watched;
  await begin(watched);
  write(root, 'z.html', 'other');
  assert.deepEqual(await swept(watched), ['updated /z.html']);
  renameSync(join(root, 'z.html'), join(root, 'a.html'));
  // More files than one batch of writes lie between the two names.
  for (let i = 0; i < 600; i++) write(root, `m${i}.html`);
  await watched.detector.sweep();
  const changes = await watched.compare();
  const there = changes.find(({ page }) => page.url === '/a.html')!;
  assert.equal((await memory.find('0/a.html'))!.updates, there.page.updates);
});
