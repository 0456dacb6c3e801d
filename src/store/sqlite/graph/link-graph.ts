/**
 * The link graph: each commit appends one segment with the link lists of its pages (graph/segment.ts); no other write
 * happens for a link. From time to time the open segments at the end are *counted*: their links are added to the
 * back-link counts, which are stored in blocks of URLs, and the segments are joined into one and closed. So a back-link
 * count is the count in its block plus the links in the few open segments: it is always exact, for one small row and a
 * bounded search. Writes run inside the caller's transaction.
 *
 * The partners for PostgreSQL are graph-writer.ts, count-links.ts and graph-rows.ts in store/postgres/graph;
 * the shared contract test is test/store/contract/graph.ts.
 */
import { addToBlock, BLOCK_IDS, type CountChange, readCounts, writeCounts } from '../../../graph/backlink-counts.ts';
import { listsOf, markListsDeleted, withoutDeleted } from '../../../graph/deleted-lists.ts';
import type { LinkList } from '../../../graph/link-list.ts';
import { SegmentBuilder } from '../../../graph/segment.ts';
import { addLinksTo, addLinksToAny, type LinkEnd, linksOf, targetsOf } from '../../../graph/segment-reader.ts';
import { occurrences } from '../../../graph/sorted-ids.ts';
import type { GraphSegment } from '../../contract.ts';
import { TableAccess } from '../table-access.ts';

interface OpenRow {
  seq: number;
  lists: Uint8Array;
}

/** Largest number of open segments before they are joined, counted or not: every commit looks at all of them. */
const MOST_OPEN = 2_048;

