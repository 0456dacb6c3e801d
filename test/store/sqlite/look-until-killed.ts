/**
 * The crash test runs this file as a process. It crawls and visits pages again at random, reports the
 * newest change after each step, and never ends.
 */
import { writeSync } from 'node:fs';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { RandomLooks } from '../contract/model/random-looks.ts';
import { NOW_MS } from '../rows.ts';

const [dir, seed] = process.argv.slice(2);
const store = openSqliteStore(dir!, NOW_MS);
const looks = new RandomLooks(store, Number(seed));
await looks.begin();
for (;;) {
  await looks.step();
  const seq = await store.lastChange();
  const [newest] = await store.changes(seq - 1, 1);
  writeSync(1, `${JSON.stringify(newest ?? null)}\n`);
}
