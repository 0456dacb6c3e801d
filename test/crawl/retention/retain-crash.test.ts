/**
 * Tests retention at the worst moments: killed after each step, with a full disk, and beside other processes that read.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { compareFolder } from '../../../src/archive/folder-state.ts';
import { OrbweaverError } from '../../../src/core/errors.ts';
import type { KeepRule } from '../../../src/core/options/keep-rule.ts';
import { mendArchive } from '../../../src/crawl/mending/mend-archive.ts';
import { retain } from '../../../src/crawl/retention/retain.ts';
import type { Store } from '../../../src/store/contract.ts';
import { openSqliteStore, readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { type Mounted, mountTmpfs } from '../../store/mount-tmpfs.ts';
import { NOW_MS } from '../../store/rows.ts';
import { dataFolder } from '../stored-crawl.ts';
import { type Answer, VersionedCopy } from './rounds-of-versions.ts';

const KILLED = join(import.meta.dirname, 'retain-until-killed.ts');
const READER = join(import.meta.dirname, 'read-repeatedly.ts');
const TWO: KeepRule = { kind: 'newest', contents: 2 };

async function inStore<T>(copy: VersionedCopy, work: (store: Store) => Promise<T>): Promise<T> {
  const store = openSqliteStore(copy.dir, NOW_MS);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Mends as the next start does. Afterwards the archive has exactly the files that the store knows. */
async function mend(copy: VersionedCopy): Promise<readonly string[]> {
  return inStore(copy, async (store) => {
    const { longer, shorter, absent, unknown } = compareFolder(copy.archiveDir, await store.archiveFiles());
    assert.deepEqual([longer, shorter, absent], [[], [], []], 'no committed byte is missing');
    await mendArchive(store, copy.archiveDir);
    assert.deepEqual(copy.files(), [...(await store.archiveFiles()).keys()].sort());
    return unknown;
  });
}

async function versionsIn(
  t: TestContext,
  seed: number,
  dir = dataFolder(t),
  bodyBytes?: number,
): Promise<VersionedCopy> {
  const copy = new VersionedCopy(dir, 10, new SeededRandom(seed), bodyBytes);
  for (let n = 0; n < 7; n++) await copy.round();
  return copy;
}

test('after kill -9 at each step, all kept versions can be read, and the next start leaves no garbage', async (t) => {
  const copy = await versionsIn(t, 21);
  const saved = join(dataFolder(t), 'saved');
  cpSync(copy.dir, saved, { recursive: true });
  const before = await copy.readBack();
  await inStore(copy, (store) => retain(store, copy.archiveDir, TWO, copy.nowMs, { neededShare: 1 }));
  const kept = await copy.readBack();
  const bytes = copy.bytesOnDisk();

  const killedAt: string[] = [];
  let garbage = 0;
  for (let steps = 1; ; steps++) {
    rmSync(copy.dir, { recursive: true });
    cpSync(saved, copy.dir, { recursive: true });
    const words = [KILLED, copy.dir, String(copy.nowMs), String(steps)];
    const { signal, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 60_000 });
    if (signal === null) {
      assert.equal(stdout, 'all', stderr);
      break;
    }
    assert.equal(signal, 'SIGKILL');
    killedAt.push(stdout);
    assertBetween(await copy.readBack(), before, kept);
    garbage += (await mend(copy)).length;
    assertBetween(await copy.readBack(), before, kept);
    await inStore(copy, (store) => retain(store, copy.archiveDir, TWO, copy.nowMs, { neededShare: 1 }));
    assert.deepEqual(await copy.readBack(), kept);
    assert.deepEqual(await mend(copy), []);
    // The records are the same whichever way they were written. Only the number of file headers may differ by one.
    assert.ok(Math.abs(copy.bytesOnDisk() - bytes) < 2_000, `${copy.bytesOnDisk()} and ${bytes}`);
  }
  assert.deepEqual(new Set(killedAt), new Set(['dropped', 'copied', 'written', 'moved', 'synced', 'removed']));
  assert.ok(killedAt.length >= 8 && garbage >= 4, `${killedAt.join()}; ${garbage} files were left behind`);
});

/** Asserts that nothing that must be kept is missing, and that nothing new is there. */
function assertBetween(now: Map<string, Answer[]>, before: Map<string, Answer[]>, kept: Map<string, Answer[]>): void {
  for (const [url, answers] of now) {
    for (const answer of kept.get(url)!) assert.ok(answers.includes(answer), `${url} of ${answer.atMs} is lost`);
    for (const answer of answers) assert.ok(before.get(url)!.includes(answer));
  }
}

