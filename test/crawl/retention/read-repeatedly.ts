/**
 * A process that runs beside retention. It reads the newest response of every page again and again, reports each pass,
 * and ends when its input ends. It reads the current record of the store and also the record from the previous pass.
 */

import { LATEST_MS, readCopy, readRecord } from '../../../src/crawl/place/read-archived.ts';
import type { CaptureRecord } from '../../../src/store/contract.ts';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';

const [dir, ...urls] = process.argv.slice(2) as [string, ...string[]];
const store = readSqliteStore(dir);
let isOver = false;
process.stdin.on('end', () => {
  isOver = true;
});
process.stdin.resume();
const before = new Map<string, CaptureRecord>();
while (!isOver) {
  let failed = '';
  for (const url of urls) {
    try {
      const copy = await readCopy(store, dir, url, LATEST_MS);
      const old = before.get(url);
      before.set(url, copy!.record);
      if (old !== undefined) await readRecord(dir, url, old, { maxBody: 1_000_000, maxSitemapBody: 0 });
    } catch (error) {
      // A response that is no longer the newest may be dropped.
      const { code, message } = error as { code?: string; message: string };
      if (code !== 'ERR_NOT_IN_COPY') failed = message;
    }
  }
  process.stdout.write(`${failed === '' ? 'whole' : failed}\n`);
  await new Promise((resolve) => setImmediate(resolve));
}
await store.close();
