/** A client that falls silent in the middle of a transaction: a machine without power, a way that is cut, a process that is frozen. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pass } from 'node:timers/promises';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { Database } from '../../src/store/postgres/database.ts';
import { noPostgres, testDatabase } from '../setup/postgres.ts';

async function openDatabase(t: TestContext): Promise<Database> {
  const db = new Database(parseAddress(await testDatabase(t)), 'unused');
  t.after(() => db.close());
  return db;
}

test('W12 the server ends a transaction that falls silent, and with it what it keeps from others', {
  skip: noPostgres,
}, async (t) => {
  const db = await openDatabase(t);
  const asked = "SELECT current_setting('idle_in_transaction_session_timeout') AS limit";
  assert.equal(await db.transaction(async (session) => (await session.all(asked))[0]!.limit), '15s');
  const reading = db.transaction(async (session) => (await session.all(asked))[0]!.limit, { isSnapshot: true });
  assert.equal(await reading, '0', 'who only reads may take its time');
  assert.equal((await db.all(asked))[0]!.limit, '0', 'nothing is left behind for whoever has the connection next');
});

test('who was silent for too long and wakes begins the transaction anew', { skip: noPostgres }, async (t) => {
  const db = await openDatabase(t);
  let runs = 0;
  const answer = await db.transaction(async (session) => {
    runs++;
    if (runs === 1) {
      await session.run('SET LOCAL idle_in_transaction_session_timeout = 50');
      await pass(400);
    }
    return (await session.all('SELECT 1 AS one'))[0]!.one;
  });
  assert.deepEqual([answer, runs], [1, 2]);
});
