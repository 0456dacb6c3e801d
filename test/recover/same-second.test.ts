/** Visits of one second, one of them at exactly a whole second, are different visits if their dates have a fraction. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { warcBytes } from '../../src/cli/commands/export-archive.ts';
import { readHistory } from '../../src/copy/read-history.ts';
import { startRecovery } from '../../src/recover/recover.ts';
import { readSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { assertSound, dataFolder } from '../crawl/stored-crawl.ts';
import { answer } from './odd-warc.ts';

const URL = 'http://same.test/';

const visitAt = (time: string): Buffer => answer(URL, 'the same words', { date: `2024-03-04T05:06:${time}Z` });

function fileOf(t: TestContext, ...times: string[]): string {
  const path = join(dataFolder(t), 'visits.warc');
  writeFileSync(path, Buffer.concat(times.map(visitAt)));
  return path;
}

/** Returns how many answers were not in the copy yet. */
async function importInto(dir: string, file: string): Promise<number> {
  return (await startRecovery({ dir, files: [file], seeds: [], sources: [], rebuild: false }).summary).imported!
    .answers;
}

/** Seconds and milliseconds of all visits that the history shows, newest first. */
async function visitsIn(dir: string): Promise<string[]> {
  const store = readSqliteStore(dir);
  try {
    const { looks } = await readHistory(store, dir, URL, 100);
    return looks.map(({ fetchedAtMs }) => new Date(fetchedAtMs).toISOString().slice(17, -1));
  } finally {
    await store.close();
  }
}

test('visits within a second of a visit at a whole second are imported, exported and recovered', async (t) => {
  const dir = dataFolder(t);
  const visits = ['09.000', '08.999', '08.500', '08.000'];
  assert.equal(await importInto(dir, fileOf(t, '08.000', '08.500')), 2);
  assert.equal(await importInto(dir, fileOf(t, '08.500', '08.999', '09.000')), 2, 'also in two imports');
  assert.deepEqual(await visitsIn(dir), visits);

  await startRecovery({ dir, files: [], seeds: [], sources: [], rebuild: true }).summary;
  assert.deepEqual(await visitsIn(dir), visits);

  const exported = join(dataFolder(t), 'own.warc.gz');
  const store = readSqliteStore(dir);
  writeFileSync(exported, await buffer(warcBytes(store, dir)));
  await store.close();
  assert.equal(await importInto(dir, exported), 0);
  const other = dataFolder(t);
  assert.equal(await importInto(other, exported), 4);
  assert.deepEqual(await visitsIn(other), visits);
  await assertSound(other);
});

for (const [name, first, second] of [
  ['a date of a whole second is every time in it', ['08.200', '09.300'], ['08', '09']],
  ['a time in a second that is known from a date of a whole second is known', ['08', '09'], ['08.200', '09.300']],
] as const) {
  test(name, async (t) => {
    const together = dataFolder(t);
    assert.equal(await importInto(together, fileOf(t, ...first, ...second)), 2, 'in one import');
    const dir = dataFolder(t);
    assert.equal(await importInto(dir, fileOf(t, ...first)), 2);
    assert.equal(await importInto(dir, fileOf(t, ...second)), 0, 'in two imports');
    await startRecovery({ dir, files: [], seeds: [], sources: [], rebuild: true }).summary;
    assert.equal(await importInto(dir, fileOf(t, ...second)), 0, 'after a recovery');
    assert.equal((await visitsIn(dir)).length, 2);
  });
}
