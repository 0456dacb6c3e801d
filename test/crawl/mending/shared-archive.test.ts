/**
 * Tests the archive of a cluster: two machines with one folder each, a page whose file is on the other machine, and
 * mending after a crash. The store is the embedded one with the places of files beside it, as in the cluster's store.
 */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ownerOf, unitOf } from '../../../src/archive/archive-file.ts';
import { SourceFile } from '../../../src/archive/source-file.ts';
import { warcBytes } from '../../../src/cli/commands/export-archive.ts';
import { waczBytes } from '../../../src/cli/commands/export-wacz.ts';
import { readDiff } from '../../../src/copy/read-diff.ts';
import { readHistory } from '../../../src/copy/read-history.ts';
import { listen } from '../../../src/core/events.ts';
import { mendSharedArchive } from '../../../src/crawl/mending/mend-shared-archive.ts';
import { ArchiveFolders } from '../../../src/crawl/place/archive-folders.ts';
import type { CrawlPlace } from '../../../src/crawl/place/crawl-place.ts';
import { LATEST_MS, readCopy } from '../../../src/crawl/place/read-archived.ts';
import type { WorkerRecord } from '../../../src/store/cluster.ts';
import type { ArchivePlace, Store } from '../../../src/store/contract.ts';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { exchange, writerIn } from '../../archive/exchange.ts';
import { makeSmallCrawl, removeCrawl, SITE } from '../../cli/setup/small-crawl.ts';

const HERE = 'here.example';
const THERE: ArchivePlace = { owner: 'blue#7', machine: 'far.example', folder: '/srv/archive' };

interface Split {
  readonly store: Store;
  /** The folder of its one archive file. */
  readonly folder: string;
  readonly file: string;
  readonly place: CrawlPlace;
}

async function crawlWith(t: TestContext, its: ArchivePlace | null): Promise<Split> {
  const crawl = await makeSmallCrawl();
  const store = readSqliteStore(crawl.dir);
  t.after(async () => {
    await store.close();
    removeCrawl(crawl);
  });
  const folder = join(crawl.dir, 'archive');
  const [file] = readdirSync(folder);
  if (its !== null) {
    store.archivePlaces = async (files) => new Map(files === undefined || files.includes(file!) ? [[file!, its]] : []);
  }
  const cluster = { url: 'postgres://nobody@nowhere/', name: 'crawl' };
  return { store, folder, file: file!, place: { dir: crawl.dir, cluster, archives: [folder] } };
}

function emptyFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-archive-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('the error for a page on another machine names the machine, the folder and the worker', async (t) => {
  const { store, place, file } = await crawlWith(t, THERE);
  const elsewhere = { ...place, archives: [emptyFolder(t)] };
  const said = {
    code: 'ERR_ELSEWHERE',
    message: new RegExp(`${file} is on far.example in /srv/archive, written by worker blue#7`),
  };
  await assert.rejects(readCopy(store, elsewhere, `${SITE}/a`, LATEST_MS), said);
  const wanted = { fromMs: null, toMs: null, of: 'text' } as const;
  await assert.rejects(readDiff(store, elsewhere, `${SITE}/a`, wanted), said);
  assert.equal((await readCopy(store, place, `${SITE}/a`, LATEST_MS))?.body.toString(), 'the same');
});

test('the error for a file in another folder of this machine names the flag that finds it', async (t) => {
  const { store, place } = await crawlWith(t, { ...THERE, machine: hostname(), folder: '/srv/other' });
  await assert.rejects(readCopy(store, { ...place, archives: [emptyFolder(t)] }, `${SITE}/a`, LATEST_MS), {
    code: 'ERR_ELSEWHERE',
    message: /is in \/srv\/other, .*add --archive \/srv\/other$/,
  });
});

test('the file is read from whichever of several folders has it', async (t) => {
  const { store, place, folder } = await crawlWith(t, THERE);
  const archives = [emptyFolder(t), folder, emptyFolder(t)];
  assert.equal((await readCopy(store, { ...place, archives }, `${SITE}/b`, LATEST_MS))?.body.toString(), 'the same');
});

