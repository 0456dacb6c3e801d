import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import {
  type FSWatcher,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  type watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FolderEvents } from '../../../src/watcher/detect/folder-events.ts';
import { NoticeBook } from '../../../src/watcher/memory/notices.ts';
import type { Change } from '../../../src/watcher/records.ts';
import { ManualClock } from '../../fetch/manual-clock.ts';
import { seeded } from './make-page.ts';
import { Mutator } from './mutate.ts';
import { type Watched, watchFolder } from './watched-folder.ts';

const DEADLINE_MS = 20_000;

function write(root: string, path: string, content = path): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), content);
}

/** Resolves when the changes that the test waits for have been recorded. */
async function noted(
  watched: Watched,
  act: () => void,
  isAll: (changes: readonly Change[]) => boolean,
): Promise<string[]> {
  const changes: Change[] = [];
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      stop();
      reject(new Error(`only ${JSON.stringify(changes.map(({ kind, page }) => [kind, page.url]))}`));
    }, DEADLINE_MS);
    const stop = watched.memory.onChange((more) => {
      changes.push(...more);
      if (!isAll(changes)) return;
      stop();
      clearTimeout(timer);
      resolve();
    });
    act();
  });
  return changes.map(({ kind, page, from, to }) => [kind, page.url, from ?? to ?? ''].join(' ').trim());
}

async function started(t: TestContext, fill: (root: string) => void): Promise<Watched> {
  const watched = await watchFolder(t, fill, { everyMs: 3_600_000, debounceMs: 50 });
  const { detector, memory } = watched;
  await detector.sweep();
  const { sweptAtMs } = memory;
  detector.start();
  // The sweep that `start` begins also starts watching the folders.
  while (memory.sweptAtMs === sweptAtMs) await new Promise((resolve) => setImmediate(resolve));
  await watched.reader.list(watched.memory);
  return watched;
}

test('changes in a watched folder are recorded without a sweep', async (t) => {
  const watched = await started(t, (root) =>
    ['a.html', 'd/b.html', 'd/e/c.html', 'index.htm'].map((path) => write(root, path)),
  );
  const { root, memory } = watched;
  const sweptAtMs = memory.sweptAtMs;
  const one = async (act: () => void, expected: readonly string[]) => {
    const found = await noted(watched, act, (changes) => changes.length >= expected.length);
    assert.deepEqual(found, expected);
    await watched.compare();
  };
  await one(() => write(root, 'd/b.html', 'other'), ['updated /d/b.html']);
  await one(() => write(root, 'd/new.html'), ['new /d/new.html']);
  await one(() => unlinkSync(join(root, 'd/new.html')), ['deleted /d/new.html']);
  await one(
    () => renameSync(join(root, 'd/b.html'), join(root, 'a0.html')),
    ['deleted /d/b.html /a0.html', 'new /a0.html /d/b.html'],
  );
  await one(() => write(root, 'index.html'), ['updated /']);
  await one(() => unlinkSync(join(root, 'index.html')), ['updated /']);
  const folder = await noted(
    watched,
    () => ['x/1.html', 'x/y/2.html', 'x/y/3.html'].map((path) => write(root, path)),
    (changes) => changes.length >= 3,
  );
  assert.deepEqual(folder.sort(), ['new /x/1.html', 'new /x/y/2.html', 'new /x/y/3.html']);
  await one(() => write(root, 'x/y/2.html', 'other'), ['updated /x/y/2.html']);
  await one(
    () => renameSync(join(root, 'x/y'), join(root, 'd/y')),
    [
      'deleted /x/y/2.html /d/y/2.html',
      'new /d/y/2.html /x/y/2.html',
      'deleted /x/y/3.html /d/y/3.html',
      'new /d/y/3.html /x/y/3.html',
    ],
  );
  await one(() => write(root, 'd/y/3.html', 'at its new place'), ['updated /d/y/3.html']);
  await one(() => rmSync(join(root, 'd/e'), { recursive: true }), ['deleted /d/e/c.html']);
  await one(() => write(root, 'd/e', 'a file now'), ['new /d/e']);
  assert.equal(memory.sweptAtMs, sweptAtMs, 'all changes were found by events');
  assert.deepEqual(watched.notices, []);
});

test('if the link of a root is switched to a new release, the new folder is watched', async (t) => {
  const watched = await started(t, (root) => {
    for (const number of [1, 2]) {
      write(`${root}-${number}`, 'index.html', `release ${number}`);
      write(`${root}-${number}`, `only-${number}/a.html`);
    }
    rmSync(root, { recursive: true });
    symlinkSync(`${root}-1`, `${root}-current`);
    symlinkSync(`${root}-current`, root);
  });
  const { root, detector } = watched;
  symlinkSync(`${root}-2`, `${root}-next`);
  renameSync(`${root}-next`, `${root}-current`);
  await detector.sweep();
  const found = await noted(
    watched,
    () => {
      // Nothing is reported about a folder that is no longer served.
      write(`${root}-1`, 'only-1/b.html');
      write(`${root}-2`, 'only-2/b.html');
      write(`${root}-2`, 'index.html', 'changed');
    },
    (changes) => changes.some(({ page }) => page.url === '/') && changes.length >= 2,
  );
  assert.deepEqual(found.sort(), ['new /only-2/b.html', 'updated /']);
  await watched.compare();
});