test('a full disk gives a clear error and leaves no partial file; with space, retention completes', async (t) => {
  const dir = dataFolder(t);
  mkdirSync(join(dir, 'archive'));
  const mount = mountTmpfs(join(dir, 'archive'), 'size=64m');
  if (typeof mount === 'string') return t.skip(mount);
  try {
    await fillDisk(t, dir, mount);
  } finally {
    mount.unmount();
  }
});

async function fillDisk(t: TestContext, dir: string, mount: Mounted): Promise<void> {
  const copy = await versionsIn(t, 22, dir, 60_000);
  const before = { files: copy.files(), answers: await copy.readBack() };
  mount.remount(`size=${Math.ceil(copy.bytesOnDisk() / 1024) + 100}k`);
  await inStore(copy, async (store) => {
    const full = { code: 'ERR_DISK_FULL', message: /the disk is full; make room and start again/ };
    await assert.rejects(retain(store, copy.archiveDir, TWO, copy.nowMs, { neededShare: 1 }), full);
  });
  const left = copy.files();
  assert.ok(left.length > 0 && left.every((file) => before.files.includes(file)), 'no file but old ones');
  const kept = await copy.readBack();
  assertBetween(kept, before.answers, kept);
  assert.deepEqual(await mend(copy), []);
  mount.remount('size=64m');
  const done = await inStore(copy, (store) => retain(store, copy.archiveDir, TWO, copy.nowMs, { neededShare: 1 }));
  assert.ok(done.files > 0 && done.bytesFreed > 0);
  assert.deepEqual(await copy.readBack(), kept);
}

test('if the store cannot save the move, the new file is removed and the old files are unchanged', async (t) => {
  const copy = await versionsIn(t, 23);
  const files = copy.files();
  await inStore(copy, async (store) => {
    const full = new OrbweaverError('ERR_DISK_FULL', 'no room for the log');
    const refusing = {
      dropCaptures: store.dropCaptures.bind(store),
      wastefulFiles: store.wastefulFiles.bind(store),
      revisitsAlone: store.revisitsAlone.bind(store),
      capturesIn: store.capturesIn.bind(store),
      archiveFiles: store.archiveFiles.bind(store),
      sync: store.sync.bind(store),
      note: store.note.bind(store),
      setNote: store.setNote.bind(store),
      moveCaptures: () => Promise.reject(full),
    };
    await assert.rejects(retain(refusing, copy.archiveDir, TWO, copy.nowMs, { neededShare: 1 }), full);
  });
  assert.deepEqual(copy.files(), files);
  await copy.readBack();
});

test('retention needs a writable store', async (t) => {
  const copy = await versionsIn(t, 24);
  const reader = readSqliteStore(copy.dir);
  t.after(() => reader.close());
  await assert.rejects(retain(reader, copy.archiveDir, TWO, copy.nowMs), { code: 'ERR_STORE' });
  const before = await copy.readBack();
  await inStore(copy, async (store) => {
    assert.throws(() => openSqliteStore(copy.dir, NOW_MS), { code: 'ERR_LOCKED' });
    await retain(store, copy.archiveDir, { kind: 'all' }, copy.nowMs);
  });
  assert.deepEqual(await copy.readBack(), before);
});

test('a concurrent reader finds every newest response, even with a capture from before the move', async (t) => {
  const copy = new VersionedCopy(dataFolder(t), 10, new SeededRandom(25));
  for (let n = 0; n < 5; n++) await copy.round();
  const words = [READER, copy.dir, ...[...copy.answers].filter(([, all]) => all.length > 0).map(([url]) => url)];
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const passes: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => passes.push(line));
  let freed = 0;
  for (let n = 0; n < 12; n++) {
    // At least one full pass happens between two rewrites, so that a record is at most one rewrite old.
    for (const seen = passes.length; passes.length < seen + 2; ) await once(lines, 'line');
    await copy.round();
    const one: KeepRule = { kind: 'newest', contents: 1 };
    freed += (await inStore(copy, (store) => retain(store, copy.archiveDir, one, copy.nowMs, { neededShare: 1 })))
      .files;
  }
  child.stdin.end();
  assert.deepEqual(await ended, [0, null]);
  assert.deepEqual(new Set(passes), new Set(['whole']));
  assert.ok(passes.length >= 24 && freed >= 12, `${passes.length} passes, ${freed} files given up`);
});
