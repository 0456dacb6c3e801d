/**
 * A data folder in which one page was fetched at three times, each time with another response.
 * It is made with the real store and archive.
 */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { HttpExchange } from '../../src/archive/warc-writer.ts';
import { ARCHIVE_FOLDER } from '../../src/crawl/place/data-folder.ts';
import type { CaptureRecord } from '../../src/store/contract.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { exchange, writerIn } from '../archive/exchange.ts';
import { claimOne, commit, found, NOW_MS, resultOf } from '../store/rows.ts';

export const PAGE = 'http://site.test/page';
export const OTHER = 'http://site.test/other';
/** The crawl knows this URL, but its record in the store points to the archived response of another URL. */
export const MISLED = 'http://site.test/misled';

export const ANSWERS = [
  { fetchedAtMs: Date.UTC(2024, 4, 1, 12, 0, 0, 500), status: 200, text: 'version one' },
  { fetchedAtMs: Date.UTC(2025, 2, 10, 8, 30, 15, 250), status: 503, text: 'not now' },
  { fetchedAtMs: Date.UTC(2025, 10, 15, 9, 46, 40, 123), status: 200, text: 'version two' },
] as const;

export async function fetchOverTime(dir: string): Promise<readonly CaptureRecord[]> {
  const archive = writerIn(join(dir, ARCHIVE_FOLDER));
  const keep = (url: string, atMs: number, status: number, more: Partial<HttpExchange>): CaptureRecord => {
    const contentType = 'text/html';
    const place = archive.append(exchange({ url, fetchedAtMs: atMs, status, contentType, ...more }));
    return { fetchedAtMs: atMs, status, contentType, ...place };
  };
  const ours = ANSWERS.map(({ fetchedAtMs, status, text }) =>
    keep(PAGE, fetchedAtMs, status, {
      rawHeaders: ['Content-Type', 'text/html', 'Content-Encoding', 'gzip'],
      body: [gzipSync(text)],
    }),
  );
  const others = keep(OTHER, NOW_MS, 200, { body: [Buffer.from('another page')] });
  await archive.close();

  const store = openSqliteStore(dir, NOW_MS);
  await store.seed([found(PAGE), found(OTHER), found(MISLED)], NOW_MS);
  const lease = await claimOne(store);
  const capturesOf: Record<string, readonly CaptureRecord[]> = { [PAGE]: ours, [OTHER]: [others], [MISLED]: [others] };
  for (const task of lease.urls) {
    for (const capture of capturesOf[task.url]!) {
      const results = [resultOf(lease, task, { state: 'waiting', capture })];
      await commit(store, results, { archive: archive.flush() });
    }
  }
  await store.close();
  return ours;
}