export class LinkGraph extends TableAccess {
  /** The lists of segments that this commit has compared, by segment and page. It compares many lists of a segment. */
  readonly #compared = new Map<number, ReadonlyMap<number, Uint8Array>>();
  #openRead: { readonly name: string; readonly targets: Float64Array } = { name: '', targets: new Float64Array(0) };
  readonly #builder = new SegmentBuilder();
  readonly #insert = this.db.prepare('INSERT INTO graph (seq, closed, links, lists) VALUES (?, 0, ?, ?)');
  readonly #openRows = this.db.prepare('SELECT seq, lists FROM graph WHERE closed = 0 ORDER BY seq');
  readonly #deleteOpen = this.db.prepare('DELETE FROM graph WHERE closed = 0');
  readonly #join = this.db.prepare('INSERT INTO graph (seq, closed, links, lists) VALUES (?, ?, ?, ?)');
  readonly #closedAfter = this.db.prepare(
    'SELECT seq, lists FROM graph WHERE seq > ? AND closed = 1 ORDER BY seq LIMIT ?',
  );
  readonly #all = this.db.prepare('SELECT seq, lists FROM graph WHERE seq > ? ORDER BY seq LIMIT 16');
  readonly #holding = this.db.prepare(
    'SELECT seq, closed, links, lists FROM graph WHERE seq >= ? ORDER BY seq LIMIT 1',
  );
  readonly #rewrite = this.db.prepare('UPDATE graph SET links = ?, lists = ? WHERE seq = ?');
  readonly #seqHolding = this.db.prepare('SELECT min(seq) AS seq FROM graph WHERE seq >= ?');
  readonly #openSize = this.db.prepare(
    'SELECT count(*) AS segments, coalesce(sum(links), 0) AS links FROM graph WHERE closed = 0',
  );
  readonly #openState = this.db.prepare('SELECT min(seq), max(seq), sum(links) FROM graph WHERE closed = 0');
  readonly #lastSeq = this.db.prepare('SELECT coalesce(max(seq), 0) AS seq FROM graph');
  readonly #lastClosed = this.db.prepare('SELECT coalesce(max(seq), 0) AS seq FROM graph WHERE closed = 1');
  readonly #blocks = new BacklinkBlocks(this.db);

  /** The number of the next commit's segment. A page stores this number to find its link list again. */
  nextSeq(): number {
    return (this.#lastSeq.get() as { seq: number }).seq + 1;
  }

  add(page: number, links: LinkList): void {
    this.#builder.add(page, links);
  }

  /** Writes the segment at the end of a commit. Returns the number of links that are not counted yet. */
  write(seq: number): number {
    this.#compared.clear();
    const { pages, links } = this.#builder;
    if (pages > 0) this.#insert.run(seq, links, this.#builder.take());
    const open = this.#openSize.get() as { segments: number; links: number };
    // Segments of pages without links never cause a count, so they are joined here.
    if (open.segments >= MOST_OPEN) this.#joinOpen(0);
    return open.links;
  }

  /** Called after a rollback: data read in the transaction is forgotten too. */
  forget(): void {
    this.#builder.take();
    this.#compared.clear();
    this.#openRead = { name: '', targets: new Float64Array(0) };
  }

  /** Counts the open segments and closes them. `onChange` is called for each URL whose count changed. */
  count(onChange: CountChange): void {
    this.#blocks.add(this.#joinOpen(1), 1, onChange);
  }

  /** Joins the open segments into one, and returns its targets, ascending. */
  #joinOpen(closed: 0 | 1): Float64Array {
    const open = this.#openRows.all() as unknown as OpenRow[];
    const last = open.at(-1);
    if (last === undefined) return new Float64Array(0);
    const lists = Buffer.concat(open.map((row) => row.lists));
    const targets = targetsOf([lists]);
    this.#deleteOpen.run();
    this.#join.run(last.seq, closed, targets.length, lists);
    return targets;
  }

  backlinks(ids: readonly number[]): number[] {
    const open = this.#openTargets();
    return this.#blocks.of(ids).map((counted, i) => counted + occurrences(open, ids[i]!));
  }

  /** Returns the URLs to which no page links. The open segments are read only for URLs whose count is 0. */
  unlinked(ids: readonly number[]): number[] {
    const counted = this.#blocks.of(ids);
    const unsure = ids.filter((_, i) => counted[i] === 0);
    if (unsure.length === 0) return unsure;
    const open = this.#openTargets();
    return unsure.filter((id) => occurrences(open, id) === 0);
  }

  /**
   * Returns the targets of the open segments, ascending. They are read again only when the open segments have changed.
   */
  #openTargets(): Float64Array {
    const name = Object.values(this.#openState.get() as Record<string, number>).join();
    if (name !== this.#openRead.name) {
      const rows = this.#openRows.all() as unknown as OpenRow[];
      this.#openRead = { name, targets: targetsOf(rows.map(({ lists }) => lists)) };
    }
    return this.#openRead.targets;
  }

  lastClosed(): number {
    return (this.#lastClosed.get() as { seq: number }).seq;
  }

  closed(after: number, limit: number): GraphSegment[] {
    return this.#closedAfter.all(after, limit) as unknown as GraphSegment[];
  }

  /**
   * Yields the links in the order of their commits, some at a time. It reads every list:
   * one second for a million pages.
   */
  *linksTo(id: number): Generator<LinkEnd[]> {
    for (const rows of this.#someAtATime()) {
      const found: LinkEnd[] = [];
      for (const { lists } of rows) addLinksTo(lists, id, found);
      yield found;
    }
  }

  /** The same for several URLs, each with its own links. */
  *linksToAny(ids: ReadonlySet<number>): Generator<ReadonlyMap<number, LinkEnd[]>> {
    for (const rows of this.#someAtATime()) {
      const found = new Map<number, LinkEnd[]>();
      for (const { lists } of rows) addLinksToAny(lists, ids, found);
      yield found;
    }
  }

  *#someAtATime(): Generator<readonly OpenRow[]> {
    for (let after = 0; ; ) {
      const rows = this.#all.all(after) as unknown as OpenRow[];
      if (rows.length === 0) return;
      yield rows;
      after = rows.at(-1)!.seq;
    }
  }

  linksFrom(page: number, seq: number): LinkEnd[] {
    const row = this.#holding.get(seq) as unknown as OpenRow | undefined;
    return (row && linksOf(row.lists, page)) ?? [];
  }

  /** Whether the stored list of a page equals this one, so that it need not be written again. */
  hasList(page: number, seq: number, { bytes }: LinkList): boolean {
    const { seq: holding } = this.#seqHolding.get(seq) as { seq: number | null };
    if (holding === null) return false;
    let lists = this.#compared.get(holding);
    if (lists === undefined) {
      lists = listsOf((this.#holding.get(holding) as unknown as OpenRow).lists);
      this.#compared.set(holding, lists);
    }
    const list = lists.get(page);
    return list !== undefined && Buffer.compare(list, bytes) === 0;
  }

  /**
   * Removes link lists that earlier commits wrote, because the pages changed, ended, or are to be fetched again. Each
   * segment is written once for all its pages. Returns the targets; a target may occur more than once.
   */
  remove(pages: readonly { readonly id: number; readonly seq: number }[]): number[] {
    this.#compared.clear();
    const removed: number[] = [];
    const segments = Map.groupBy(pages, ({ seq }) => (this.#seqHolding.get(seq) as { seq: number | null }).seq);
    for (const [seq, lost] of segments) {
      if (seq === null) continue;
      for (const target of this.#removeFrom(seq, new Set(lost.map(({ id }) => id)))) removed.push(target);
    }
    return removed;
  }

  /** The number of links of a segment matters only until they are counted. */
  #removeFrom(seq: number, pages: ReadonlySet<number>): number[] {
    const row = this.#holding.get(seq) as unknown as OpenRow & { closed: number; links: number };
    const { segment, targets } = markListsDeleted(row.lists, pages);
    if (row.closed === 1) {
      this.#blocks.add(Float64Array.from(targets).sort(), -1, () => {});
      this.#rewrite.run(row.links, segment, seq);
    } else this.#rewrite.run(row.links - targets.length, withoutDeleted(segment), seq);
    return targets;
  }
}

/**
 * The number of pages that link to each URL, as far as the links were counted: one row per block of neighbouring ids,
 * one or two bytes per URL. Links are counted by the ten thousand in the order of their targets, so a block is read and
 * written once for many of them.
 *
 * The partner for PostgreSQL is store/postgres/graph/backlink-blocks.ts;
 * the shared contract test is test/store/contract/graph.ts.
 */
class BacklinkBlocks extends TableAccess {
  readonly #counts = new Float64Array(BLOCK_IDS);
  readonly #select = this.db.prepare('SELECT counts FROM backlinks WHERE block = ?');
  readonly #replace = this.db.prepare('INSERT OR REPLACE INTO backlinks (block, counts) VALUES (?, ?)');

  /** Adds `by` for each of these targets, which are ascending; a target that occurs twice counts twice. */
  add(targets: Float64Array, by: number, onChange: CountChange): void {
    for (let at = 0; at < targets.length; ) {
      const block = Math.floor((targets[at] as number) / BLOCK_IDS);
      this.#load(block);
      at = addToBlock(this.#counts, targets, at, by, onChange);
      this.#save(block);
    }
  }

  of(ids: readonly number[]): number[] {
    const counts = new Array<number>(ids.length).fill(0);
    const byBlock = Map.groupBy(ids.keys(), (i) => Math.floor(ids[i]! / BLOCK_IDS));
    for (const [block, places] of byBlock) {
      this.#load(block);
      for (const i of places) counts[i] = this.#counts[ids[i]! - block * BLOCK_IDS] as number;
    }
    return counts;
  }

  #load(block: number): void {
    readCounts((this.#select.get(block) as { counts: Uint8Array } | undefined)?.counts, this.#counts);
  }

  #save(block: number): void {
    this.#replace.run(block, writeCounts(this.#counts));
  }
}