test('with events and sweeps at the same time, each change is recorded once', async (t) => {
  const random = seeded(Number(process.env.WATCHER_SEED ?? 5));
  let mutator: Mutator | null = null;
  let isBusy = false;
  const watched = await watchFolder(
    t,
    (root) => {
      mutator = new Mutator(root, random);
      mutator.fill(600);
    },
    {
      everyMs: 3_600_000,
      debounceMs: 1,
      filesPerPause: 15,
      maxWatchedFolders: 20,
      maxHeld: 20,
      onPause: () => {
        if (isBusy) for (let each = random(3); each > 0; each--) mutator!.step();
      },
    },
    { maxOverlay: 60 },
  );
  const { detector, memory, reader } = watched;
  detector.start();
  while (!memory.isComplete) await detector.sweep();
  await reader.list(memory);
  memory.onChange((changes) => {
    for (const change of changes) reader.take(change);
  });
  for (let round = 0; round < 6; round++) {
    isBusy = true;
    for (let sweep = 0; sweep < 3; sweep++) await detector.sweep();
    isBusy = false;
    await detector.sweep();
    await watched.compare();
  }
  assert.ok(reader.cursor > 100, `only ${reader.cursor} changes`);
});

const ENOSPC = Object.assign(new Error('no more watches'), { code: 'ENOSPC' });

function fakeEvents(t: TestContext, maxFolders: number, allowed: number) {
  const base = mkdtempSync(join(tmpdir(), 'events-'));
  t.after(() => rmSync(base, { recursive: true }));
  const codes: string[] = [];
  const clock = new ManualClock();
  const open = new Map<string, (kind: string, name: string | null) => void>();
  let due = 0;
  const fake = ((path: string, _: unknown, listener: (kind: string, name: string | null) => void) => {
    if (open.size >= allowed) throw ENOSPC;
    open.set(path, listener);
    return Object.assign(new EventEmitter(), { close: () => open.delete(path) }) as unknown as FSWatcher;
  }) as typeof watch;
  const events = new FolderEvents({
    maxFolders,
    maxQueued: 3,
    debounceMs: 100,
    clock,
    notices: new NoticeBook(({ code }) => codes.push(code)),
    onDue: () => due++,
    watch: fake,
  });
  const offer = (form: string) => {
    mkdirSync(join(base, form), { recursive: true });
    events.offer(form, join(base, form));
  };
  const prefer = (form: string) => {
    mkdirSync(join(base, form), { recursive: true });
    events.prefer(form, join(base, form));
  };
  const watchedForms = () => [...open.keys()].map((path) => path.slice(base.length + 1)).sort();
  const fire = (form: string, name: string | null) => open.get(join(base, form))!('rename', name);
  return { events, clock, codes, offer, prefer, watchedForms, fire, due: () => due };
}

test('the number of watched folders is limited to those nearest the root and those that changed last', (t) => {
  const { offer, prefer, watchedForms, events } = fakeEvents(t, 4, 100);
  for (const form of ['0/', '0/a/', '0/a/b/', '0/a/b/c/', '0/d/']) offer(form);
  assert.deepEqual(watchedForms(), ['0/', '0/a/', '0/d/']);
  prefer('0/a/b/c/');
  prefer('0/x/y/z/');
  assert.deepEqual(watchedForms(), ['0/', '0/a/', '0/d/', '0/x/y/z/']);
  events.forget('0/a/');
  assert.deepEqual(watchedForms(), ['0/', '0/d/', '0/x/y/z/']);
  events.close();
  assert.deepEqual(watchedForms(), []);
});

test('a folder that a complete sweep did not visit is no longer watched', (t) => {
  const { offer, prefer, watchedForms, events } = fakeEvents(t, 8, 100);
  events.beginSweep();
  for (const form of ['0/', '0/a/', '0/b/']) offer(form);
  prefer('0/c/');
  events.endSweep();
  assert.deepEqual(watchedForms(), ['0/', '0/a/', '0/b/', '0/c/']);
  events.beginSweep();
  for (const form of ['0/', '0/b/']) offer(form);
  prefer('0/d/');
  events.endSweep();
  assert.deepEqual(watchedForms(), ['0/', '0/b/', '0/d/']);
});

test('if the system allows no more watches, one notice is sent and sweeps cover the rest', (t) => {
  const { offer, codes, watchedForms } = fakeEvents(t, 100, 2);
  for (const form of ['0/', '0/a/', '0/b/', '0/c/', '0/d/']) offer(form);
  assert.deepEqual(watchedForms(), ['0/', '0/a/']);
  assert.deepEqual(codes, ['watch-limit']);
});

test('events are collected into a batch after a delay, and a full queue is reported as an overflow', (t) => {
  const { offer, fire, clock, events, due } = fakeEvents(t, 100, 100);
  offer('0/');
  fire('0/', 'a');
  fire('0/', 'a');
  fire('0/', 'ü');
  clock.advance(99);
  assert.equal(events.isDue, false);
  clock.advance(1);
  assert.equal(due(), 1);
  assert.deepEqual(events.take(), { forms: ['0/a', '0/\\u00fc'], isOverflown: false });
  for (const name of ['a', 'b', 'c', 'd', null]) fire('0/', name);
  clock.advance(100);
  assert.deepEqual(events.take(), { forms: ['0/a', '0/b', '0/c'], isOverflown: true });
  assert.equal(events.isDue, false);
});
