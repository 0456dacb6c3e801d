import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs, {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../src/core/clock.ts';
import { formOf, keyOf } from '../../../src/watcher/memory/key-order.ts';
import type { Notice } from '../../../src/watcher/memory/notices.ts';
import { type MemoryOptions, type NewChange, SiteMemory } from '../../../src/watcher/memory/site-memory.ts';
import type { WatchedPage } from '../../../src/watcher/records.ts';
import { mountTmpfs } from '../../store/mount-tmpfs.ts';
import { makePage, seeded } from '../detect/make-page.ts';

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'memory-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

function change(kind: NewChange['kind'], page: WatchedPage, over: Partial<NewChange> = {}): NewChange {
  return { kind, atMs: 5, page, was: kind === 'new' ? null : page.hash, from: null, to: null, ...over };
}

/** Opens a memory and completes it with these pages. */
async function memoryWith(folder: string, keys: readonly string[], options: MemoryOptions = {}): Promise<SiteMemory> {
  const memory = await SiteMemory.open(folder, systemClock, options);
  const listing = memory.firstListing();
  const forms = keys.map(formOf).sort();
  for (const form of forms) listing.add(makePage(keyOf(form)));
  await listing.finish(1, [9]);
  return memory;
}

async function allPages(memory: SiteMemory, step = 100): Promise<WatchedPage[]> {
  const all: WatchedPage[] = [];
  for (let after: string | null = null; ; ) {
    const part: readonly WatchedPage[] = await memory.pages(after, step);
    if (part.length === 0) return all;
    all.push(...part);
    after = part.at(-1)!.key;
  }
}

test('W1 W2 a memory is complete only when it has the pages of the first sweep', async (t) => {
  const seen: string[] = [];
  const memory: SiteMemory = await SiteMemory.open(newFolder(t), systemClock, {
    prepare: async () => {
      const pages = await memory.pages(null, 10);
      seen.push(`complete: ${memory.isComplete}, pages: ${pages.length}`);
    },
  });
  const listing = memory.firstListing();
  listing.add(makePage('0/a.html'));
  await listing.finish(1, [9]);
  assert.deepEqual(seen, ['complete: false, pages: 0']);
  assert.deepEqual([memory.isComplete, (await allPages(memory)).length, memory.pageCount], [true, 1, 1]);
  await memory.close();
});

const ODD = [
  '0/a b.html',
  '0/a.html',
  '0/a/x.html',
  '0/a!',
  '0/a"q".html',
  '0/a\\b',
  '0/a\nb',
  '0/ä.html',
  '0/😀.html',
  '0/\uffee',
  '0/a0',
  '10/z',
  '2/z',
  '~/docs/',
];

test('pages with any names are found, and are listed in a fixed order', async (t) => {
  const memory = await memoryWith(newFolder(t), ODD);
  for (const key of ODD) assert.deepEqual(await memory.find(key), makePage(key), key);
  assert.equal(await memory.find('0/'), null);
  assert.equal(await memory.find('0/a'), null);
  const keys = (await allPages(memory, 3)).map(({ key }) => key);
  assert.deepEqual(keys.map(formOf), ODD.map(formOf).sort());
  assert.equal(memory.pageCount, ODD.length);
  await memory.close();
});

test('the memory equals a plain map, through folds, merges and restarts', async (t) => {
  const folder = newFolder(t);
  const random = seeded(7);
  const keys = Array.from(
    { length: 3_000 },
    (_, at) => `0/d${at % 37}/${(at * 7919) % 3_000}${'x'.repeat(at % 90)}.html`,
  );
  let memory = await memoryWith(folder, keys.slice(0, 2_000), { maxOverlay: 50 });
  const model = new Map(keys.slice(0, 2_000).map((key) => [key, makePage(key)]));
  const log: { seq: number; key: string }[] = [];
  for (let round = 0; round < 120; round++) {
    const batch: NewChange[] = [];
    const seen = new Set<string>();
    for (let each = 0; each < 1 + random(20); each++) {
      const key = keys[random(keys.length)]!;
      if (seen.has(key)) continue;
      seen.add(key);
      const page = model.get(key);
      if (page === undefined) batch.push(change('new', makePage(key, { hash: `h${round}` })));
      else if (random(3) === 0) batch.push(change('deleted', page));
      else if (random(2) === 0)
        batch.push(change('updated', { ...page, hash: `h${round}`, updates: page.updates + 1 }));
      else {
        const touched = { ...page, stamp: { ...page.stamp, ctimeMs: round + 0.25 } };
        memory.touch(touched);
        model.set(key, touched);
      }
    }
    for (const noted of await memory.note(batch)) {
      log.push({ seq: noted.seq, key: noted.page.key });
      if (noted.kind === 'deleted') model.delete(noted.page.key);
      else model.set(noted.page.key, noted.page);
    }
    await memory.relieve();
    if (round % 30 === 29) {
      await memory.close();
      memory = await SiteMemory.open(folder, systemClock, { maxOverlay: 50 });
    }
    if (round % 10 === 0) {
      const forms = [...model.keys()].map(formOf).sort();
      assert.deepEqual(
        await allPages(memory, 777),
        forms.map((form) => model.get(keyOf(form))),
      );
      assert.equal(memory.pageCount, model.size);
    }
    for (let each = 0; each < 20; each++) {
      const key = keys[random(keys.length)]!;
      assert.deepEqual(await memory.find(key), model.get(key) ?? null);
    }
  }
  assert.deepEqual(
    log.map(({ seq }) => seq),
    Array.from({ length: log.length }, (_, at) => at + 1),
  );
  for (const after of [0, 1, 500, log.length - 1, log.length]) {
    const found = (await memory.changes(after, 300)).map(({ seq, page }) => ({ seq, key: page.key }));
    assert.deepEqual(found, log.slice(after, after + 300));
  }
  await memory.close();
  assert.ok(readdirSync(folder).filter((name) => name.startsWith('pages-')).length <= 9, 'runs are merged');
});

test('a scan returns each page once, while pages are changed, folded and merged', async (t) => {
  const keys = Array.from({ length: 2_000 }, (_, at) => `0/${String(at).padStart(5, '0')}`);
  const memory = await memoryWith(newFolder(t), keys, { maxOverlay: 20 });
  const random = seeded(3);
  const met: string[] = [];
  for (const scan = memory.scan('0/'); scan.form !== null; scan.next()) {
    met.push(scan.form);
    const key = keys[random(keys.length)]!;
    const page = (await memory.find(key))!;
    if (random(2) === 0) await memory.note([change('updated', { ...page, updates: page.updates + 1 })]);
    else memory.touch({ ...page, isFresh: true });
    await memory.relieve();
  }
  assert.deepEqual(met, keys);
  await memory.close();
});

test('the journal has a maximum size, and knows its oldest complete change', async (t) => {
  const folder = newFolder(t);
  const memory = await memoryWith(folder, ['0/a'], { maxJournalBytes: 20_000 });
  const page = (await memory.find('0/a'))!;
  for (let round = 1; round <= 400; round++) await memory.note([change('updated', { ...page, hash: `h${round}` })]);
  assert.ok(memory.oldestSeq > 300 && memory.oldestSeq < 400, `${memory.oldestSeq}`);
  const kept = await memory.changes(memory.oldestSeq, 1_000);
  assert.deepEqual(
    kept.map(({ seq }) => seq),
    Array.from({ length: 400 - memory.oldestSeq }, (_, at) => memory.oldestSeq + 1 + at),
  );
  const bytes = readdirSync(folder)
    .filter((name) => name.startsWith('journal'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  assert.ok(bytes < 24_000, `${bytes}`);
  await memory.close();
});

test('listeners get each change once, after it is on disk', async (t) => {
  const folder = newFolder(t);
  const memory = await memoryWith(folder, ['0/a']);
  const received: number[] = [];
  const stop = memory.onChange((changes) => {
    const journal = readFileSync(join(folder, 'journal-1.jsonl'), 'utf8');
    for (const { seq } of changes) {
      assert.ok(journal.includes(`{"seq":${seq},`));
      received.push(seq);
    }
  });
  await Promise.all([
    memory.note([change('new', makePage('0/b'))]),
    memory.note([change('new', makePage('0/c')), change('new', makePage('0/d'))]),
  ]);
  stop();
  await memory.note([change('new', makePage('0/e'))]);
  assert.deepEqual(received, [1, 2, 3]);
  await memory.close();
});

/** Leaves the files of a killed process, which did not close them. */
async function killed(folder: string, work: string): Promise<void> {
  const at = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const program = `
    import { SiteMemory } from ${at('../../../src/watcher/memory/site-memory.ts')};
    import { systemClock } from ${at('../../../src/core/clock.ts')};
    import { makePage } from ${at('../detect/make-page.ts')};
    const memory = await SiteMemory.open(${JSON.stringify(folder)}, systemClock, { maxOverlay: 10 });
    const change = (kind, page) => ({ kind, atMs: 5, page, was: null, from: null, to: null });
    ${work}
    process.kill(process.pid, 'SIGKILL');`;
  const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  assert.equal(signal, 'SIGKILL', stderr);
}

test('a kill loses no recorded change, and leaves no lock', async (t) => {
  const folder = newFolder(t);
  await killed(folder, `for (let at = 0; at < 25; at++) await memory.note([change('new', makePage('0/' + at))]);`);
  const epoch = JSON.parse(readFileSync(join(folder, 'memory.json'), 'utf8')).epoch;
  const memory = await SiteMemory.open(folder, systemClock);
  assert.equal(memory.epoch, epoch);
  assert.equal(memory.lastSeq, 25);
  assert.equal(memory.pageCount, 25);
  assert.equal((await allPages(memory)).length, 25);
  assert.equal((await memory.note([change('new', makePage('0/x'))]))[0]!.seq, 26);
  await memory.close();
});

test('an interrupted first listing leaves no trace', async (t) => {
  const folder = newFolder(t);
  await killed(
    folder,
    `const listing = memory.firstListing(); for (let at = 0; at < 5000; at++) listing.add(makePage('0/' + (10000 + at)));`,
  );
  assert.ok(readdirSync(folder).some((name) => name.startsWith('pages-')));
  const memory = await SiteMemory.open(folder, systemClock);
  assert.equal(memory.isComplete, false);
  assert.equal(memory.pageCount, 0);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('pages-')),
    [],
  );
  await memory.close();
});

test('a partial line at the end of the journal is removed, and the next change gets its number', async (t) => {
  const folder = newFolder(t);
  const first = await memoryWith(folder, ['0/a']);
  await first.note([change('new', makePage('0/b')), change('new', makePage('0/c'))]);
  await first.close();
  appendFileSync(join(folder, 'journal-1.jsonl'), '{"seq":3,"kind":"new","atMs":5,"pa');
  const memory = await SiteMemory.open(folder, systemClock);
  assert.equal(memory.lastSeq, 2);
  const [noted] = await memory.note([change('new', makePage('0/d'))]);
  assert.equal(noted!.seq, 3);
  assert.deepEqual(
    (await memory.changes(0, 9)).map(({ page }) => page.key),
    ['0/b', '0/c', '0/d'],
  );
  await memory.close();
});

for (const [what, damage] of Object.entries({
  'a torn run': (folder: string, run: string) => truncateSync(join(folder, run), 3_000),
  'a missing run': (folder: string, run: string) => rmSync(join(folder, run)),
  'an invalid manifest': (folder: string) => writeFileSync(join(folder, 'memory.json'), '{"format":1'),
  'a missing manifest': (folder: string) => rmSync(join(folder, 'memory.json')),
})) {
  test(`${what} starts a new epoch with a notice, and no change number is used twice`, async (t) => {
    const folder = newFolder(t);
    const before = await memoryWith(
      folder,
      Array.from({ length: 100 }, (_, at) => `0/${at}`),
    );
    await before.note([change('new', makePage('0/b')), change('new', makePage('0/c'))]);
    await before.close();
    damage(folder, readdirSync(folder).find((name) => name.startsWith('pages-'))!);
    const received: Notice[] = [];
    const memory = await SiteMemory.open(folder, systemClock, { notify: (notice) => received.push(notice) });
    assert.deepEqual(
      received.map(({ code }) => code),
      ['memory-damaged'],
    );
    assert.notEqual(memory.epoch, before.epoch);
    assert.equal(memory.isComplete, false);
    assert.equal(memory.pageCount, 0);
    assert.equal(memory.oldestSeq, 2);
    assert.equal((await memory.note([change('new', makePage('0/d'))]))[0]!.seq, 3);
    await memory.close();
  });
}

test('damage in the middle of a run is detected when it is read', async (t) => {
  const folder = newFolder(t);
  const memory = await memoryWith(
    folder,
    Array.from({ length: 100 }, (_, at) => `0/${at}`),
  );
  await memory.close();
  const run = join(folder, readdirSync(folder).find((name) => name.startsWith('pages-'))!);
  const bytes = readFileSync(run);
  bytes.fill(0x20, 2_000, 2_600);
  writeFileSync(run, bytes);
  const again = await SiteMemory.open(folder, systemClock);
  const epoch = again.epoch;
  await assert.rejects(again.pages(null, 1_000), { code: 'ERR_STORE' });
  await again.beginAnew('it is damaged');
  assert.notEqual(again.epoch, epoch);
  assert.deepEqual(await again.pages(null, 10), []);
  await again.close();
});

test('a second process is refused while the first is running', async (t) => {
  const folder = newFolder(t);
  const memory = await SiteMemory.open(folder, systemClock);
  await assert.rejects(SiteMemory.open(folder, systemClock), { code: 'ERR_LOCKED' });
  await memory.close();
  // The process id belongs to a running process, but not to the one that made the lock.
  writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: process.ppid, started: 'long ago' }));
  await (await SiteMemory.open(folder, systemClock)).close();
  for (const text of ['', '{"pid":', '{"pid":4194303,"started":""}']) {
    writeFileSync(join(folder, 'lock'), text);
    await (await SiteMemory.open(folder, systemClock)).close();
  }
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('lock')),
    [],
  );
});

