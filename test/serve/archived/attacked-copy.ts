/** A data folder in which the crawl has archived responses as given, with the real store and archive. */
import { join } from 'node:path';
import { ARCHIVE_FOLDER } from '../../../src/crawl/place/data-folder.ts';
import { essenceOf } from '../../../src/page/content-kind.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { UrlNormalizer } from '../../../src/url/normalize.ts';
import { exchange, writerIn } from '../../archive/exchange.ts';
import { claimOne, commit, found, NOW_MS, resultOf } from '../../store/rows.ts';

export interface StoredResponse {
  readonly url: string;
  readonly contentType: string;
  readonly body: Buffer;
  readonly status?: number;
  readonly headers?: readonly string[];
  readonly atMs?: number;
}

/** The time of responses without one. */
export const STORED_AT_MS = NOW_MS + 1_000;

export async function storeResponses(dir: string, responses: readonly StoredResponse[]): Promise<void> {
  const archive = writerIn(join(dir, ARCHIVE_FOLDER));
  const normalizer = new UrlNormalizer();
  const captures = responses.map(({ url, contentType, body, status = 200, headers = [], atMs = STORED_AT_MS }) => {
    const type = contentType === '' ? [] : ['Content-Type', contentType];
    const given = { url: normalizer.normalize(url)!, fetchedAtMs: atMs, status, contentType: essenceOf(contentType) };
    const place = archive.append(exchange({ ...given, rawHeaders: [...type, ...headers], body: [body] }));
    return { url: given.url, capture: { ...place, fetchedAtMs: atMs, status, contentType: given.contentType } };
  });
  await archive.close();
  const store = openSqliteStore(dir, NOW_MS);
  await store.seed(
    [...new Set(captures.map(({ url }) => url))].map((url) => found(url)),
    NOW_MS,
  );
  const lease = await claimOne(store, { urlsPerHost: captures.length });
  const taskOf = new Map(lease.urls.map((task) => [task.url, task]));
  for (const { url, capture } of captures) {
    const results = [resultOf(lease, taskOf.get(url)!, { state: 'waiting', capture })];
    await commit(store, results, { archive: archive.flush() });
  }
  await store.close();
}
