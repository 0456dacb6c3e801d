/**
 * Finds the pages that have a fingerprint: an index of (key, page). The key is the fingerprint times an odd number that
 * is random for each data folder, so the keys are evenly distributed whatever the pages contain.
 *
 * One row per entry would cost more than the rest of a commit, because every entry belongs to another page of the
 * B-tree. So entries stay in memory at first (recent-fingerprints.ts, a fixed size) and are written in blocks of some
 * hundred entries: when the memory is full, each commit takes the next blocks in the order of keys and adds the
 * collected entries to them. Entries that are only in memory are also in the log, one row per commit, which a new
 * process reads. An entry that is both in the log and in a block does no harm, because duplicate entries count once.
 *
 * Writes run inside the caller's transaction. PostgreSQL has a plain table
 * in place of this index (store/postgres/commit/near-duplicates.ts).
 */
import { randomInt } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { FingerprintFilter } from '../../rules/fingerprint-filter.ts';
import { MOST_LEADERS } from '../../rules/near-duplicate-rule.ts';
import { type Entries, RecentFingerprints, slotBitsFor } from '../../rules/recent-fingerprints.ts';
import { TableAccess } from '../table-access.ts';
import { entriesOf, joinEntries, packEntries, sliceEntries } from './fingerprint-blocks.ts';

const KEYS = 2 ** 32;
const REGION_SHIFT = 22;
const REGION_KEYS = 2 ** REGION_SHIFT;
/** A row with up to twice as many entries still fits into one page of the database, which is the fastest to read. */
const BLOCK_ENTRIES = 224;
/** Sizes of the table in memory: the initial size, which is faster for a small crawl, and the maximum. */
const FIRST_SLOT_BITS = 14;
const DEFAULT_SLOT_BITS = 20;
const MOST_COMMON_KEPT = 4_096;
const MULTIPLIER_NOTE = 'print-multiplier';

interface BlockRow {
  first: number;
  entries: Uint8Array;
}

/** The state in memory. */
interface Opened {
  readonly multiplier: number;
  recent: RecentFingerprints;
  filter: FingerprintFilter;
  /** For each region of keys: whether the filter contains all its blocks. */
  readonly filtered: Uint8Array;
  /** Boilerplate fingerprints and their pages, which no longer change. */
  readonly common: Map<number, readonly number[]>;
  /** Number of entries in the blocks. */
  entries: number;
  /** First key of the next block to write. */
  cursor: number;
  lastSeq: number;
  /**
   * The last log row at the time when the cursor was last at 0. When it returns to 0, all rows up
   * to this one are in blocks.
   */
  sweptSeq: number;
}

