/**
 * Opens a data folder as a crawl does and takes its first URLs, in a separate process:
 *
 *     node open-store.ts <folder>
 *
 * Prints one JSON object: the time to open, the time until the first URLs are there, and that time counted from the
 * start of the process.
 */
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('usage: open-store.ts <folder>\n');
  process.exit(2);
}
const owner = 'open-store';
const startMs = performance.now();
const nowMs = Date.now();
const store = openSqliteStore(folder, nowMs);
const openedMs = performance.now();
const leases = await store.claim({ owner, hosts: 512, urlsPerHost: 64, nowMs, leaseMs: 60_000 });
const claimedMs = performance.now();
await store.release(
  owner,
  leases.map(({ hostId }) => hostId),
  nowMs,
);
await store.close();
const urls = leases.reduce((sum, lease) => sum + lease.urls.length, 0);
process.stdout.write(
  `${JSON.stringify({ openMs: openedMs - startMs, firstUrlsMs: claimedMs - startMs, processMs: claimedMs, urls })}\n`,
);
