/**
 * The reading tests run this file as a process. It reads a data folder as a user who may not write to it. For each line
 * on standard input it prints everything that the store holds as one line. The store stays open in between.
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
