import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCopy } from '../../src/index.ts';
import { HOST, keepAnswers, LOST, NEVER, NEWS, ONCE, SITE_ANSWERS } from '../copy/versions-over-time.ts';
import { dataFolder } from '../crawl/stored-crawl.ts';

test('a copy returns the history of a URL and its changes', async (t) => {
  const dir = dataFolder(t);
  await keepAnswers(dir, SITE_ANSWERS);
  await using copy = await openCopy(dir);

  const { total, looks } = (await copy.history(NEWS))!;
  assert.equal(total, 6);
  assert.deepEqual(
    looks.map(({ found }) => found),
    ['same', 'changed', 'redirect', 'error', 'same', 'first'],
  );
  assert.deepEqual(looks[1]!.fetchedAt, new Date('2026-03-05T08:00:00Z'));
  assert.equal((await copy.history(NEWS, { limit: 1 }))!.looks.length, 1);
  assert.deepEqual((await copy.history(NEVER))!.looks, []);

  const changes = (await copy.diff('site.test/news'))!;
  assert.deepEqual([changes.wordsAdded, changes.wordsRemoved, changes.hunks.length], [5, 4, 1]);
  assert.deepEqual([changes.from!.title, changes.to.title], ['News', 'Fresh news']);
  assert.deepEqual([changes.from!.digest, changes.to.digest], [looks[4]!.digest, looks[0]!.digest]);
  const added = changes.hunks[0]!.pieces.filter(({ kind }) => kind === 'added').map(({ text }) => text);
  assert.deepEqual(added, ['forty', 'Evil \x9b31m']);

  const source = (await copy.diff(new URL(NEWS), { of: 'source', context: 0 }))!;
  assert.deepEqual([source.of, source.wordsAdded, source.hunks.length], ['source', 5, 2]);
  const same = (await copy.diff(NEWS, { from: new Date('2026-03-01T09:00Z'), to: new Date('2026-03-02T09:00Z') }))!;
  assert.deepEqual([same.compared, same.hunks], [true, []]);
  assert.equal((await copy.diff(ONCE))!.from, null);
});

test('missing data is null, and invalid arguments are refused', async (t) => {
  const dir = dataFolder(t);
  await keepAnswers(dir, SITE_ANSWERS);
  await using copy = await openCopy(dir);
  assert.equal(await copy.history(`${HOST}/unheard-of`), null);
  assert.equal(await copy.diff(`${HOST}/unheard-of`), null);
  assert.equal(await copy.diff(LOST), null);
  assert.equal(await copy.diff(NEWS, { to: new Date('2026-02-01') }), null);
  const refused = { code: 'ERR_BAD_OPTION' };
  await assert.rejects(copy.history(NEWS, { limit: -1 }), refused);
  await assert.rejects(copy.diff(NEWS, { context: 0.5 }), refused);
  await assert.rejects(copy.diff(NEWS, { from: new Date(Number.NaN) }), refused);
  await assert.rejects(copy.diff(NEWS, { from: new Date(2), to: new Date(1) }), refused);
  await assert.rejects(copy.diff(NEWS, { of: 'words' as 'text' }), refused);
});
