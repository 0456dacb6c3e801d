/**
 * Reads what `status` says about the search index of a copy. In: the store and the data folder. Out: the figures of the
 * index, and how many URLs it is behind.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { touchAt } from '../../../followers/sources.ts';
import type { Store } from '../../../store/contract.ts';
import type { CrawlPlace } from '../../place/crawl-place.ts';
import { IndexNotes, type UnreadSummary } from './index-notes.ts';
import { indexIdOf } from './search-follower.ts';

const INDEX_FILE = 'search.db';
/** More are not counted. */
const MAX_BEHIND = 10_000;

export interface IndexStatus {
  readonly pages: number;
  /** Bytes on the disk. */
  readonly bytes: number;
  /** Touched URLs that are not in the index as they are now; at most 10,000 are counted. */
  readonly behind: number;
  /** Time of the last write. */
  readonly at: string;
  readonly unread: UnreadSummary;
}

/** Null if the folder has no index of this crawl. */
export async function readIndexStatus(
  store: Pick<Store, 'note' | 'touches'>,
  { dir }: CrawlPlace,
): Promise<IndexStatus | null> {
  const bytes = [INDEX_FILE, `${INDEX_FILE}-wal`].map(
    (file) => statSync(join(dir, file), { throwIfNoEntry: false })?.size ?? 0,
  );
  const noted = bytes[0] === 0 ? null : IndexNotes.read(dir);
  if (noted === null || noted.state.indexId !== (await indexIdOf(store))) return null;
  const { position, pages, atMs } = noted.state;
  const behind = (await store.touches(touchAt(position), MAX_BEHIND)).length;
  return { pages, bytes: bytes[0]! + bytes[1]!, behind, at: new Date(atMs).toISOString(), unread: noted.unread };
}
