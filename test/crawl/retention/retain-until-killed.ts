/**
 * The crash test runs this file as a process: retention that is killed after it has reported the given number of steps.
 */
import { join } from 'node:path';
import { listen } from '../../../src/core/events.ts';
import { ARCHIVE_FOLDER } from '../../../src/crawl/place/data-folder.ts';
import { retain } from '../../../src/crawl/retention/retain.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';

const [dir, nowMs, steps] = [process.argv[2]!, Number(process.argv[3]), Number(process.argv[4])];
let told = 0;
listen('retain/progress', ({ step }) => {
  told++;
  if (told < steps) return;
  process.stdout.write(step, () => {});
  process.kill(process.pid, 'SIGKILL');
});
const store = openSqliteStore(dir, nowMs);
await retain(store, join(dir, ARCHIVE_FOLDER), { kind: 'newest', contents: 2 }, nowMs, { neededShare: 1 });
await store.close();
process.stdout.write('all');
