/**
 * The follower that keeps the search index. In: the pages that commits have touched. Out: the index in the data folder,
 * which says what the copy says.
 *
 * What always holds: the position is in the index and is written in one transaction with the pages, so a lost index
 * begins again. One process writes an index at a time. A run does not fail because of its index: the failure is
 * reported, and the next run continues.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { OrbweaverError } from '../../../core/errors.ts';
import type { CrawlOptions } from '../../../core/options/options.ts';
import type { Follower, PositionStore } from '../../../followers/follower.ts';
import { positionAt, touchesAfter } from '../../../followers/sources.ts';
import type { FollowerHold, FollowerMove, FollowerRecord, Store, Touch } from '../../../store/contract.ts';
import { crawlIdOf, giveCrawlId } from '../../mending/crawl-identity.ts';
import type { CrawlPlace } from '../../place/crawl-place.ts';
import { IndexLock } from './index-lock.ts';
import type { IndexerSetup, IndexFigures, IndexPlace } from './indexer-messages.ts';
import { IndexerThread } from './indexer-thread.ts';
import type { IndexOptions } from './page-indexer.ts';

export const SEARCH_INDEX = 'search index';
const VERSION_INDEX = 'search index of versions';
/** The index of versions has a folder of its own, with files of the same names. */
const VERSION_FOLDER = 'search-versions';
/** Change it when pages are read in another way: all indexes are then made again. */
const READING_VERSION = 1;
/** A commit of the index has a price, so commits of the crawl gather; but not for long, because searches wait. */
const INDEX_FILES = ['search.db', 'search.db-wal', 'search.db-shm', 'search.db-journal'];
const BATCH_PAGES = 250;
const REST_MS = 500;
/** A damaged index must not keep each run waiting. */
const LAST_TRIES = 3;
/** A database that was rebuilt or replaced has other ids under the same id of the crawl. */
const BASE_NOTE = 'search-base';

/** The follower of a run that writes the store. */
export async function searchFollower(
  store: Pick<Store, 'note' | 'setNote' | 'touches'>,
  place: CrawlPlace,
  options: RunOptions,
  manner: SearchManner = {},
): Promise<SearchFollower> {
  await giveCrawlId(store);
  if ((await store.note(BASE_NOTE)) === null) await store.setNote(BASE_NOTE, crypto.randomUUID());
  return SearchFollower.over(store, place, options, manner);
}

export async function indexIdOf(store: Pick<Store, 'note'>): Promise<string> {
  return [await crawlIdOf(store), await store.note(BASE_NOTE), READING_VERSION].join('/');
}

/** The folder of the index of all stored versions. */
export function versionIndexDir({ dir }: Pick<CrawlPlace, 'dir'>): string {
  return join(dir, VERSION_FOLDER);
}

type RunOptions = IndexOptions & Pick<CrawlOptions, 'share'>;
type ThreadSetup = Pick<IndexerSetup, 'index' | 'indexId' | 'options' | 'share' | 'isAwaited'>;

/** How a run treats the index. */
export interface SearchManner {
  /** Nothing but the index is worked on: it is merged as far as that pays before it closes. */
  readonly settles?: boolean;
  /** The index of the pages as they are now (the default), or of all stored versions. */
  readonly kind?: IndexPlace['kind'];
}

export class SearchFollower implements Follower<Touch>, PositionStore {
  readonly name: string;
  readonly version = READING_VERSION;
  readonly batchItems = BATCH_PAGES;
  readonly restMs = REST_MS;
  readonly lastTries = LAST_TRIES;
  readonly source;
  readonly positions = this;
  readonly #dir: string;
  readonly #lock: IndexLock;
  readonly #thread: IndexerThread;
  #figures: IndexFigures | null = null;
  #opening: Promise<boolean> | null = null;

  readonly #manner: SearchManner;
  #result: Pick<IndexFigures, 'pages' | 'unread'> = { pages: 0, unread: { pages: 0, files: [] } };
  #isStopped = false;
  #hasFailed = false;

  private constructor(store: Pick<Store, 'touches'>, place: CrawlPlace, setup: ThreadSetup, manner: SearchManner) {
    this.source = touchesAfter(store);
    this.name = setup.index.kind === 'pages' ? SEARCH_INDEX : VERSION_INDEX;
    this.#dir = setup.index.dir;
    this.#lock = new IndexLock(this.#dir);
    this.#thread = new IndexerThread({ place, ...setup });
    this.#manner = manner;
  }

  static async over(
    store: Pick<Store, 'note' | 'touches'>,
    place: CrawlPlace,
    options: RunOptions,
    manner: SearchManner = {},
  ): Promise<SearchFollower> {
    const { settles: isAwaited = false, kind = 'pages' } = manner;
    const index = { kind, dir: kind === 'pages' ? place.dir : versionIndexDir(place) };
    const setup = { index, indexId: await indexIdOf(store), options: pick(options), share: options.share, isAwaited };
    return new SearchFollower(store, place, setup, manner);
  }

  /** The index after the last batch. */
  get result(): Pick<IndexFigures, 'pages' | 'unread'> {
    return this.#result;
  }

  #note(figures: IndexFigures | null): void {
    if (figures === null) return;
    this.#figures = figures;
    this.#result = { pages: figures.pages, unread: figures.unread };
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
      if (this.#figures === null) this.#note(await this.#thread.open());
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
      this.#note(await this.#thread.index(ids, positionAt(touches.at(-1)!)));
      this.#hasFailed = false;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
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
    const isSettling = this.#manner.settles === true && !this.#isStopped && !this.#hasFailed;
    if (isSettling && this.#figures !== null) await this.#thread.settle();
    await this.#thread.end();
    this.#figures = null;
    this.#lock.release();
  }

  /** Opens the index and empties it, also if it is damaged. Returns false while another process writes it. */
  async rebuild(): Promise<boolean> {
    try {
      if (!(await this.open())) return false;
      this.#note(await this.#thread.clear());
      return true;
    } catch (error) {
      if (!(error instanceof OrbweaverError) || error.code !== 'ERR_STORE') throw error;
      await this.releaseFollower();
    }
    if (!this.#lock.take()) return false;
    for (const file of INDEX_FILES) rmSync(join(this.#dir, file), { force: true });
    return this.open();
  }

  /** Tries the pages again that could not be read. The index must be open. */
  async retryUnread(): Promise<void> {
    this.#note(await this.#thread.retry());
  }

  /** The crawl or refresh has ended, and the run waits for the index. */
  hurrySoon(): void {
    this.#thread.hurrySoon();
  }

  stop(): void {
    this.#isStopped = true;
    this.#thread.stop();
  }
}

/** Secrets are not sent to a thread that needs none. */
function pick(options: IndexOptions): IndexOptions {
  const { sortQuery, dropTracking, keepFragment, maxUrlLength, maxBody, maxSitemapBody, maxLinks, userAgent } = options;
  return { sortQuery, dropTracking, keepFragment, maxUrlLength, maxBody, maxSitemapBody, maxLinks, userAgent };
}
