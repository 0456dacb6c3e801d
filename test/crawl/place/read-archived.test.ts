import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LATEST_MS, readCopy, timesFetched } from '../../../src/crawl/place/read-archived.ts';
import type { CaptureRecord, Store } from '../../../src/store/contract.ts';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { ANSWERS, fetchOverTime, MISLED, OTHER, PAGE } from '../../copy/fetched-over-time.ts';
import { dataFolder } from '../stored-crawl.ts';

async function openHistory(t: TestContext): Promise<{ dir: string; store: Store; captures: readonly CaptureRecord[] }> {
  const dir = dataFolder(t);
  const captures = await fetchOverTime(dir);
  const store = readSqliteStore(dir);
  t.after(() => store.close());
  return { dir, store, captures };
}

test('the newest response that is not later than a time is found, to the millisecond', async (t) => {
  const { dir, store, captures } = await openHistory(t);
  const [first, second, third] = ANSWERS;
  const asked: readonly (readonly [number, number])[] = [
    [first.fetchedAtMs, 0],
    [second.fetchedAtMs - 1, 0],
    [second.fetchedAtMs, 1],
    [third.fetchedAtMs - 1, 1],
    [third.fetchedAtMs, 2],
    [LATEST_MS, 2],
  ];
  for (const [atMs, right] of asked) {
    const copy = await readCopy(store, dir, PAGE, atMs);
    assert.equal(copy?.body.toString(), ANSWERS[right]!.text, `${atMs}`);
    assert.deepEqual(copy?.record, captures[right]);
    assert.deepEqual([copy?.capture.status, copy?.fault], [ANSWERS[right]!.status, null]);
  }
  assert.equal(await readCopy(store, dir, PAGE, first.fetchedAtMs - 1), null);
  assert.equal(await readCopy(store, dir, 'http://site.test/unknown', LATEST_MS), null);
  assert.equal((await readCopy(store, dir, OTHER, LATEST_MS))?.body.toString(), 'another page');
});

test('the fetch times of a URL are listed oldest first', async (t) => {
  const { store } = await openHistory(t);
  const right = ANSWERS.map(({ fetchedAtMs }) => fetchedAtMs);
  assert.deepEqual(await timesFetched(store, PAGE), right);
  assert.deepEqual(await timesFetched(store, 'http://site.test/unknown'), []);
});

test('an intact record of another URL is refused', async (t) => {
  const { dir, store } = await openHistory(t);
  const refused = { code: 'ERR_ARCHIVE', message: /does not hold the capture of http:\/\/site\.test\/misled/ };
  await assert.rejects(readCopy(store, dir, MISLED, LATEST_MS), refused);
});

test('damage to one response leaves the others readable', async (t) => {
  const { dir, store, captures } = await openHistory(t);
  const { file, offset, length } = captures[1]!;
  const path = join(dir, 'archive', file);
  const bytes = readFileSync(path);
  bytes[offset + length - 20]! ^= 0x10;
  writeFileSync(path, bytes);
  await assert.rejects(readCopy(store, dir, PAGE, captures[1]!.fetchedAtMs), { code: 'ERR_ARCHIVE' });
  for (const i of [0, 2]) {
    assert.equal((await readCopy(store, dir, PAGE, captures[i]!.fetchedAtMs))?.body.toString(), ANSWERS[i]!.text);
  }
});

test('a large response is read completely after --max-body was reduced', async (t) => {
  const { dir, store } = await openHistory(t);
  const [capturesOf, payloadPlace] = [store.capturesOf.bind(store), store.payloadPlace.bind(store)];
  const archivePlaces = async () => new Map();
  const later = { capturesOf, payloadPlace, archivePlaces, note: async () => '{"maxBody":3}' };
  assert.equal((await readCopy(later, dir, OTHER, LATEST_MS))?.body.toString(), 'another page');
});
