/**
 * The handling of damage: marks, pages that are fetched again, the messages of
 * the commands, and the sample of a refresh.
 */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { listen } from '../../src/core/events.ts';
import { LATEST_MS, readCopy } from '../../src/crawl/place/read-archived.ts';
import { startVerify, verify } from '../../src/library/verify.ts';
import { openSqliteStore, readSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { sampleArchive } from '../../src/verify/sample.ts';
import { verifyArchive } from '../../src/verify/verify.ts';
import { SeededRandom } from '../../testbed/random.ts';
import { readWithWarcio } from '../archive/independent-reader.ts';
import { runCli } from '../cli/setup/run-cli.ts';
import { TestCluster } from '../crawl/cluster/setup/cluster-here.ts';
import { crawlHere } from '../crawl/crawl-here.ts';
import { refreshHere } from '../crawl/refresh/refresh-here.ts';
import { capturesOf, VersionedCopy } from '../crawl/retention/rounds-of-versions.ts';
import { assertSound, dataFolder, storedUrls } from '../crawl/stored-crawl.ts';
import { damageRecord, type Place, recordsOf } from './damages.ts';
import { serveMixedSite } from './mixed-site.ts';

function total({ findings }: { readonly findings: Record<string, number> }): number {
  return Object.values(findings).reduce((sum, some) => sum + some, 0);
}

test('damaged pages are marked, reported and fetched again, and a restored file removes the marks', async (t) => {
  const site = await serveMixedSite(40);
  t.after(() => site.close());
  const dir = dataFolder(t);
  const archive = join(dir, 'archive');
  await crawlHere(dir, [`${site.origin}/`], { units: 1 });
  const bodies = new Map<string, Buffer>();
  const reading = readSqliteStore(dir);
  for (const path of ['/p1', '/p19', '/p38', '/p2'])
    bodies.set(path, (await readCopy(reading, dir, site.origin + path, LATEST_MS))!.body);
  // Pages 19 and 38 are equal: one has the payload, the other refers to it.
  const same = ['/p19', '/p38'].map((path) => site.origin + path);
  const captures = await Promise.all([...same, `${site.origin}/p1`].map((url) => capturesOf(reading, url)));
  await reading.close();
  assert.deepEqual(captures.map(([capture]) => capture!.revisit).filter((revisit) => revisit).length, 1);
  const saved = join(dataFolder(t), 'archive');
  cpSync(archive, saved, { recursive: true });
  const random = new SeededRandom(31);
  const records = await recordsOf(archive, readdirSync(archive));
  const at = (offset: number): Place => records.find((place) => place.offset === offset)!;
  const original = captures.slice(0, 2).find(([capture]) => !capture!.revisit)![0]!;
  damageRecord(archive, at(original.offset), 'flip-many', random);
  damageRecord(archive, at(captures[2]![0]!.offset), 'flip-many', random);
  // This record is a request, so nothing can be fetched again for it.
  const request = records[records.indexOf(at(captures[2]![0]!.offset)) + 1]!;
  damageRecord(archive, request, 'flip-trailer', random);

  const looked = await verify({ dir, rate: 'none' });
  assert.deepEqual([looked.findings['damaged-record'], looked.findings['lost-payload'], total(looked)], [3, 1, 4]);
  assert.equal(looked.marked, 0, 'without --repair nothing is marked');
  const before = readdirSync(archive).map((file) => readFileSync(join(archive, file)));
  const repaired = await runCli('verify', '--repair', '--dir', dir);
  assert.equal(repaired.exitCode, 1, repaired.stderr);
  assert.match(repaired.stdout, /Repaired: 3 responses marked as damaged, 3 URLs wait to be fetched again/);
  assert.deepEqual(
    readdirSync(archive).map((file) => readFileSync(join(archive, file))),
    before,
    'no byte of the archive is changed',
  );
  await assertSound(dir);
  const states = await storedUrls(dir);
  assert.deepEqual(
    [...same, `${site.origin}/p1`].map((url) => states.get(url)!.state),
    ['waiting', 'waiting', 'waiting'],
  );

  const url = `${site.origin}/p1`;
  const [show, history, explain, cdxj, status] = await Promise.all([
    runCli('show', url, '--dir', dir),
    runCli('history', url, '--dir', dir),
    runCli('explain', url, '--dir', dir),
    runCli('export', '--format', 'cdxj', '--dir', dir),
    runCli('status', '--dir', dir),
  ]);
  assert.match(show.stderr, /is damaged in the archive; verify found it on .*the checksum is wrong.*\[ERR_ARCHIVE\]/);
  assert.match(history.stdout, /unreadable .*damaged in the archive: damaged-record/);
  assert.match(explain.stdout, /Waiting for its turn to be fetched again/);
  assert.match(explain.stdout, /is damaged in the archive \(damaged-record: the checksum is wrong\), found by verify/);
  assert.match(cdxj.stderr, /3 responses are damaged in the archive and were left out/);
  assert.ok(!cdxj.stdout.includes('/p1"'));
  assert.match(status.stdout, /3 responses are marked as damaged/);

  await refreshHere(dir);
  const after = readSqliteStore(dir);
  t.after(() => after.close());
  for (const [path, body] of bodies) {
    assert.ok((await readCopy(after, dir, site.origin + path, LATEST_MS))!.body.equals(body), path);
  }
  const again = await runCli('verify', '--dir', dir);
  assert.equal(again.exitCode, 0, again.stdout);
  assert.match(again.stdout, /no damage found/);
  assert.match(again.stdout, /3 responses already marked as damaged/);
  for (const file of readdirSync(saved)) cpSync(join(saved, file), join(archive, file));
  const restored = await verify({ dir, rate: 'none', repair: true });
  assert.deepEqual([restored.restored, total(restored), restored.knownDamage], [3, 0, 0]);
  assert.equal(await after.damagedCaptures(), 0);
});

test('known damage of a request record is recognised by its kind and place, whatever its note says', async (t) => {
  const copy = new VersionedCopy(dataFolder(t), 12, new SeededRandom(38));
  await copy.round();
  const { dir, archiveDir } = copy;
  const records = await recordsOf(archiveDir, copy.files());
  const request = records.find(({ type }) => type === 'request')!;
  damageRecord(archiveDir, request, 'flip-trailer', new SeededRandom(39));
  assert.equal(total(await verify({ dir, rate: 'none', repair: true })), 1);
  const knownAgain = async (): Promise<void> => {
    const again = await verify({ dir, rate: 'none' });
    assert.deepEqual([total(again), again.knownDamage], [0, 1]);
  };
  await knownAgain();
  // Earlier versions also noted the text of the problem, and the text may change.
  const store = openSqliteStore(dir, Date.now());
  const note = `damaged-record ${request.file} ${request.offset} a text of an earlier version`;
  await store.setNote('verify-known', JSON.stringify([note]));
  await store.close();
  await knownAgain();
});

test('a damaged older version is marked and its page stays; a missing file is marked completely', async (t) => {
  const site = await serveMixedSite(30);
  t.after(() => site.close());
  const dir = dataFolder(t);
  await crawlHere(dir, [`${site.origin}/`], { units: 1 });
  const [first] = readdirSync(join(dir, 'archive'));
  site.revision++;
  await refreshHere(dir);
  rmSync(join(dir, 'archive', first!));
  const outcome = await verify({ dir, rate: 'none', repair: true });
  assert.deepEqual([outcome.findings['missing-file'], total(outcome)], [1, 1]);
  assert.equal(outcome.first[0]!.captures, outcome.marked);
  // Pages 7, 14, 21 and 28 changed, so their current content is in the second file.
  const states = await storedUrls(dir);
  for (const [url, { state }] of states) {
    const n = Number(/\/p(\d+)$/.exec(url)?.[1] ?? Number.NaN);
    if ([7, 14, 21, 28].includes(n)) assert.equal(state, 'fetched', url);
    else if (state !== 'gone' && state !== 'skipped') assert.equal(state, 'waiting', url);
  }
  await assertSound(dir);
  assert.equal(total(await verify({ dir, rate: 'none' })), 0, 'what is marked is known');
});

test('a refresh checks a sample, warns about damage and names the command', async (t) => {
  const site = await serveMixedSite(40);
  t.after(() => site.close());
  const dir = dataFolder(t);
  await crawlHere(dir, [`${site.origin}/`]);
  const sound = await refreshHere(dir);
  assert.deepEqual(sound.sample, { checked: 16, damaged: 0 });
  const archive = join(dir, 'archive');
  for (const place of await recordsOf(archive, readdirSync(archive))) {
    if (place.type === 'response') damageRecord(archive, place, 'flip', new SeededRandom(place.offset));
  }
  const warnings: string[] = [];
  t.after(listen('crawl/warning', ({ message }) => void warnings.push(message)));
  const { sample } = await refreshHere(dir);
  assert.ok(sample!.checked === 16 && sample!.damaged > 0);
  assert.match(
    warnings.join('\n'),
    /of 16 randomly checked responses are damaged in the archive.*to check the whole archive: orbweaver verify/,
  );
  const status = JSON.parse((await runCli('status', '--json', '--dir', dir)).stdout);
  assert.equal(status.verify.sample.damaged, sample!.damaged);
  const store = openSqliteStore(dir, Date.now());
  const points = [0, 0.25, 0.5, 0.75, 1];
  await sampleArchive(store, [archive], Date.now(), () => points.shift() ?? 0);
  await store.close();
});

test('an independent reader agrees: it reads intact files completely, and fails at the reported places', async (t) => {
  const copy = new VersionedCopy(dataFolder(t), 8, new SeededRandom(33));
  for (let round = 0; round < 2; round++) await copy.round();
  const outcome = await verify({ dir: copy.dir, rate: 'none', restart: true });
  assert.equal((await copy.records()).length, outcome.records);
  const random = new SeededRandom(34);
  const places = (await recordsOf(copy.archiveDir, copy.files())).filter(({ type }) => type === 'response');
  for (let n = 0; n < 5; n++) {
    const place = random.pick(places);
    const path = join(copy.archiveDir, place.file);
    const sound = readFileSync(path);
    damageRecord(copy.archiveDir, place, 'flip-many', random);
    const read = await readWithWarcio(path).then(
      (records) => records.length,
      () => -1,
    );
    assert.notEqual(
      read,
      (await recordsOf(copy.archiveDir, [place.file])).length + 1,
      'it does not read the whole file either',
    );
    assert.equal((await verify({ dir: copy.dir, rate: 'none', restart: true })).findings['damaged-record'], 1);
    writeFileSync(path, sound);
  }
});

test('each machine of a cluster checks its own files, and marks are in the database', async (t) => {
  const site = await serveMixedSite(30);
  t.after(() => site.close());
  const cluster = await TestCluster.open(t);
  await cluster.crawl([`${site.origin}/`], { units: 1, allowPrivate: true }).summary;
  const archive = join(cluster.dir, 'planner');
  const place = (archives: readonly string[]) => ({
    dir: cluster.dir,
    cluster: { url: cluster.databaseUrl, name: 't' },
    archives,
  });
  const wanted = { repair: false, restart: true, bytesPerSecond: null };
  const sound = await startVerify({ place: place([archive]), ...wanted }).summary;
  assert.deepEqual([total(sound), sound.elsewhereFiles], [0, 0]);
  assert.ok(sound.captures >= 30 && sound.files === 1, JSON.stringify(sound));
  const there = await startVerify({ place: place([join(cluster.dir, 'another')]), ...wanted }).summary;
  assert.deepEqual([total(there), there.elsewhereFiles, there.files], [0, 1, 0], hostname());
  const records = await recordsOf(archive, readdirSync(archive));
  const page = records.filter(({ type }) => type === 'response').at(-1)!;
  damageRecord(archive, page, 'flip-many', new SeededRandom(35));
  const repaired = await startVerify({ place: place([archive]), ...wanted, repair: true }).summary;
  assert.deepEqual([total(repaired), repaired.marked, repaired.refetch], [1, 1, 1]);
  const again = await startVerify({ place: place([archive]), ...wanted }).summary;
  assert.deepEqual([total(again), again.knownDamage], [0, 1]);
  rmSync(join(archive, readdirSync(archive)[0]!));
  const gone = await startVerify({ place: place([archive]), ...wanted }).summary;
  assert.deepEqual([gone.findings['missing-file'], gone.elsewhereFiles], [1, 0]);
});

test('files in a folder of the same name on another machine are not checked', async (t) => {
  const copy = new VersionedCopy(dataFolder(t), 12, new SeededRandom(36));
  await copy.round();
  const store = readSqliteStore(copy.dir);
  t.after(() => store.close());
  const [file] = copy.files();
  rmSync(join(copy.archiveDir, file!));
  const place = { owner: 'blue#7', machine: 'far.example', folder: copy.archiveDir };
  store.archivePlaces = async () => new Map([[file!, place]]);
  const clock = { now: Date.now, after: () => () => {} };
  const outcome = await verifyArchive({
    store,
    dir: copy.dir,
    archives: [copy.archiveDir],
    clock,
    bytesPerSecond: null,
    repair: false,
    restart: true,
    isStopped: () => false,
  });
  assert.deepEqual([total(outcome), outcome.elsewhereFiles], [0, 1]);
});
