/**
 * Writes the index of a copy (E9). In: pages as they are now, and pages that are gone. Out: `search.db`.
 *
 * What always holds: all pages of a commit, and the position up to which the index follows the copy, become durable
 * together. A page that is added again replaces its earlier form. A crash loses only what was added after the last
 * commit. One process writes at a time; the caller holds the lock.
 */
import type { SearchPage } from '../search-page.ts';
import { INDEX_VERSION, IndexDatabase, type SegmentRow, VERSION_NOTE } from './index-database.ts';
import { PageBits } from './page-bits.ts';
import { RunningMerge } from './running-merge.ts';
import { PageBuffer } from './segment/page-buffer.ts';
import { SegmentDraft } from './segment/segment-draft.ts';
import { writeSegment } from './segment/write-segment.ts';
import type { BuiltSegment } from './segment-builder.ts';

/** So many segments of about the same size are joined. */
const MERGE_SEGMENTS = 8;
/** A segment of which more pages are dead is written again. */
const MOST_DEAD = 0.3;

const CRAWL = 'crawl';
const POSITION = 'position';

export class IndexWriter {
  readonly #database: IndexDatabase;
  readonly #crawlId: string;
  #buffer = new PageBuffer();
  /** The pages of the buffer by their URLs; null: the page is removed. */
  #pending = new Map<number, number | null>();
  /** Segments of other threads that wait for the next commit. */
  #adopted: BuiltSegment[] = [];
  #merge: RunningMerge | null = null;

  private constructor(database: IndexDatabase, crawlId: string) {
    this.#database = database;
    this.#crawlId = crawlId;
  }

  /** Opens or creates the index in this folder. An index of another crawl, or of another version, is emptied. */
  static open(dir: string, crawlId: string): IndexWriter {
    const database = IndexDatabase.openForWriting(dir);
    const writer = new IndexWriter(database, crawlId);
    const isOurs = database.note(CRAWL) === crawlId && database.note(VERSION_NOTE) === String(INDEX_VERSION);
    if (!isOurs) writer.clear();
    return writer;
  }

  get database(): IndexDatabase {
    return this.#database;
  }

  /** How far the index follows the copy; null at the beginning. */
  get position(): string | null {
    return this.#database.note(POSITION);
  }

  /** The number of pages in the index, without those that wait for the next commit. */
  get pages(): number {
    return this.#database.segments().reduce((sum, { facts, dead }) => sum + facts.pages - dead.count, 0);
  }

  /** The number of pages that wait for the next commit. */
  get waiting(): number {
    return this.#pending.size;
  }

  add(page: SearchPage): void {
    this.#pending.set(page.urlId, this.#buffer.add(page));
  }

  remove(urlId: number): void {
    this.#pending.set(urlId, null);
  }

  /** Adds the pages of a segment that another thread has built. A page that is also added here is taken from here. */
  adopt(segment: BuiltSegment): void {
    this.#adopted.push(segment);
  }

  /** `alongside` writes to tables of its own within the same transaction. */
  commit(position: string | null, alongside: () => void = () => {}): void {
    const database = this.#database;
    database.transaction(() => {
      const id = database.newSegmentId();
      this.#markReplaced();
      for (const segment of this.#adopted) this.#writeBuilt(segment);
      if (this.#buffer.pages > 0) this.#writeBuffer(id);
      database.setNote(POSITION, position);
      alongside();
    });
    this.#buffer = new PageBuffer();
    this.#pending = new Map();
    this.#adopted = [];
  }

  /** Marks the earlier forms of the pages as dead. */
  #markReplaced(): void {
    const database = this.#database;
    const dead = new Map<number, number[]>();
    const replace = (urlId: number): void => {
      const place = database.placeOf(urlId);
      if (place === null) return;
      const pages = dead.get(place.segment);
      if (pages === undefined) dead.set(place.segment, [place.page]);
      else pages.push(place.page);
    };
    for (const { urlIds } of this.#adopted) urlIds.forEach(replace);
    for (const [urlId, page] of this.#pending) {
      replace(urlId);
      if (page === null) database.removePlace(urlId);
    }
    if (dead.size === 0) return;
    for (const { id, facts, dead: before } of database.segments()) {
      const more = dead.get(id);
      if (more !== undefined) database.setDead(id, before.copy().or(PageBits.of(facts.pages, more)));
    }
  }

  #writeBuilt({ facts, urlIds, rows, bytes }: BuiltSegment): void {
    const database = this.#database;
    const id = database.newSegmentId();
    for (const { section, row, from, to } of rows) database.putRow(id, section, row, bytes.subarray(from, to));
    database.addSegment(id, facts);
    const dead = new PageBits(facts.pages);
    for (const [page, urlId] of urlIds.entries()) {
      if (this.#pending.has(urlId)) dead.add(page);
      else database.setPlace(urlId, id, page);
    }
    if (!dead.isEmpty) database.setDead(id, dead);
  }

  #writeBuffer(id: number): void {
    const database = this.#database;
    const draft = new SegmentDraft((section, row, bytes) => database.putRow(id, section, row, bytes));
    writeSegment(this.#buffer, draft);
    database.addSegment(id, draft.facts);
    // A page that was added twice, or removed again, is dead from the beginning.
    const dead = PageBits.all(this.#buffer.pages);
    for (const [urlId, page] of this.#pending) {
      if (page === null) continue;
      dead.delete(page);
      database.setPlace(urlId, id, page);
    }
    if (!dead.isEmpty) database.setDead(id, dead);
  }

  /**
   * Joins small segments if that pays, for about so many milliseconds: a merge of large segments takes minutes, and
   * goes on with the next call. Pages can be added and committed between the calls. Returns whether more is to do.
   */
  merge(mostMs = Number.POSITIVE_INFINITY): boolean {
    const database = this.#database;
    if (this.#merge === null) {
      const chosen = segmentsToMerge(database.segments());
      if (chosen.length === 0) {
        database.shrink();
        return false;
      }
      this.#merge = new RunningMerge(database, chosen);
    }
    if (this.#merge.work(mostMs)) {
      this.#merge = null;
      database.shrink();
    }
    return true;
  }

  /** Begins again with an empty index. */
  clear(): void {
    const database = this.#database;
    database.transaction(() => {
      database.clear();
      database.setNote(CRAWL, this.#crawlId);
      database.setNote(VERSION_NOTE, String(INDEX_VERSION));
    });
    this.#merge = null;
    this.#buffer = new PageBuffer();
    this.#pending = new Map();
    this.#adopted = [];
  }

  close(): void {
    this.#database.close();
  }
}

/** Segments of one size class, or a segment with many dead pages. The classes grow by a factor of eight. */
function segmentsToMerge(segments: readonly SegmentRow[]): readonly SegmentRow[] {
  const wasteful = segments.find(({ facts, dead }) => dead.count > MOST_DEAD * facts.pages);
  if (wasteful !== undefined) return [wasteful];
  const classes = new Map<number, SegmentRow[]>();
  for (const row of segments) {
    const size = Math.floor(Math.log2(row.facts.pages) / 3);
    const rows = classes.get(size) ?? [];
    rows.push(row);
    classes.set(size, rows);
    if (rows.length === MERGE_SEGMENTS) return rows;
  }
  return [];
}
