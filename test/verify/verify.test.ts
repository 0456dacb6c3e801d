/**
 * `verify` on ordinary copies: sound copies of every kind have no finding, and in damaged copies each damage is found.
 */
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { retain } from '../../src/crawl/retention/retain.ts';
import { verify } from '../../src/library/verify.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Finding } from '../../src/verify/findings.ts';
import type { VerifyOutcome } from '../../src/verify/verify.ts';
import { readFindings } from '../../src/verify/verify-state.ts';
import { SeededRandom } from '../../testbed/random.ts';
import { crawlHere } from '../crawl/crawl-here.ts';
import { refreshHere } from '../crawl/refresh/refresh-here.ts';
import { VersionedCopy } from '../crawl/retention/rounds-of-versions.ts';
import { dataFolder, edit } from '../crawl/stored-crawl.ts';
import { NOW_MS } from '../store/rows.ts';
import { compare, DAMAGE_KINDS, damageAtRandom, damageRecord, IN_PLACE, lostWith, recordsOf } from './damages.ts';
import { serveMixedSite } from './mixed-site.ts';

async function findingsIn(dir: string): Promise<{ findings: Finding[]; outcome: VerifyOutcome }> {
  const outcome = await verify({ dir, rate: 'none', restart: true });
  assert.equal(outcome.ending, 'done');
  return { findings: readFindings(dir, outcome, 100_000), outcome };
}

async function versionsIn(t: TestContext, seed: number): Promise<VersionedCopy> {
  const copy = new VersionedCopy(dataFolder(t), 12, new SeededRandom(seed));
  for (let round = 0; round < 4; round++) await copy.round();
  return copy;
}

test('a crawled and refreshed copy is intact, and every kind of damage is found and nothing else', async (t) => {
  const site = await serveMixedSite(240);
  t.after(() => site.close());
  const dir = dataFolder(t);
  await crawlHere(dir, [`${site.origin}/`], { archiveFile: '40kb' });
  for (const more of [{}, { keep: '1' }]) {
    const { findings, outcome } = await findingsIn(dir);
    assert.deepEqual(findings, []);
    assert.ok(outcome.captures >= 240 && outcome.urls >= 240);
    site.revision++;
    await refreshHere(dir, more);
  }
  const { findings, outcome } = await findingsIn(dir);
  assert.deepEqual(findings, []);
  const { captures } = new DatabaseSync(join(dir, 'crawl.db'), { readOnly: true })
    .prepare('SELECT count(*) AS captures FROM captures')
    .get() as { captures: number };
  assert.equal(outcome.captures, captures);
  const files = readdirSync(join(dir, 'archive'));
  assert.ok(files.length >= 15, `${files.length} files`);
  for (const seed of [1]) {
    const damagedDir = join(dataFolder(t), 'copy');
    cpSync(dir, damagedDir, { recursive: true });
    const other = join(dataFolder(t), 'other.warc.gz');
    const damages = await damageAtRandom(join(damagedDir, 'archive'), 60, new SeededRandom(seed), other);
    assert.deepEqual(new Set(damages.map(({ kind }) => kind)).size, DAMAGE_KINDS.length, 'every kind is tried');
    const { findings: found } = await findingsIn(damagedDir);
    const { missed, wrong } = compare(damages, found, await lostWith(damagedDir, damages));
    assert.deepEqual({ missed, wrong }, { missed: [], wrong: [] }, `seed ${seed}`);
  }
});

test('every kind of record is checked byte by byte, and each damage is reported once', async (t) => {
  const copy = await versionsIn(t, 7);
  const records = await recordsOf(copy.archiveDir, copy.files());
  const types = Map.groupBy(records, ({ type }) => type);
  assert.deepEqual([...types.keys()].sort(), ['metadata', 'request', 'response', 'revisit', 'warcinfo']);
  const random = new SeededRandom(8);
  for (const [type, places] of types) {
    for (const kind of IN_PLACE) {
      const place = random.pick(places);
      const path = join(copy.archiveDir, place.file);
      const sound = readFileSync(path);
      const damage = damageRecord(copy.archiveDir, place, kind, random);
      const { findings } = await findingsIn(copy.dir);
      const own = findings.filter(({ kind: what }) => what !== 'lost-payload');
      assert.equal(own.length, 1, `${kind} of a ${type} record: ${JSON.stringify(findings)}`);
      assert.deepEqual([own[0]!.kind, own[0]!.file, own[0]!.offset], ['damaged-record', place.file, place.offset]);
      assert.deepEqual(compare([damage], findings, await lostWith(copy.dir, [damage])).wrong, []);
      writeFileSync(path, sound);
    }
  }
  assert.deepEqual((await findingsIn(copy.dir)).findings, []);
});

