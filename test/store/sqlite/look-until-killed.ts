/** Run as a process by the crash test: crawls and looks again at random, tells of the newest change after each step, never ends. */
import { writeSync } from 'node:fs';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { RandomLooks } from './contract/random-looks.ts';
import { NOW_MS } from './rows.ts';

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
