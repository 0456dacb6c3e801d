/** Run as a process by the crash test: commits page after page, tells of each commit once it has its receipt, and never ends. */
import { writeSync } from 'node:fs';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { claimOne, commit, found, NOW_MS, page, resultOf } from './rows.ts';

const store = openSqliteStore(process.argv[2]!, NOW_MS);
await store.seed([found('http://a.test/')], NOW_MS);
const lease = await claimOne(store);
for (;;) {
  const [task] = await store.claimMore(lease.hostId, 1, new Set(), NOW_MS);
  const links = [1, 2, 3].map((n) => `${task!.url}${n}/`);
  const foundLinks = links.map((url) => found(url));
  await commit(store, [resultOf(lease, task!, { page: page(task!.url), foundLinks })]);
  writeSync(1, `${JSON.stringify({ url: task!.url, links })}\n`);
}