test('a folder that cannot be created is an error, and missing parent folders are created', async (t) => {
  const folder = newFolder(t);
  await (await SiteMemory.open(join(folder, 'a/b/c'), systemClock)).close();
  await (await SiteMemory.open(join(folder, 'a/b/c'), systemClock)).close();
  writeFileSync(join(folder, 'file'), '');
  for (const name of ['file', 'file/below']) {
    await assert.rejects(SiteMemory.open(join(folder, name), systemClock), { code: 'ERR_DIR' });
  }
  if (!existsSync('/proc/self')) return;
  // Runs in another process: a process that retried for ever would not reach its own timeout.
  const script = `
    const { SiteMemory } = await import(${JSON.stringify(import.meta.resolve('../../../src/watcher/memory/site-memory.ts'))});
    for (const name of ['/proc/xx', '/proc/xx/a/b']) {
      await SiteMemory.open(name, { now: Date.now }).catch(({ code, message }) => console.log(code, message));
    }`;
  const words = ['--input-type=module', '-e', script];
  const { stdout } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 20_000 });
  assert.match(stdout, /^(?:ERR_DIR the state folder \/proc\/xx.* cannot be used: ENOENT.*--state\n){2}$/);
});

test('a batch of changes that could be written only in part is not stored at all', async (t) => {
  const folder = newFolder(t);
  const memory = await memoryWith(folder, ['0/a']);
  await memory.note([change('new', makePage('0/b'))]);
  const write = fs.writeSync as (fd: number, bytes: Buffer, offset: number, length: number) => number;
  let writes = 0;
  const mocked = t.mock.method(fs, 'writeSync', (fd: number, bytes: Buffer, offset: number) => {
    if (writes++ > 0) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    return write(fd, bytes, offset, Math.floor((bytes.length * 2) / 3));
  });
  syncBuiltinESMExports();
  try {
    const lost = [change('new', makePage('0/lost')), change('new', makePage('0/lost-too'))];
    await assert.rejects(memory.note(lost), { code: 'ERR_DISK_FULL' });
  } finally {
    mocked.mock.restore();
    syncBuiltinESMExports();
  }
  assert.equal(writes, 2);
  // The state that a kill at this moment would leave.
  const killed = newFolder(t);
  fs.cpSync(folder, killed, { recursive: true });
  rmSync(join(killed, 'lock'));
  const left = await SiteMemory.open(killed, systemClock);
  assert.deepEqual([left.lastSeq, (await allPages(left)).map(({ key }) => key)], [1, ['0/a', '0/b']]);
  await left.close();
  await memory.note([change('new', makePage('0/c'))]);
  await memory.close();
  const again = await SiteMemory.open(folder, systemClock);
  t.after(() => again.close());
  assert.deepEqual(
    (await again.changes(0, 9)).map(({ seq, page }) => [seq, page.key]),
    [
      [1, '0/b'],
      [2, '0/c'],
    ],
  );
  assert.deepEqual(
    (await allPages(again)).map(({ key }) => key),
    ['0/a', '0/b', '0/c'],
  );
});

