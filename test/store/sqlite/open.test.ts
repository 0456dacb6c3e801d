/** Tests the opening of the embedded engine: layout, lock, and everything that can be wrong with a folder. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { FIRST_TOUCH } from '../../../src/store/contract.ts';
import { patternKey } from '../../../src/store/rules/pattern-budget-rule.ts';
import { MIGRATIONS } from '../../../src/store/sqlite/schema.ts';
import { openSqliteStore, readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { urlKeyHex } from '../../../src/url/key.ts';
import { pathPattern } from '../../../src/url/traps/path-pattern.ts';
import { sketchWith } from '../../content/compare-sketches.ts';
import { temporaryFolder } from '../fresh-store.ts';
import { mountTmpfs } from '../mount-tmpfs.ts';
import { allUrls, claimOne, commit, everything, found, NOW_MS, page, recordOf, resultOf } from '../rows.ts';

/** A folder with a small crawl, closed. */
async function smallCrawl(t: TestContext): Promise<string> {
  const dir = temporaryFolder(t);
  const store = openSqliteStore(dir, NOW_MS);
  await store.seed([found('http://a.test/')], NOW_MS);
  const lease = await claimOne(store);
  const foundLinks = Array.from({ length: 200 }, (_, i) => found(`http://a.test/${i}`));
  await commit(store, [resultOf(lease, lease.urls[0]!, { page: page('x'), foundLinks })]);
  await store.close();
  return dir;
}

function sql(dir: string, text: string): void {
  const db = new DatabaseSync(join(dir, 'crawl.db'));
  db.exec(text);
  db.close();
}

test('a new folder and its parent folders are created, with the newest layout', async (t) => {
  const dir = join(temporaryFolder(t), 'deep', 'er');
  await openSqliteStore(dir, NOW_MS).close();
  const db = new DatabaseSync(join(dir, 'crawl.db'), { readOnly: true });
  assert.equal(db.prepare('PRAGMA user_version').get()?.user_version, MIGRATIONS.length);
  assert.equal(db.prepare('PRAGMA journal_mode').get()?.journal_mode, 'wal');
  assert.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
  db.close();
});

test('a migration runs completely or not at all, and a crash does not block the next start', async (t) => {
  const dir = temporaryFolder(t);
  const db = new DatabaseSync(join(dir, 'crawl.db'));
  db.exec(`BEGIN; CREATE TABLE notes (name TEXT)`);
  db.close();
  const store = openSqliteStore(dir, NOW_MS);
  await store.setNote('a', 'b');
  assert.equal(await store.note('a'), 'b');
  await store.close();
});

test('a folder of a newer version is refused for writing and reading, and no byte of it changes', async (t) => {
  const dir = await smallCrawl(t);
  sql(dir, `PRAGMA user_version = ${MIGRATIONS.length + 1}; PRAGMA journal_mode = DELETE;`);
  const before = readFileSync(join(dir, 'crawl.db'));
  assert.throws(() => openSqliteStore(dir, NOW_MS), { code: 'ERR_NEWER_SCHEMA', message: /newer orbweaver/ });
  assert.throws(() => readSqliteStore(dir), { code: 'ERR_NEWER_SCHEMA' });
  assert.ok(before.equals(readFileSync(join(dir, 'crawl.db'))));
  sql(dir, `PRAGMA user_version = ${MIGRATIONS.length}`);
  await openSqliteStore(dir, NOW_MS).close();
});

