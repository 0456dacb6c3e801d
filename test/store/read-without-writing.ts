/**
 * Run as a process by the tests of reading: reads a data folder as a user who may not write to it. Prints all that the
 * store
 * tells, as one line, each time that a line arrives on the standard input; the store stays open in between.
 */
import { createInterface } from 'node:readline';
import { readSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { becomeAnotherUser } from './another-user.ts';
import { everything } from './rows.ts';

becomeAnotherUser();
const store = readSqliteStore(process.argv[2]!);
for await (const line of createInterface({ input: process.stdin })) {
  const told = line === 'urls' ? (await store.urls(0, 1_000_000)).map(({ id }) => id) : await everything(store);
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
await store.close();