export class FingerprintIndex extends TableAccess {
  readonly #slotBits: number;
  #opened: Opened | null = null;
  /** Entries since the last `write`: key, page, key, page … */
  #added: number[] = [];
  readonly #found: number[] = [];
  readonly #blockOf = this.db.prepare(
    'SELECT first, entries FROM print_blocks WHERE first <= ? ORDER BY first DESC LIMIT 1',
  );
  readonly #blockAfter = this.db.prepare('SELECT min(first) AS first FROM print_blocks WHERE first > ?');
  readonly #blocksOfRegion = this.db.prepare(
    `SELECT first, entries FROM print_blocks
     WHERE first >= (SELECT max(first) FROM print_blocks WHERE first <= ?1) AND first < ?2`,
  );
  readonly #replaceBlock = this.db.prepare('INSERT OR REPLACE INTO print_blocks (first, entries) VALUES (?, ?)');
  readonly #entriesInBlocks = this.db.prepare(
    'SELECT coalesce(sum(length(entries)) / 8, 0) AS entries FROM print_blocks',
  );
  readonly #insertLog = this.db.prepare('INSERT INTO print_log (seq, entries) VALUES (?, ?)');
  readonly #trimLog = this.db.prepare('DELETE FROM print_log WHERE seq <= ?');

  constructor(db: DatabaseSync, slotBits = DEFAULT_SLOT_BITS) {
    super(db);
    this.#slotBits = slotBits;
  }

  /** Returns each page once. The array is valid until the next call. */
  pagesWith(print: number): readonly number[] {
    const opened = this.#open();
    const key = Math.imul(print, opened.multiplier) >>> 0;
    const common = opened.common.get(key);
    if (common !== undefined) return common;
    const found = this.#found;
    found.length = 0;
    opened.recent.find(key, found);
    const inMemory = found.length;
    if (opened.entries > 0 && this.#mayBeInBlocks(key, opened)) findInBlock(this.#block(key), key, found);
    // Only an entry that is in memory and in a block can occur twice.
    const pages = inMemory > 0 && found.length > inMemory ? [...new Set(found)] : found;
    if (pages.length >= MOST_LEADERS) {
      if (opened.common.size >= MOST_COMMON_KEPT) opened.common.clear();
      opened.common.set(key, pages.slice());
    }
    return pages;
  }

  add(print: number, page: number): void {
    const { multiplier, recent } = this.#open();
    const key = Math.imul(print, multiplier) >>> 0;
    recent.add(key, page);
    this.#added.push(key, page);
  }

  /** Called at the end of a commit. */
  write(): void {
    if (this.#added.length === 0) return;
    const opened = this.#open();
    this.#insertLog.run(++opened.lastSeq, new Uint8Array(Uint32Array.from(this.#added).buffer));
    this.#added = [];
    this.#makeRoom(opened);
  }

  /** Enlarges the table up to its maximum, then writes blocks. */
  #makeRoom(opened: Opened): void {
    while (opened.recent.isFull && opened.recent.slotBits < this.#slotBits) opened.recent = opened.recent.enlarged();
    while (opened.recent.isFull) this.#writeNextBlock(opened);
  }

  /** Called after a rollback: the state in memory may be wrong. */
  forget(): void {
    this.#opened = null;
    this.#added = [];
  }

  #mayBeInBlocks(key: number, opened: Opened): boolean {
    const region = key >>> REGION_SHIFT;
    if (opened.filtered[region] === 0) {
      const from = region * REGION_KEYS;
      for (const row of this.#blocksOfRegion.all(from, from + REGION_KEYS) as unknown as BlockRow[]) {
        for (const known of entriesOf(row.entries).keys)
          if (known >>> REGION_SHIFT === region) opened.filter.add(known);
      }
      opened.filtered[region] = 1;
    }
    return opened.filter.mayHave(key);
  }

  #block(key: number): Entries {
    return entriesOf((this.#blockOf.get(key) as unknown as BlockRow).entries);
  }

  #writeNextBlock(opened: Opened): void {
    const { cursor, recent } = opened;
    const end = (this.#blockAfter.get(cursor) as { first: number | null }).first ?? KEYS;
    const taken = recent.take(cursor, end);
    if (taken.keys.length > 0) {
      const old = opened.entries === 0 ? entriesOf(new Uint8Array(0)) : this.#block(cursor);
      const joined = joinEntries(old, taken);
      const pieces = sliceEntries(joined, BLOCK_ENTRIES);
      for (const [i, piece] of pieces.entries()) {
        this.#replaceBlock.run(i === 0 ? cursor : piece.keys[0]!, packEntries(piece));
      }
      opened.entries += joined.keys.length - old.keys.length;
      for (const key of taken.keys) opened.filter.add(key);
      if (opened.entries > opened.filter.room) this.#renewFilter(opened);
    }
    opened.cursor = end === KEYS ? 0 : end;
    if (opened.cursor > 0) return;
    this.#trimLog.run(opened.sweptSeq);
    opened.sweptSeq = opened.lastSeq;
  }

  #renewFilter(opened: Opened): void {
    opened.filter = new FingerprintFilter(opened.entries);
    opened.filtered.fill(0);
  }

  #open(): Opened {
    this.#opened ??= this.#load();
    return this.#opened;
  }

  #load(): Opened {
    const entries = (this.#entriesInBlocks.get() as { entries: number }).entries;
    const opened = {
      multiplier: this.#multiplier(),
      recent: new RecentFingerprints(
        Math.min(Math.max(FIRST_SLOT_BITS, slotBitsFor(this.#loggedEntries())), this.#slotBits),
      ),
      filter: new FingerprintFilter(entries),
      filtered: new Uint8Array(KEYS / REGION_KEYS),
      common: new Map(),
      entries,
      cursor: 0,
      lastSeq: 0,
      sweptSeq: 0,
    };
    this.#readLog(opened);
    return opened;
  }

  /** Sizes the table in advance, because growing it while the log is read doubles the time. */
  #loggedEntries(): number {
    const row = this.db.prepare('SELECT coalesce(sum(length(entries)) / 8, 0) AS entries FROM print_log').get();
    return (row as { entries: number }).entries;
  }

  #readLog(opened: Opened): void {
    const rows = this.db.prepare('SELECT seq, entries FROM print_log ORDER BY seq').all();
    for (const { seq, entries } of rows as { seq: number; entries: Uint8Array }[]) {
      const added = new Uint32Array(entries.slice().buffer);
      for (let i = 0; i < added.length; i += 2) opened.recent.add(added[i] as number, added[i + 1] as number);
      opened.lastSeq = seq;
      // The log may have more entries than fit into memory, because some of them are already in blocks.
      this.#makeRoom(opened);
    }
  }

  /**
   * Drawn once per data folder. It is odd, so that no two fingerprints get the same key, and large,
   * so that neighbouring fingerprints are spread.
   */
  #multiplier(): number {
    const note = this.db.prepare('SELECT value FROM notes WHERE name = ?').get(MULTIPLIER_NOTE);
    if (note !== undefined) return Number((note as { value: string }).value);
    const drawn = (randomInt(2 ** 30, 2 ** 31) * 2 + 1) >>> 0;
    this.db.prepare('INSERT INTO notes (name, value) VALUES (?, ?)').run(MULTIPLIER_NOTE, String(drawn));
    return drawn;
  }
}

function findInBlock({ keys, pages }: Entries, key: number, found: number[]): void {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as number) < key) low = middle + 1;
    else high = middle;
  }
  for (; keys[low] === key; low++) found.push(pages[low] as number);
}