test('a folder of an older version is refused for reading, and the message says what to do', async (t) => {
  const dir = await smallCrawl(t);
  sql(dir, 'PRAGMA user_version = 0');
  assert.throws(() => readSqliteStore(dir), { code: 'ERR_STORE', message: /older layout; run "orbweaver crawl/ });
});

test('a folder of the layout before host troubles gets their columns, and its retries are counted', async (t) => {
  const dir = temporaryFolder(t);
  const old = new DatabaseSync(join(dir, 'crawl.db'));
  old.exec(`${MIGRATIONS.slice(0, 4).join(';')}; PRAGMA user_version = 4;
    INSERT INTO hosts (id, host) VALUES (1, 'http://a.test');
    INSERT INTO urls (id, host_id, key, state, depth, rank, hops, failures, reason, url)
      VALUES (1, 1, x'00', 0, 0, 0, 0, 2, 'tls-failed', 'http://a.test/')`);
  old.close();
  const store = openSqliteStore(dir, NOW_MS);
  t.after(() => store.close());
  assert.deepEqual((await store.counts()).retryReasons, { 'tls-failed': 1 });
  assert.equal((await store.host('http://a.test'))!.trouble, null);
});

test('C7 the canonical links of a folder of the layout before their verdicts are judged', async (t) => {
  const dir = temporaryFolder(t);
  const old = new DatabaseSync(join(dir, 'crawl.db'));
  const urls = ['lost', 'same', 'like', 'real', 'none'].map((path) => `http://a.test/${path}`);
  const [pageState, failed] = [2, 4];
  old.exec(`${MIGRATIONS.slice(0, 5).join(';')}; PRAGMA user_version = 5;
    INSERT INTO hosts (id, host, fetched, failed) VALUES (1, 'http://a.test', 4, 1);
    INSERT INTO totals VALUES ('state/fetched', 1), ('state/duplicate', 3), ('state/failed', 1),
      ('reason/duplicate-canonical', 3), ('reason/not-found', 1);`);
  const insertUrl = old.prepare(
    'INSERT INTO urls (id, host_id, key, state, depth, rank, hops, reason, url) VALUES (?, 1, ?, ?, 0, 0, 0, ?, ?)',
  );
  for (const [i, url] of urls.entries()) {
    const [state, reason] = i < 3 ? [pageState, 'duplicate-canonical'] : i === 3 ? [1, null] : [failed, 'not-found'];
    insertUrl.run(i + 1, Buffer.from(urlKeyHex(url), 'hex'), state!, reason!, url);
  }
  const insertPage = old.prepare(
    `INSERT INTO pages (url_id, bytes, digest, canonical, duplicate_of, noindex, outlinks, graph_seq, title, language)
     VALUES (?, 4, ?, ?, ?, 0, 0, 0, '', '')`,
  );
  const digestOf = (body: string) => Buffer.from(page(body).digest, 'hex');
  insertPage.run(1, digestOf('lost'), 5, 5);
  insertPage.run(2, digestOf('real'), 4, 4);
  insertPage.run(3, digestOf('like'), 4, 4);
  insertPage.run(4, digestOf('real'), null, null);
  old.prepare('INSERT INTO contents VALUES (?, 4)').run(digestOf('real').subarray(0, 16));
  old.close();
  const store = openSqliteStore(dir, NOW_MS);
  t.after(() => store.close());
  assert.equal(await store.settleCanonicals(NOW_MS), false);
  const standing = (await allUrls(store)).map(({ state, duplicateOf, canonicalVerdict }) => [
    state,
    duplicateOf?.slice('http://a.test/'.length) ?? null,
    canonicalVerdict,
  ]);
  assert.deepEqual(standing, [
    ['fetched', null, 'target-missing'],
    ['duplicate', 'real', 'believed'],
    ['fetched', null, 'too-little-text'],
    ['fetched', null, null],
    ['failed', null, null],
  ]);
  const { states, reasons } = await store.counts();
  assert.deepEqual([states.fetched, states.duplicate], [3, 1]);
  assert.deepEqual(reasons, { 'duplicate-canonical': 1, 'not-found': 1 });
});

/** The numbers of migrations before WORD_COUNTS_COLUMN, CHANGE_CLASS_COLUMNS and FOLLOWER_TABLES. */
const BEFORE_WORD_COUNTS = 11;
const BEFORE_CLASSES = 12;
const BEFORE_FOLLOWERS = 13;
const WITHOUT_COPIES =
  'DROP INDEX changes_of_edit; ALTER TABLE visits DROP COLUMN copy_of; ALTER TABLE visits DROP COLUMN rhythm;';
const WITHOUT_NOISE = `${WITHOUT_COPIES} DROP TABLE noise_evidence;`;
const WITHOUT_FOLLOWERS = `${WITHOUT_NOISE} DROP INDEX urls_touched; ALTER TABLE urls DROP COLUMN touched; DROP TABLE followers;`;
const WITHOUT_CLASSES = `${WITHOUT_FOLLOWERS} ALTER TABLE pages DROP COLUMN regions; ALTER TABLE changes DROP COLUMN level;
  ALTER TABLE changes DROP COLUMN touches; ALTER TABLE changes DROP COLUMN edit;`;

test('a folder of the layout before classes of changes keeps its pages and changes', async (t) => {
  const dir = await smallCrawl(t);
  sql(
    dir,
    `${WITHOUT_CLASSES} INSERT INTO changes (url_id, at, kind, title) VALUES (1, 5, 1, 'Old');
    PRAGMA user_version = ${BEFORE_CLASSES}`,
  );
  const store = openSqliteStore(dir, NOW_MS);
  t.after(() => store.close());
  const [entry] = await store.changes(0, 10);
  assert.deepEqual([entry!.title, entry!.level, entry!.part, entry!.edit], ['Old', null, null, null]);
});

test('the pages of a folder of the layout before followers have one mark, and its listeners keep their cursors', async (t) => {
  const dir = await smallCrawl(t);
  const cursor = '{"arrived":7,"until":0}';
  sql(
    dir,
    `${WITHOUT_FOLLOWERS} INSERT INTO notes VALUES ('delivered/webhook', '${cursor}'), ('delivered', 'not one');
    PRAGMA user_version = ${BEFORE_FOLLOWERS}`,
  );
  const store = openSqliteStore(dir, NOW_MS);
  t.after(() => store.close());
  const pages = (await allUrls(store)).filter(({ digest }) => digest !== '');
  assert.ok(pages.length > 0);
  assert.deepEqual(
    await store.touches(FIRST_TOUCH, 100),
    pages.map(({ id }) => ({ seq: 1, id })),
  );
  assert.deepEqual(await store.followers(), [
    { name: 'delivered/webhook', version: 1, position: cursor, owner: null, heldUntilMs: 0 },
  ]);
  assert.deepEqual([await store.note('delivered/webhook'), await store.note('delivered')], [null, 'not one']);
});

test('C7 the pages of a folder of the layout before word counts are judged by their sketches until they change', async (t) => {
  const dir = await smallCrawl(t);
  sql(dir, `${WITHOUT_CLASSES} ALTER TABLE pages DROP COLUMN word_counts; PRAGMA user_version = ${BEFORE_WORD_COUNTS}`);
  openSqliteStore(dir, NOW_MS).close();
  const db = new DatabaseSync(join(dir, 'crawl.db'), { readOnly: true });
  t.after(() => db.close());
  assert.equal(db.prepare('PRAGMA user_version').get()?.user_version, MIGRATIONS.length);
  const pages = db.prepare('SELECT word_counts FROM pages').all();
  assert.ok(pages.length > 0 && pages.every((row) => row.word_counts === null));
});

test('a folder of the layout before answers were counted gets fresh budgets, and left-out URLs come back', async (t) => {
  const dir = temporaryFolder(t);
  const days = Array.from({ length: 9 }, (_, n) => `http://a.test/day?d=${n}`);
  const pattern = pathPattern(days[0]!)!;
  const rows = days.map(
    (url, n) => `(${n + 1}, 1, x'${urlKeyHex(url)}', ${n < 2 ? 1 : 5}, 0, 0, 0,
      ${n < 2 ? 'NULL' : "'trap-pattern-budget'"}, '${url}')`,
  );
  const old = new DatabaseSync(join(dir, 'crawl.db'));
  old.exec(`${MIGRATIONS.slice(0, 5).join(';')}; PRAGMA user_version = 5;
    INSERT INTO hosts (id, host) VALUES (1, 'http://a.test');
    INSERT INTO patterns VALUES (1, x'${patternKey(pattern)}', 9);
    INSERT INTO urls (id, host_id, key, state, depth, rank, hops, reason, url) VALUES ${rows.join()}`);
  old.close();
  const store = openSqliteStore(dir, NOW_MS);
  t.after(() => store.close());
  assert.equal(await store.fillBudgets(3, NOW_MS), 3);
  assert.deepEqual(await store.patternUse('http://a.test', pattern), {
    known: 9,
    leftOut: 4,
    answered: 2,
    productive: 0,
    barren: 0,
  });
  assert.equal(await store.fillBudgets(3, NOW_MS), 0);
});

/** A folder of the given layout loses what cannot be compared with the sketches and templates of today. */
async function losesSketches(t: TestContext, layout: number): Promise<void> {
  const dir = temporaryFolder(t);
  const sketches = [1, 2].map((page) =>
    Buffer.from(Uint32Array.from({ length: 32 }, (_, i) => page * 1_000 + i).buffer),
  );
  const old = new DatabaseSync(join(dir, 'crawl.db'));
  old.exec(`${MIGRATIONS.slice(0, layout).join(';')}; PRAGMA user_version = ${layout};
    INSERT INTO hosts (id, host) VALUES (1, 'http://a.test');
    ${layout > 5 ? "INSERT INTO templates VALUES (1, x'0102');" : ''}
    INSERT INTO print_blocks (first, entries) VALUES (0, x'0000000000000001');
    INSERT INTO print_log (entries) VALUES (x'0000000000000002')`);
  for (const [i, sketch] of sketches.entries()) {
    old.exec(`INSERT INTO urls (id, host_id, key, state, depth, rank, hops, failures, url)
      VALUES (${i + 1}, 1, x'0${i}', 1, 0, 0, 0, 0, 'http://a.test/${i}')`);
    old
      .prepare(`INSERT INTO pages (url_id, bytes, digest, noindex, outlinks, graph_seq, title, language, sketch)
        VALUES (?, 10, ?, 0, 0, 0, 'Title', 'en', ?)`)
      .run(i + 1, `digest ${i}`, sketch);
  }
  old.close();
  const store = openSqliteStore(dir, NOW_MS);
  await store.seed([found('http://a.test/new'), found('http://a.test/newer')], NOW_MS);
  const lease = await claimOne(store);
  const sketch = sketchWith(Array.from({ length: 60 }, (_, i) => 7_919 * i));
  const results = lease.urls.map((task) => resultOf(lease, task, { page: page(task.url, { sketch }) }));
  await commit(store, results, { nearDuplicate: 0.8 });
  assert.equal((await recordOf(store, 'http://a.test/newer')).nearDuplicateOf, 'http://a.test/new');
  await store.close();
  const db = new DatabaseSync(join(dir, 'crawl.db'), { readOnly: true });
  t.after(() => db.close());
  const rows = db.prepare('SELECT url_id, sketch IS NULL AS isNone, title FROM pages WHERE url_id < 3').all();
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [1, 2].map((url_id) => ({ url_id, isNone: 1, title: 'Title' })),
  );
  assert.equal(db.prepare('SELECT count(*) AS n FROM print_blocks').get()!.n, 0);
  assert.equal(db.prepare('SELECT count(*) AS n FROM templates').get()!.n, 0);
}

test('a folder of the layout before templates loses its sketches of letters, and goes on', (t) => losesSketches(t, 5));

test('a folder with other hashes of words loses its sketches and templates, and goes on', (t) => losesSketches(t, 10));

test('a second writer is refused while the first one is open, and accepted afterwards', async (t) => {
  const dir = await smallCrawl(t);
  const first = openSqliteStore(dir, NOW_MS);
  assert.throws(() => openSqliteStore(dir, NOW_MS), { code: 'ERR_LOCKED', message: /another process is crawling/ });
  await first.seed([found('http://b.test/')], NOW_MS);
  assert.equal((await first.counts()).hosts, 2);
  await first.close();
  await openSqliteStore(dir, NOW_MS).close();
});

test('a failed opening leaves no lock behind', async (t) => {
  const dir = await smallCrawl(t);
  sql(dir, `PRAGMA user_version = ${MIGRATIONS.length + 1}`);
  assert.throws(() => openSqliteStore(dir, NOW_MS), { code: 'ERR_NEWER_SCHEMA' });
  assert.throws(() => openSqliteStore(dir, NOW_MS), { code: 'ERR_NEWER_SCHEMA' });
});

test('readers beside a writer see each commit and cannot write', async (t) => {
  const dir = await smallCrawl(t);
  const writer = openSqliteStore(dir, NOW_MS);
  const reader = readSqliteStore(dir);
  t.after(() => Promise.all([writer.close(), reader.close()]));
  assert.deepEqual(await everything(reader), await everything(writer));
  const known = (await allUrls(reader)).length;
  await writer.seed([found('http://b.test/')], NOW_MS);
  assert.equal((await allUrls(reader)).length, known + 1);
  await assert.rejects(reader.setNote('a', 'b'), { code: 'ERR_STORE' });
  await assert.rejects(reader.seed([found('http://c.test/')], NOW_MS), { code: 'ERR_STORE' });
  await reader.sync();
});

test('a reader keeps its view during an export while the writer continues', async (t) => {
  const dir = await smallCrawl(t);
  const writer = openSqliteStore(dir, NOW_MS);
  const reader = readSqliteStore(dir);
  t.after(() => Promise.all([writer.close(), reader.close()]));
  for await (const _ of reader.captures((url) => url)) await writer.setNote('n', 'm');
  await writer.setNote('still', 'writing');
  assert.equal(await reader.note('still'), 'writing');
});

test('reading an empty folder finds no crawl and creates none', (t) => {
  const dir = temporaryFolder(t);
  assert.throws(() => readSqliteStore(dir), { code: 'ERR_NO_CRAWL', message: /orbweaver crawl <url> --dir/ });
  assert.throws(() => readSqliteStore(join(dir, 'none')), { code: 'ERR_NO_CRAWL' });
  assert.throws(() => statSync(join(dir, 'crawl.db')));
});

test('a path that cannot be a folder is refused: a file, below a file, below /proc', (t) => {
  const dir = temporaryFolder(t);
  const file = join(dir, 'file');
  writeFileSync(file, 'not a folder');
  for (const path of [file, join(file, 'below'), '/proc/none/here']) {
    assert.throws(() => openSqliteStore(path, NOW_MS), { code: 'ERR_DIR', message: new RegExp(`folder ${path}`) });
  }
  assert.equal(readFileSync(file, 'utf8'), 'not a folder');
});

test('a folder that is mounted read-only', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-ro-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const mount = mountTmpfs(dir, 'ro');
  if (typeof mount === 'string') return t.skip(mount);
  try {
    assert.throws(() => openSqliteStore(dir, NOW_MS), { code: 'ERR_DIR', message: /read-only/ });
  } finally {
    mount.unmount();
  }
});