test('a damaged local file is not reported as being on another machine', async (t) => {
  const { store, place, folder, file } = await crawlWith(t, THERE);
  truncateSync(join(folder, file), 10);
  await assert.rejects(readCopy(store, place, `${SITE}/a`, LATEST_MS), { code: 'ERR_ARCHIVE' });
});

test('history works even if the contents are on another machine', async (t) => {
  const { store, place, folder, file } = await crawlWith(t, THERE);
  const found = async () => (await readHistory(store, place, `${SITE}/a`, 10)).looks.map((look) => look.found);
  assert.deepEqual(await found(), ['first']);
  renameSync(join(folder, file), join(folder, `${file}.away`));
  assert.deepEqual(await found(), ['elsewhere']);
});

async function bytesOf(chunks: AsyncGenerator<Buffer>): Promise<number> {
  let bytes = 0;
  for await (const chunk of chunks) bytes += chunk.length;
  return bytes;
}

test('an export contains all reachable files and says where the others are', async (t) => {
  const { store, place, folder, file } = await crawlWith(t, null);
  const files = new Map([...(await store.archiveFiles()), ['orbweaver-20260101000000-red.3-unit0-00001.warc.gz', 500]]);
  store.archiveFiles = async () => files;
  store.archivePlaces = async () =>
    new Map([...files.keys()].map((name) => [name, name === file ? { ...THERE, folder } : THERE]));
  const told: string[] = [];
  const bytes = await bytesOf(warcBytes(store, place, (line) => told.push(line)));
  assert.equal(bytes, files.get(file));
  assert.deepEqual(told, ['1 archive file is left out: on far.example in /srv/archive, written by blue#7']);
  const toldOfWacz: string[] = [];
  assert.ok((await bytesOf(waczBytes(store, place, (line) => toldOfWacz.push(line)))) > bytes);
  assert.deepEqual(toldOfWacz, told);
  for (const exported of [warcBytes, waczBytes]) {
    const nothing = exported(store, { ...place, archives: [emptyFolder(t)] }, () => {});
    await assert.rejects(bytesOf(nothing), { code: 'ERR_ELSEWHERE', message: /--archive/ });
  }
});

test('a file name that leads out of the folder is refused, even if the database has it', async (t) => {
  const { store, place, folder, file } = await crawlWith(t, THERE);
  const outside = '../secret.txt';
  writeFileSync(join(folder, outside), 'not for the export');
  const files = new Map([...(await store.archiveFiles()), [outside, 18]]);
  store.archiveFiles = async () => files;
  await assert.rejects(bytesOf(warcBytes(store, place, () => {})), {
    code: 'ERR_ARCHIVE',
    message: /not the name of an archive file/,
  });
  const folders = new ArchiveFolders(place);
  assert.deepEqual([folders.folderWith(outside), folders.folderWith(file)], [null, folder]);
  assert.equal(SourceFile.open(folder, outside, 18), null);
});

test('names of archive files identify their worker', () => {
  assert.equal(unitOf('blue-2#17', 'unit0'), 'blue-2.17-unit0');
  for (const unit of ['unit0', 'unit12-3', 'kept']) {
    assert.equal(ownerOf(`orbweaver-20260101000000-${unitOf('a.b-c_d#4', unit)}-00001.warc.gz`), 'a.b-c_d#4');
  }
  assert.equal(ownerOf('orbweaver-20260101000000-unit0-00001.warc.gz'), null);
  assert.equal(ownerOf('orbweaver-20260101000000-kept-00001.warc.gz'), null);
});

function worker(name: string, more: Partial<WorkerRecord> = {}): WorkerRecord {
  const owner = `${name}#1`;
  const news = { pages: 0, pagesPerSecond: 0, failures: 0, rssMb: 0, liveHosts: 0, underWay: 0, units: 1, window: 1 };
  const facts = {
    isIdle: false,
    isDraining: false,
    hostsWanted: 0,
    lastError: null,
    archiveDir: '',
    joinedAtMs: 0,
    beatAtMs: 0,
  };
  return { name, owner, life: 1, machine: HERE, pid: 4242, ...news, ...facts, isAlive: false, ...more };
}