test('the database must agree with every record', async (t) => {
  const copy = await versionsIn(t, 9);
  const changes = [
    ['status = status + 1', 'mismatch'],
    ["content_type = 'text/other'", 'mismatch'],
    ["payload_digest = 'sha1:AAAA'", 'mismatch'],
    ['fetched_at = fetched_at - 1', 'mismatch'],
    ['length = length + 1', 'mismatch'],
    ['offset = offset + 1', 'lost-record'],
    ['url_id = url_id + 100', 'database'],
    ['file_id = file_id + 100', 'database'],
  ] as const;
  for (const [change, kind] of changes) {
    const dir = join(dataFolder(t), 'copy');
    cpSync(copy.dir, dir, { recursive: true });
    const place = 'SELECT max(url_id) FROM captures WHERE revisit = 0';
    edit(
      dir,
      `UPDATE captures SET ${change} WHERE url_id = (${place}) AND fetched_at = (SELECT max(fetched_at) FROM captures WHERE url_id = (${place}))`,
    );
    const { findings } = await findingsIn(dir);
    assert.ok(
      findings.some((finding) => finding.kind === kind),
      `${change}: ${JSON.stringify(findings)}`,
    );
    assert.ok(findings.length <= 3, change);
  }
});

test('a page that differs from the archive, and a page without a response, are found', async (t) => {
  const site = await serveMixedSite(30);
  t.after(() => site.close());
  const dir = dataFolder(t);
  await crawlHere(dir, [`${site.origin}/`]);
  edit(dir, "UPDATE pages SET bytes = bytes + 1 WHERE url_id = (SELECT id FROM urls WHERE url LIKE '%/p3')");
  edit(dir, "UPDATE pages SET digest = zeroblob(32) WHERE url_id = (SELECT id FROM urls WHERE url LIKE '%/p4')");
  edit(dir, "DELETE FROM captures WHERE url_id = (SELECT id FROM urls WHERE url LIKE '%/p5')");
  const { findings, outcome } = await findingsIn(dir);
  assert.deepEqual(findings.map(({ kind, url }) => `${kind} ${url?.replace(site.origin, '')}`).sort(), [
    'page-mismatch /p3',
    'page-mismatch /p4',
    'page-without-capture /p5',
  ]);
  assert.equal(outcome.unknownRecords, 1, 'the answer that the database lost is in the archive');
});

test('bytes after the committed end, unknown files and dropped versions are no damage', async (t) => {
  const copy = await versionsIn(t, 11);
  const [first, second] = copy.files();
  appendFileSync(join(copy.archiveDir, first!), 'written before a crash');
  writeFileSync(join(copy.archiveDir, first!.replace('-u1-', '-u2-')), 'nobody knows this');
  writeFileSync(join(copy.archiveDir, 'notes.txt'), 'no archive file at all');
  const store = openSqliteStore(copy.dir, NOW_MS);
  const { captures, files } = await retain(store, copy.archiveDir, { kind: 'newest', contents: 1 }, copy.nowMs, {
    neededShare: 0,
  });
  await store.close();
  assert.ok(captures > 0 && files === 0);
  const { findings, outcome } = await findingsIn(copy.dir);
  assert.deepEqual(findings, []);
  assert.deepEqual([outcome.unknownFiles, outcome.unknownBytes], [1, 'written before a crash'.length]);
  assert.equal(outcome.unknownRecords, captures);
  renameSync(join(copy.archiveDir, second!), join(copy.archiveDir, 'away'));
  assert.deepEqual(
    (await findingsIn(copy.dir)).findings.map(({ kind, file }) => [kind, file]),
    [['missing-file', second]],
  );
});

test('the database itself is checked', async (t) => {
  const copy = await versionsIn(t, 12);
  const path = join(copy.dir, 'crawl.db');
  const bytes = readFileSync(path);
  // Damages whole pages of an index that no statement of this check reads.
  const db = new DatabaseSync(path);
  const { rootpage } = db.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'urls_key'").get() as {
    rootpage: number;
  };
  db.close();
  const size = bytes.readUInt16BE(16);
  bytes.fill(0x5a, (rootpage - 1) * size + 100, rootpage * size);
  writeFileSync(path, bytes);
  rmSync(`${path}-wal`, { force: true });
  rmSync(`${path}-shm`, { force: true });
  const { findings } = await findingsIn(copy.dir);
  assert.ok(findings.length > 0 && findings.every(({ kind }) => kind === 'database'), JSON.stringify(findings));
});