test('a full disk loses no recorded change', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'memory-'));
  const mounted = mountTmpfs(folder, 'size=400k');
  t.after(() => {
    if (typeof mounted !== 'string') mounted.unmount();
    rmSync(folder, { recursive: true });
  });
  if (typeof mounted === 'string') return t.skip(mounted);
  const received: string[] = [];
  const options: MemoryOptions = { maxOverlay: 100, notify: ({ code }) => received.push(code) };
  const memory = await memoryWith(folder, ['0/a'], options);
  let noted = 0;
  await assert.rejects(
    async () => {
      for (; noted < 5_000; noted++) await memory.note([change('new', makePage(`0/${noted}`))]);
    },
    { code: 'ERR_DISK_FULL' },
  );
  assert.equal(memory.lastSeq, noted);
  mounted.remount('size=4m');
  await memory.note([change('new', makePage('0/last'))]);
  assert.equal(memory.lastSeq, noted + 1);
  await memory.close();
  const again = await SiteMemory.open(folder, systemClock, options);
  assert.equal(again.pageCount, noted + 2);
  assert.equal((await allPages(again)).length, noted + 2);
  await again.close();
});

test('closing does not wait for a pause of the pace', async (t) => {
  const folder = newFolder(t);
  const keys = Array.from({ length: 5_000 }, (_, at) => `0/${10_000 + at}`);
  let rests = 0;
  const pause = () => {
    rests++;
    return new Promise<void>(() => {});
  };
  const memory = await memoryWith(folder, keys, { maxOverlay: 2_500, pause });
  for (const key of keys.slice(0, 2_500)) memory.touch(makePage(key, { isFresh: true }));
  await memory.relieve();
  for (const key of keys.slice(2_500)) memory.touch(makePage(key, { isFresh: true }));
  await memory.relieve();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(rests, 1);
  await memory.close();
  const again = await SiteMemory.open(folder, systemClock);
  const pages = await allPages(again, 1_000);
  assert.equal(pages.length, 5_000);
  assert.ok(pages.every(({ isFresh }) => isFresh));
  await again.close();
});
