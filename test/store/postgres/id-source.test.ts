/** Tests ids that are reserved by the thousand: nobody uses ids from a transaction that was not committed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Session } from '../../../src/store/postgres/connection/database.ts';
import { IdSource } from '../../../src/store/postgres/discovery/id-source.ts';

/** A fake server that gives a thousand ids for each query and counts the queries. */
function server(): { readonly session: Session; asked: number } {
  const state = { asked: 0 };
  const all = async () => [{ first: 1 + 1_000 * state.asked++ }];
  return Object.assign(state, { session: { all } as unknown as Session });
}

test('the rest of a thousand ids is used when its transaction has ended', async () => {
  const from = server();
  const { session } = from;
  const source = new IdSource('s');
  const first = await source.take(session, 3);
  assert.deepEqual(first.ids, [1, 2, 3]);
  source.keep(first.rest);
  const second = await source.take(session, 999);
  assert.deepEqual([second.ids.length, second.ids[0], second.ids.at(-1)], [999, 4, 1_002]);
  assert.equal(new Set([...first.ids, ...second.ids]).size, 1_002);
  assert.equal(from.asked, 2);
});

test('no ids of a lost transaction are kept, because the server may give them out again after a crash', async () => {
  const before = server();
  const source = new IdSource('s');
  const lost = await source.take(before.session, 10);
  // These ids were never committed. The server has forgotten that it gave them, and gives them to another process.
  const after = server();
  const [others, again] = [await new IdSource('s').take(after.session, 10), await source.take(after.session, 10)];
  assert.deepEqual(lost.ids, others.ids);
  assert.ok(again.ids.every((id) => !others.ids.includes(id)));
  assert.equal(after.asked, 2);
});

test('two transactions at the same time share no ids', async () => {
  const { session } = server();
  const source = new IdSource('s');
  source.keep((await source.take(session, 1)).rest);
  const taken = await Promise.all([600, 600, 600].map((count) => source.take(session, count)));
  const ids = taken.flatMap((one) => one.ids);
  assert.equal(new Set(ids).size, 1_800);
  for (const one of taken) source.keep(one.rest);
  const next = await source.take(session, 100);
  assert.ok(next.ids.every((id) => !ids.includes(id)));
});
