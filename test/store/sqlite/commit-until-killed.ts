/**
 * The crash test runs this file as a process. It commits page after page, reports each commit after its
 * receipt, and never ends. Each page links to the first known URLs, and the links are counted now and then, so
 * that the kill can also happen during the count.
 */
import { writeSync } from 'node:fs';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { claimOne, commit, found, linksTo, NOW_MS, page, resultOf } from '../rows.ts';

const store = openSqliteStore(process.argv[2]!, NOW_MS);
await store.seed([found('http://a.test/')], NOW_MS);
const lease = await claimOne(store);
for (let commits = 1; ; commits++) {
  const [task] = await store.claimMore(lease.hostId, { limit: 1, besides: new Set(), nowMs: NOW_MS });
  const links = [1, 2, 3].map((n) => `${task!.url}${n}/`);
  const foundLinks = links.map((url) => found(url));
  const known = (await store.urls(0, 1 + (commits % 7))).map(({ id }) => id);
  const result = resultOf(lease, task!, { page: page(task!.url), foundLinks, knownLinks: linksTo(known) });
  await commit(store, [result]);
  if (commits % 3 === 0) await store.countLinks();
  writeSync(1, `${JSON.stringify({ url: task!.url, links })}\n`);
}
