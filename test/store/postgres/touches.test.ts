/**
 * Tests that a reader of marks misses none, although transactions end in another order than they took their numbers.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_TOUCH } from '../../../src/store/contract.ts';
import { parseAddress } from '../../../src/store/postgres/connection/address.ts';
import { Database } from '../../../src/store/postgres/connection/database.ts';
import { openPostgresStore, schemaOf } from '../../../src/store/postgres/postgres-store.ts';
import { lastTouch, nextTouch } from '../../../src/store/postgres/rows/touch-seq.ts';
import { noPostgres, testDatabase } from '../../setup/postgres.ts';
import { copyOf } from '../looking-again.ts';

const NAME = 'touches';
const SCHEMA = schemaOf(NAME);

test('a mark is read only when no smaller mark can follow', { skip: noPostgres }, async (t) => {
  const address = parseAddress(await testDatabase(t));
  const store = await openPostgresStore({ address, name: NAME, process: 'test' });
  t.after(() => store.close());
  const copy = await copyOf(store, { seed: { body: 'seed' }, a: { body: 'a' }, b: { body: 'b' } });
  const db = new Database(address, SCHEMA);
  t.after(() => db.close());
  const before = await store.touches(FIRST_TOUCH, 9);
  const [end] = before.slice(-1);
  const touch = (path: string, meanwhile: () => Promise<void> = async () => {}) =>
    db.transaction(async (session) => {
      const seq = await nextTouch(session, SCHEMA);
      await session.run(`UPDATE ${SCHEMA}.urls SET touched = $1 WHERE id = $2`, [seq, copy.id(path)]);
      await meanwhile();
      return seq;
    });
  let first = 0;
  const later = await touch('a', async () => {
    first = await touch('b');
    assert.deepEqual(await store.touches(end!, 9), [], 'the transaction with the smaller number still runs');
  });
  assert.ok(later < first);
  assert.deepEqual(await store.touches(end!, 9), [
    { seq: later, id: copy.id('a') },
    { seq: first, id: copy.id('b') },
  ]);
  await copy.look('seed', 'changed', { body: 'other' });
  assert.deepEqual(
    (await store.touches({ seq: first, id: copy.id('b') }, 9)).map(({ id }) => id),
    [copy.id('seed')],
  );
});

test('the last digits of a number may begin again at zero', { skip: noPostgres }, async (t) => {
  const address = parseAddress(await testDatabase(t));
  const store = await openPostgresStore({ address, name: NAME, process: 'test' });
  t.after(() => store.close());
  const db = new Database(address, SCHEMA);
  t.after(() => db.close());
  await db.run(`SELECT setval('${SCHEMA}.touch_seqs', ${2 ** 32 - 1})`);
  await db.transaction(async (session) => {
    assert.equal(await nextTouch(session, SCHEMA), 2 ** 32);
    assert.equal(await db.transaction((other) => nextTouch(other, SCHEMA)), 2 ** 32 + 1);
    assert.equal(await lastTouch(db, SCHEMA), 2 ** 32 - 1, 'the floor of the first transaction');
  });
  assert.equal(await lastTouch(db, SCHEMA), 2 ** 32 + 1);
});
