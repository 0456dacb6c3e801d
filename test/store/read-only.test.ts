/**
 * Tests reading with the embedded engine without write access: other users, read-only media,
 * the rest of a killed crawl, a running crawl.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, type TestContext, test } from 'node:test';
import { openSqliteStore, readSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { allowWriting, contentOf, forbidWriting, isRoot } from './another-user.ts';
import { temporaryFolder } from './fresh-store.ts';
import { mountTmpfs } from './mount-tmpfs.ts';
import { allUrls, claimOne, commit, everything, found, NOW_MS, page, resultOf } from './rows.ts';
import { killAfter } from './sqlite/kill-after.ts';

const needsRoot = isRoot ? false : 'a writer beside a reader without rights needs two users, and so root';

/** A folder that a test may make read-only. It is removed anyway. */
function lockableFolder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-read-only-'));
  t.after(() => {
    allowWriting(dir);
    rmSync(dir, { recursive: true });
  });
  return dir;
}

/** A crawl that ended normally: everything is in the one database file. */
async function endedCrawl(dir: string): Promise<void> {
  const store = openSqliteStore(dir, NOW_MS);
  await store.seed([found('http://a.test/')], NOW_MS);
  const lease = await claimOne(store);
  const foundLinks = Array.from({ length: 20 }, (_, i) => found(`http://a.test/${i}`));
  await commit(store, [resultOf(lease, lease.urls[0]!, { page: page('x'), foundLinks })]);
  await store.close();
}

/** Killed once, and copied for each test. */
let killed: string;
before(async () => {
  killed = mkdtempSync(join(tmpdir(), 'orbweaver-killed-'));
  await killAfter('commit-until-killed.ts', [killed], 10);
});
after(() => rmSync(killed, { recursive: true }));

/** A crawl that was killed: most of its commits are only in the write-ahead log. */
async function killedCrawl(dir: string): Promise<void> {
  cpSync(killed, dir, { recursive: true });
  assert.ok(statSync(join(dir, 'crawl.db-wal')).size > 0);
}

/**
 * The content of a folder as a writer sees it, after it has recovered what the
 * crawl left. A copy of the folder is used.
 */
async function truthOf(t: TestContext, dir: string): Promise<unknown> {
  const copy = join(temporaryFolder(t), 'copy');
  cpSync(dir, copy, { recursive: true });
  allowWriting(copy);
  const store = openSqliteStore(copy, NOW_MS);
  const truth = asRead(await everything(store));
  await store.close();
  return truth;
}

/** Keeps the comparable fields: leases end when a writer opens the folder, and JSON loses a Map. */
function asRead(value: unknown): unknown {
  const { urls, counts, captures, changes, visits } = JSON.parse(JSON.stringify(value));
  return { urls, counts, captures, changes, visits };
}

/** A reader in a process without write access. */
function reader(t: TestContext, dir: string) {
  const program = join(import.meta.dirname, 'read-without-writing.ts');
  const child = spawn(process.execPath, [program, dir], { stdio: ['pipe', 'pipe', 'pipe'] });
  t.after(() => child.kill());
  let errors = '';
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (what: 'everything' | 'urls') => {
    child.stdin.write(`${what}\n`);
    const { value, done } = await lines.next();
    assert.ok(!done, errors);
    return JSON.parse(value);
  };
  const end = async () => {
    child.stdin.end();
    assert.deepEqual(await once(child, 'exit'), [0, null], errors);
  };
  return { ask, end };
}

const LEFT_BEHIND = {
  'a crawl that ended': endedCrawl,
  'a crawl that was killed': killedCrawl,
  'a crawl that was killed, copied without the index of its log': async (dir) => {
    await killedCrawl(dir);
    rmSync(join(dir, 'crawl.db-shm'));
  },
  'a crawl that ended beside a reader, which leaves an empty log': async (dir) => {
    await endedCrawl(dir);
    writeFileSync(join(dir, 'crawl.db-wal'), '');
    writeFileSync(join(dir, 'crawl.db-shm'), Buffer.alloc(32_768));
  },
} satisfies Record<string, (dir: string) => Promise<void>>;