test('folders in place of files are a store error', (t) => {
  for (const name of ['crawl.db', 'crawl.lock']) {
    const dir = temporaryFolder(t);
    mkdirSync(join(dir, name));
    assert.throws(() => openSqliteStore(dir, NOW_MS), { code: 'ERR_STORE' }, name);
  }
});

test('a file that is not a database is refused and not changed', (t) => {
  const dir = temporaryFolder(t);
  const text = 'this is no database, it is a text of some length that somebody put here. '.repeat(99);
  writeFileSync(join(dir, 'crawl.db'), text);
  assert.throws(() => openSqliteStore(dir, NOW_MS), { code: 'ERR_STORE', message: /not a database/ });
  assert.throws(() => readSqliteStore(dir), { code: 'ERR_STORE' });
  assert.equal(readFileSync(join(dir, 'crawl.db'), 'utf8'), text);
});

test('a damaged database is reported with a stable error code, wherever the damage is found', async (t) => {
  const dir = await smallCrawl(t);
  const path = join(dir, 'crawl.db');
  const bytes = readFileSync(path);
  bytes.fill(0xa5, 4_096);
  writeFileSync(path, bytes);
  const readAll = async () => {
    const store = openSqliteStore(dir, NOW_MS);
    try {
      await everything(store);
    } finally {
      await store.close();
    }
  };
  const refused = { code: 'ERR_STORE', message: /cannot be used: .*malformed/ };
  await assert.rejects(readAll, refused);
  await assert.rejects(readAll, refused, 'and no lock is left behind');
});