/**
 * A folder with two files of each of these workers: one has bytes after its
 * committed end, the other has no committed record.
 */
async function mend(t: TestContext, workers: readonly WorkerRecord[], running: readonly number[]) {
  const folder = emptyFolder(t);
  const elsewhere = emptyFolder(t);
  const writer = writerIn(elsewhere);
  const { file } = writer.append(exchange());
  await writer.close();
  const complete = join(elsewhere, file);
  const committed = new Map<string, number>();
  const places = new Map<string, ArchivePlace>();
  const files = workers.map(({ owner, machine }) => {
    const name = (n: number) => `orbweaver-20260101000000-${unitOf(owner, 'unit0')}-0000${n}.warc.gz`;
    appendFileSync(join(folder, name(1)), 'x'.repeat(100));
    copyFileSync(complete, join(folder, name(2)));
    committed.set(name(1), 60);
    places.set(name(1), { owner, machine, folder });
    return [join(folder, name(1)), join(folder, name(2))] as const;
  });
  const forgotten: string[] = [];
  const store = {
    archiveFiles: async () => committed,
    archivePlaces: async () => places,
    forgetCaptures: async (file: string) => forgotten.push(file),
    note: async () => null,
  };
  const told: string[] = [];
  t.after(listen('crawl/warning', ({ message }) => told.push(message)));
  const mender = { machine: HERE, folder, nowMs: 0, isRunning: (pid: number) => running.includes(pid) };
  const run = (known: readonly WorkerRecord[] = workers) =>
    mendSharedArchive(store, { workers: async () => known }, mender);
  return { folder, files, committed, places, forgotten, told, run };
}

test('after a crash, only files that no process can have open are mended', async (t) => {
  const workers = [
    worker('dead', { pid: 1_001 }),
    worker('alive', { pid: 1_002, isAlive: true }),
    worker('frozen', { pid: 1_003 }),
    worker('far', { pid: 1_004, machine: 'far.example' }),
  ];
  const { files, run, told } = await mend(t, workers, [1_002, 1_003]);
  await run();
  const sizes = files.map(([first]) => statSync(first).size);
  assert.deepEqual(sizes, [60, 100, 100, 100]);
  assert.deepEqual(
    files.map(([, second]) => existsSync(second)),
    [true, true, true, true],
    'a file with complete records is never removed',
  );
  const cut = () => told.filter((line) => line.includes('were cut off')).length;
  assert.equal(cut(), 1);
  assert.ok(told.some((line) => line.includes('the records in 1 archive file are not in the database;')));
  await run();
  assert.equal(cut(), 1, 'a second time there is nothing to do');
});

test('files of workers that the store has forgotten are mended, but never removed', async (t) => {
  const { files, run } = await mend(t, [worker('old')], []);
  await run([]);
  assert.deepEqual([statSync(files[0]![0]).size, existsSync(files[0]![1])], [60, true]);
});

test('pages of a file that lost its end are fetched again, and a missing file keeps its captures', async (t) => {
  const { folder, files, run, forgotten, told, committed, places } = await mend(t, [worker('dead')], []);
  truncateSync(files[0]![0], 30);
  const away = 'orbweaver-20260101000000-dead.1-unit0-00009.warc.gz';
  committed.set(away, 500);
  places.set(away, { owner: 'dead#1', machine: HERE, folder });
  await run();
  assert.equal(forgotten.length, 1);
  assert.ok(!forgotten.includes(away));
  assert.ok(told.some((line) => line.includes('1 archive files that this machine wrote are not in')));
});

test('a folder with the same name on another machine is not mended', async (t) => {
  const { files, run, places } = await mend(t, [worker('dead')], []);
  for (const [name, its] of places) places.set(name, { ...its, folder: '/elsewhere' });
  await run();
  assert.equal(statSync(files[0]![0]).size, 100);
});
