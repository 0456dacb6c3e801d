import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type PageDiff, readDiff } from '../../src/copy/read-diff.ts';
import { readHistory } from '../../src/copy/read-history.ts';
import type { Store } from '../../src/store/contract.ts';
import { readSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { hostOf } from '../../src/url/host.ts';
import { urlKeyHex } from '../../src/url/key.ts';
import { dataFolder } from '../crawl/stored-crawl.ts';
import {
  type Answer,
  HOST,
  keepAnswers,
  LOST,
  NEVER,
  NEWS,
  ONCE,
  PICTURE,
  SITE_ANSWERS,
} from './versions-over-time.ts';

const PAGE = `${HOST}/page`;

async function openWith(t: TestContext, answers: Readonly<Record<string, readonly Answer[]>>) {
  const dir = dataFolder(t);
  await keepAnswers(dir, answers);
  const store = readSqliteStore(dir);
  t.after(() => store.close());
  return { dir, store };
}

function days(...bodies: readonly (string | Partial<Answer>)[]): Answer[] {
  return bodies.map((given, i) => {
    const at = `2026-03-${String(i + 1).padStart(2, '0')}T08:00:00Z`;
    return typeof given === 'string' ? { at, body: given } : { at, body: '', ...given };
  });
}

/** Damages the stored bytes of a capture. The record in the store stays. */
async function damage(store: Store, dir: string, url: string, newestFirst: number): Promise<void> {
  const record = (await store.capturesOf(hostOf(url), urlKeyHex(url), Number.MAX_SAFE_INTEGER, 100))[newestFirst]!;
  const path = join(dir, 'archive', record.file);
  const bytes = readFileSync(path);
  bytes[record.offset + record.length - 20]! ^= 0x10;
  writeFileSync(path, bytes);
}

test('history lists every visit to a page, newest first, with its finding', async (t) => {
  const { dir, store } = await openWith(t, SITE_ANSWERS);
  const { total, looks } = await readHistory(store, dir, NEWS, 100);
  assert.equal(total, 6);
  const told = looks.map(({ found, status, wordsAdded, wordsRemoved }) => [found, status, wordsAdded, wordsRemoved]);
  assert.deepEqual(told, [
    ['same', 200, null, null],
    ['changed', 200, 5, 4],
    ['redirect', 302, null, null],
    ['error', 503, null, null],
    ['same', 200, null, null],
    ['first', 200, null, null],
  ]);
  assert.equal(looks[2]!.leadsTo, '/login\x1b[2J');
  assert.deepEqual([looks[0]!.digest, looks[4]!.digest], [looks[1]!.digest, looks[5]!.digest]);
  assert.notEqual(looks[1]!.digest, looks[4]!.digest);
  assert.equal(looks[3]!.bytes, 'not now'.length);
});

test('the oldest visit that is shown is compared with the visit before it', async (t) => {
  const { dir, store } = await openWith(t, SITE_ANSWERS);
  const whole = await readHistory(store, dir, NEWS, 100);
  for (let limit = 0; limit < 6; limit++) {
    const some = await readHistory(store, dir, NEWS, limit);
    assert.deepEqual([some.total, some.looks], [6, whole.looks.slice(0, limit)], `${limit} looks`);
  }
});

test('the same content in another coding is unchanged, and content that returns is a change', async (t) => {
  const gzip = { body: gzipSync('<p>one</p>'), headers: ['Content-Type', 'text/html', 'Content-Encoding', 'gzip'] };
  const { dir, store } = await openWith(t, {
    [PAGE]: days('<p>one</p>', gzip, '<p>two</p>', '<p>one</p>', { status: 304 }),
  });
  const { looks } = await readHistory(store, dir, PAGE, 100);
  assert.deepEqual(looks.map(({ found }) => found).reverse(), ['first', 'same', 'changed', 'changed', 'same']);
  assert.deepEqual([looks[0]!.bytes, looks[0]!.digest], [looks[1]!.bytes, looks[1]!.digest]);
});

test('a content that was dropped is reported, and the next one does not count as the first', async (t) => {
  const { dir, store } = await openWith(t, { [PAGE]: days('<p>one</p>', '<p>two</p>', '<p>three</p>') });
  await damage(store, dir, PAGE, 2);
  const { looks } = await readHistory(store, dir, PAGE, 100);
  assert.deepEqual(
    looks.map(({ found, bytes, wordsAdded }) => [found, bytes === null, wordsAdded]),
    [
      ['changed', false, 1],
      ['changed', false, null],
      ['unreadable', true, null],
    ],
  );
});

/** The pieces of text that were removed and added. */
function changes(page: PageDiff | null): string[] {
  const pieces = page?.diff?.regions.flatMap((region) => region.pieces) ?? [];
  return pieces.filter(({ kind }) => kind !== 'same').map(({ kind, text }) => `${kind} ${text}`);
}

const day = (date: number) => Date.UTC(2026, 2, date, 23, 59, 59, 999);

test('a diff compares the last two different contents, or the contents at two times', async (t) => {
  const bodies = [
    '<p>one</p>',
    '<p>two</p>',
    { status: 500, body: 'oops' },
    '<p>three</p>',
    '<p>three</p>',
    '<p>two</p>',
  ];
  const { dir, store } = await openWith(t, { [PAGE]: days(...bodies) });
  const asked: readonly (readonly [number | null, number | null, readonly string[]])[] = [
    [null, null, ['removed three', 'added two']],
    [null, 5, ['removed two', 'added three']],
    [null, 3, ['removed one', 'added two']],
    [1, null, ['removed one', 'added two']],
    [1, 4, ['removed one', 'added three']],
    [3, 4, ['removed two', 'added three']],
    [2, 6, []],
    [4, 5, []],
  ];
  for (const [from, to, right] of asked) {
    const fromMs = from === null ? null : day(from);
    const toMs = to === null ? null : day(to);
    const page = await readDiff(store, dir, PAGE, { fromMs, toMs, of: 'text' });
    assert.deepEqual(changes(page), right, `${from} to ${to}`);
    assert.ok(page!.from !== null && page!.diff !== null);
  }
  // The old content was last seen on the 2nd and the new content first on the 4th: the change lies between them.
  const last = await readDiff(store, dir, PAGE, { fromMs: null, toMs: day(5), of: 'text' });
  assert.deepEqual(
    [last!.from!.fetchedAtMs, last!.to.fetchedAtMs].map((ms) => new Date(ms).getUTCDate()),
    [2, 4],
  );
  const first = await readDiff(store, dir, PAGE, { fromMs: null, toMs: day(1), of: 'text' });
  assert.deepEqual([first!.from, first!.diff, first!.to.bytes], [null, null, '<p>one</p>'.length]);
  assert.equal(await readDiff(store, dir, PAGE, { fromMs: day(0), toMs: null, of: 'text' }), null);
  assert.equal(await readDiff(store, dir, PAGE, { fromMs: null, toMs: day(0), of: 'text' }), null);
});

test('text or source can be compared, for any text document', async (t) => {
  const json = ['Content-Type', 'application/json; charset=utf-8'];
  const latin = ['Content-Type', 'text/html; charset=iso-8859-1'];
  const { dir, store } = await openWith(t, {
    [PAGE]: days('<p class=a>silk</p>', '<p class=b>silk</p>'),
    [`${HOST}/json`]: days({ body: '{"n": 1}', headers: json }, { body: '{"n": 2}', headers: json }),
    [`${HOST}/latin`]: days({ body: Buffer.from('<p>caf\xe9', 'latin1'), headers: latin }, '<p>café</p><p>thé</p>'),
    [`${HOST}/both`]: days({ body: Buffer.from([0, 1]), headers: ['Content-Type', 'image/gif'] }, '<p>x</p>'),
  });
  const diff = (url: string, of: 'text' | 'source') => readDiff(store, dir, url, { fromMs: null, toMs: null, of });
  assert.deepEqual(changes(await diff(PAGE, 'text')), []);
  assert.deepEqual(changes(await diff(PAGE, 'source')), ['removed a', 'added b']);
  assert.deepEqual(changes(await diff(`${HOST}/json`, 'text')), ['removed 1', 'added 2']);
  assert.deepEqual(changes(await diff(`${HOST}/latin`, 'text')), ['added thé\n']);
  const both = await diff(`${HOST}/both`, 'text');
  assert.deepEqual([both!.diff, both!.from!.contentType, both!.to.contentType], [null, 'image/gif', 'text/html']);
});

test('pages without contents have no diff, and their history lists their visits', async (t) => {
  const { dir, store } = await openWith(t, SITE_ANSWERS);
  const wanted = { fromMs: null, toMs: null, of: 'text' } as const;
  assert.equal(await readDiff(store, dir, LOST, wanted), null);
  assert.equal(await readDiff(store, dir, NEVER, wanted), null);
  assert.equal((await readDiff(store, dir, ONCE, wanted))!.from, null);
  assert.equal((await readDiff(store, dir, PICTURE, wanted))!.diff, null);
  assert.deepEqual((await readHistory(store, dir, NEVER, 10)).looks, []);
  assert.deepEqual(
    (await readHistory(store, dir, LOST, 10)).looks.map(({ found }) => found),
    ['error'],
  );
});
