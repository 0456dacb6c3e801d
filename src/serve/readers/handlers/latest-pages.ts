/** The pages that the last commits wrote, newest first. */
import type { AnyStore } from '../../../crawl/place/open-store.ts';
import type { LatestPage } from '../../contract/live.ts';
import { iso } from './times.ts';

export async function latestPages(store: AnyStore, limit: number): Promise<LatestPage[]> {
  const touches = await store.lastTouches(limit);
  const records = new Map((await store.records(touches.map(({ id }) => id))).map((record) => [record.id, record]));
  return touches.flatMap(({ id }) => {
    const record = records.get(id);
    if (record === undefined) return [];
    const { url, title, state, reason, bytes, capture } = record;
    return [{ url, title, state, reason, bytes, at: capture === null ? null : iso(capture.fetchedAtMs) }];
  });
}