for (const [name, make] of Object.entries(LEFT_BEHIND)) {
  test(`without write access: ${name}`, async (t) => {
    const dir = lockableFolder(t);
    await make(dir);
    const truth = await truthOf(t, dir);
    forbidWriting(dir);
    const before = contentOf(dir);
    const { ask, end } = reader(t, dir);
    assert.deepEqual(asRead(await ask('everything')), truth);
    await end();
    assert.deepEqual(contentOf(dir), before, 'nothing was written');
  });

  test(`on media that were made read-only: ${name}`, async (t) => {
    const dir = temporaryFolder(t);
    const mount = mountTmpfs(dir, 'mode=755');
    if (typeof mount === 'string') return t.skip(mount);
    try {
      await make(dir);
      for (const file of ['crawl.db', 'crawl.db-wal', 'crawl.db-shm']) {
        if (existsSync(join(dir, file))) chmodSync(join(dir, file), 0o644);
      }
      const truth = await truthOf(t, dir);
      mount.remount('ro');
      const store = readSqliteStore(dir);
      assert.deepEqual(asRead(await everything(store)), truth, 'by root');
      await store.close();
      const { ask, end } = reader(t, dir);
      assert.deepEqual(asRead(await ask('everything')), truth, 'by another user');
      await end();
    } finally {
      mount.unmount();
    }
  });
}

test('a reader with write access also leaves the folder of an ended crawl unchanged', async (t) => {
  const dir = temporaryFolder(t);
  await endedCrawl(dir);
  const before = contentOf(dir);
  const store = readSqliteStore(dir);
  await everything(store);
  await store.close();
  assert.deepEqual(contentOf(dir), before);
});

test('a reader that opened first sees the commits of a later writer, and the state after its end', async (t) => {
  const dir = temporaryFolder(t);
  await endedCrawl(dir);
  const store = readSqliteStore(dir);
  t.after(() => store.close());
  const known = (await allUrls(store)).length;
  for (let round = 1; round <= 3; round++) {
    const writer = openSqliteStore(dir, NOW_MS);
    await writer.seed([found(`http://b.test/${round}`)], NOW_MS);
    assert.equal((await allUrls(store)).length, known + round, 'under way');
    await writer.close();
    assert.equal((await allUrls(store)).length, known + round, 'after its end');
  }
  await assert.rejects(store.setNote('a', 'b'), { code: 'ERR_STORE' });
});

test('an iteration continues over its first state when a writer starts', async (t) => {
  const dir = temporaryFolder(t);
  await killedCrawl(dir);
  const all = openSqliteStore(dir, NOW_MS);
  let captures = 0;
  for await (const _ of all.captures((url) => url)) captures++;
  await all.close();
  const store = readSqliteStore(dir);
  let seen = 0;
  for await (const _ of store.captures((url) => url)) {
    if (seen++ > 0) continue;
    const writer = openSqliteStore(dir, NOW_MS);
    await writer.seed([found('http://b.test/')], NOW_MS);
    assert.ok(
      (await store.urls(0, 1_000)).some(({ url }) => url === 'http://b.test/'),
      'another call sees it',
    );
    await writer.close();
  }
  assert.equal(seen, captures);
  await store.close();
});

test('reading works beside a crawl of another user that is killed and restarted', { skip: needsRoot }, async (t) => {
  const dir = temporaryFolder(t);
  await endedCrawl(dir);
  chmodSync(dir, 0o755);
  chmodSync(join(dir, 'crawl.db'), 0o644);
  const { ask, end } = reader(t, dir);
  let most = 0;
  const check = async () => {
    const ids = (await ask('urls')) as number[];
    assert.deepEqual(
      ids,
      Array.from(ids, (_, i) => i + 1),
      'every URL, and each once',
    );
    assert.ok(ids.length >= most, `${ids.length} after ${most}`);
    most = ids.length;
  };
  for (let round = 0; round < 2; round++) {
    await check();
    // The writer continues while the reader reads. Lines that arrive after the kill start no further checks.
    let checks = 0;
    await killAfter('commit-until-killed.ts', [dir], 15, async () => void (checks++ < 15 && (await check())));
    await check();
  }
  await end();
  const store = readSqliteStore(dir);
  assert.equal((await allUrls(store)).length, most, 'the last that it saw is all there is');
  await store.close();
});

test('a folder that this user may not read is refused with an explanation', async (t) => {
  const dir = lockableFolder(t);
  await endedCrawl(dir);
  forbidWriting(dir);
  for (const path of [join(dir, 'crawl.db'), dir]) {
    chmodSync(path, 0);
    const message = new RegExp(`may not read the crawl in ${dir} .*; let its owner run: chmod -R go\\+rX ${dir}`);
    await assert.rejects(reader(t, dir).ask('urls'), message);
  }
});
