/**
 * The follower that keeps the search index. In: the pages that commits have touched. Out: the index in the data folder,
 * which says what the copy says.
 *
 * What always holds: the position is in the index and is written in one transaction with the pages, so a lost index
 * begins again. One process writes an index at a time. A run does not fail because of its index: the failure is
 * reported, and the next run continues.
 */
import { OrbweaverError } from '../../../core/errors.ts';
import type { Follower, PositionStore } from '../../../followers/follower.ts';
import { positionAt, touchesAfter } from '../../../followers/sources.ts';
import type { FollowerHold, FollowerMove, FollowerRecord, Store, Touch } from '../../../store/contract.ts';
import { crawlIdOf, giveCrawlId } from '../../mending/crawl-identity.ts';
import type { CrawlPlace } from '../../place/crawl-place.ts';
import { IndexLock } from './index-lock.ts';
import type { IndexFigures } from './indexer-messages.ts';
import { IndexerThread } from './indexer-thread.ts';
import type { IndexOptions } from './page-indexer.ts';

export const SEARCH_INDEX = 'search index';
/** Change it when pages are read in another way: all indexes are then made again. */
const READING_VERSION = 1;
/** A commit of the index has a price, so commits of the crawl gather; but not for long, because searches wait. */
const BATCH_PAGES = 1_000;
const REST_MS = 500;
/** A database that was rebuilt or replaced has other ids under the same id of the crawl. */
const BASE_NOTE = 'search-base';

/** The follower of a run that writes the store. */
export async function searchFollower(
  store: Pick<Store, 'note' | 'setNote' | 'touches'>,
  place: CrawlPlace,
  options: IndexOptions,
): Promise<SearchFollower> {
  await giveCrawlId(store);
  if ((await store.note(BASE_NOTE)) === null) await store.setNote(BASE_NOTE, crypto.randomUUID());
  return SearchFollower.over(store, place, options);
}

async function indexIdOf(store: Pick<Store, 'note'>): Promise<string> {
  return [await crawlIdOf(store), await store.note(BASE_NOTE), READING_VERSION].join('/');
}

export class SearchFollower implements Follower<Touch>, PositionStore {
  readonly name = SEARCH_INDEX;
  readonly version = READING_VERSION;
  readonly batchItems = BATCH_PAGES;
  readonly restMs = REST_MS;
  readonly source;
  readonly positions = this;
  readonly #lock: IndexLock;
  readonly #thread: IndexerThread;
  #figures: IndexFigures | null = null;
  #opening: Promise<boolean> | null = null;

  private constructor(store: Pick<Store, 'touches'>, place: CrawlPlace, options: IndexOptions, indexId: string) {
    this.source = touchesAfter(store);
    this.#lock = new IndexLock(place.dir);
    this.#thread = new IndexerThread({ place, indexId, options: pick(options) });
  }

  static async over(
    store: Pick<Store, 'note' | 'touches'>,
    place: CrawlPlace,
    options: IndexOptions,
  ): Promise<SearchFollower> {
    return new SearchFollower(store, place, options, await indexIdOf(store));
  }

  /** The figures after the last batch; null before the index was opened. */
  get figures(): IndexFigures | null {
    return this.#figures;
  }

  /** Takes the lock and opens the index. Returns false while another process writes it. */
  open(): Promise<boolean> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #open(): Promise<boolean> {
    if (!this.#lock.take()) return false;
    try {
      this.#figures ??= await this.#thread.open();
    } catch (error) {
      this.#lock.release();
      throw error;
    }
    return true;
  }

  async follow(touches: readonly Touch[], signal: AbortSignal): Promise<Record<never, never>> {
    const stop = (): void => this.#thread.stop();
    if (signal.aborted) return {};
    signal.addEventListener('abort', stop, { once: true });
    try {
      if (!(await this.open())) throw new OrbweaverError('ERR_LOCKED', 'another process writes the index');
      const ids = touches.map(({ id }) => id);
      this.#figures = (await this.#thread.index(ids, positionAt(touches.at(-1)!))) ?? this.#figures;
    } finally {
      signal.removeEventListener('abort', stop);
    }
    return {};
  }

  /** An index that cannot be opened now may be opened later: the first batch tries it again and reports the failure. */
  async holdFollower({ name, version, owner }: FollowerHold): Promise<FollowerRecord | null> {
    const isOpen = await this.open().catch(() => true);
    if (!isOpen) return null;
    return { name, version, owner, position: this.#figures?.position ?? null, heldUntilMs: Number.POSITIVE_INFINITY };
  }

  /** The batch has moved the position. */
  async moveFollower({ position }: FollowerMove): Promise<boolean> {
    return this.#figures?.position === position;
  }

  async releaseFollower(): Promise<void> {
    await this.#thread.end();
    this.#figures = null;
    this.#lock.release();
  }

  /** Empties the index. It must be open. */
  async rebuild(): Promise<void> {
    this.#figures = await this.#thread.clear();
  }

  /** Tries the pages again that could not be read. The index must be open. */
  async retryUnread(): Promise<void> {
    this.#figures = (await this.#thread.retry()) ?? this.#figures;
  }

  async settle(): Promise<void> {
    await this.#thread.settle();
  }

  stop(): void {
    this.#thread.stop();
  }
}

/** Secrets are not sent to a thread that needs none. */
function pick(options: IndexOptions): IndexOptions {
  const { sortQuery, dropTracking, keepFragment, maxUrlLength, maxBody, maxSitemapBody, maxLinks, userAgent } = options;
  return { sortQuery, dropTracking, keepFragment, maxUrlLength, maxBody, maxSitemapBody, maxLinks, userAgent };
}
