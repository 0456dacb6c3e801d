/**
 * The link graph: each commit appends one segment with the link lists of its pages (graph/segment.ts), and nothing else is
 * written for a link. From time to time the open segments at the end are *counted*: their links are added to the counts of
 * back-links, kept by blocks of URLs, and the segments are closed, joined into one. So a back-link count is what its block
 * says plus what the few open segments hold: exact at any moment, at the cost of one small row and a bounded look.
 *
 * What writes runs inside the caller's transaction.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CountChange } from '../../graph/backlink-counts.ts';
import type { LinkList } from '../../graph/link-list.ts';
import { SegmentBuilder } from '../../graph/segment.ts';
import { addLinksTo, addLinksToAny, type LinkEnd, linksOf, targetsOf } from '../../graph/segment-links.ts';
import { occurrences } from '../../graph/sorted-ids.ts';
import { listOf, strikeLists, withoutStruck } from '../../graph/struck-lists.ts';
import type { GraphSegment } from '../contract.ts';
import { BacklinkBlocks } from './backlink-blocks.ts';

interface OpenRow {
  seq: number;
  lists: Uint8Array;
}

/** Open segments before they are joined, counted or not: every commit looks at them. */
const MOST_OPEN = 2_048;

export class LinkGraph {
  readonly #insert: StatementSync;
  readonly #openRows: StatementSync;
  readonly #join: StatementSync;
  readonly #deleteOpen: StatementSync;
  readonly #closedAfter: StatementSync;
  readonly #all: StatementSync;
  readonly #holding: StatementSync;
  readonly #rewrite: StatementSync;
  readonly #seqHolding: StatementSync;
  readonly #openSize: StatementSync;
  readonly #lastSeq: StatementSync;
  readonly #lastClosed: StatementSync;
  readonly #openState: StatementSync;
  #openRead: { readonly name: string; readonly targets: Float64Array } = { name: '', targets: new Float64Array(0) };
  readonly #blocks: BacklinkBlocks;
  readonly #builder = new SegmentBuilder();

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare('INSERT INTO graph (seq, closed, links, lists) VALUES (?, 0, ?, ?)');
    this.#openRows = db.prepare('SELECT seq, lists FROM graph WHERE closed = 0 ORDER BY seq');
    this.#deleteOpen = db.prepare('DELETE FROM graph WHERE closed = 0');
    this.#join = db.prepare('INSERT INTO graph (seq, closed, links, lists) VALUES (?, ?, ?, ?)');
    this.#closedAfter = db.prepare('SELECT seq, lists FROM graph WHERE seq > ? AND closed = 1 ORDER BY seq LIMIT ?');
    this.#all = db.prepare('SELECT seq, lists FROM graph WHERE seq > ? ORDER BY seq LIMIT 16');
    this.#holding = db.prepare('SELECT seq, closed, links, lists FROM graph WHERE seq >= ? ORDER BY seq LIMIT 1');
    this.#rewrite = db.prepare('UPDATE graph SET links = ?, lists = ? WHERE seq = ?');
    this.#seqHolding = db.prepare('SELECT min(seq) AS seq FROM graph WHERE seq >= ?');
    this.#openSize = db.prepare(
      'SELECT count(*) AS segments, coalesce(sum(links), 0) AS links FROM graph WHERE closed = 0',
    );
    this.#openState = db.prepare('SELECT min(seq), max(seq), sum(links) FROM graph WHERE closed = 0');
    this.#lastSeq = db.prepare('SELECT coalesce(max(seq), 0) AS seq FROM graph');
    this.#lastClosed = db.prepare('SELECT coalesce(max(seq), 0) AS seq FROM graph WHERE closed = 1');
    this.#blocks = new BacklinkBlocks(db);
  }

  /** The number that the segment of the next commit will have: a page remembers it to find its list again. */
  nextSeq(): number {
    return (this.#lastSeq.get() as { seq: number }).seq + 1;
  }

  add(page: number, links: LinkList): void {
    this.#builder.add(page, links);
  }

  /** At the end of a commit: its segment. Returns how many links are not counted yet. */
  write(seq: number): number {
    const { pages, links } = this.#builder;
    if (pages > 0) this.#insert.run(seq, links, this.#builder.take());
    const open = this.#openSize.get() as { segments: number; links: number };
    // Pages without links give nobody a reason to count.
    if (open.segments >= MOST_OPEN) this.#joinOpen(0);
    return open.links;
  }

  /** The commit was rolled back, and what was read in it with it. */
  forget(): void {
    this.#builder.take();
    this.#openRead = { name: '', targets: new Float64Array(0) };
  }

  /** Counts the open segments and closes them. `onChange` hears of each URL whose count changed. */
  count(onChange: CountChange): void {
    this.#blocks.add(this.#joinOpen(1), 1, onChange);
  }

  /** Makes one segment of the open ones, and gives its targets, ascending. */
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

  /** Those of these URLs that no page links to. The open segments are looked at only for what the counts leave open. */
  unlinked(ids: readonly number[]): number[] {
    const counted = this.#blocks.of(ids);
    const unsure = ids.filter((_, i) => counted[i] === 0);
    if (unsure.length === 0) return unsure;
    const open = this.#openTargets();
    return unsure.filter((id) => occurrences(open, id) === 0);
  }

  /** The targets of the open segments, ascending: read anew only when there are others. */
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

  /** In the order of their commit, some at a time. One look at every list there is: a second for a million pages. */
  *linksTo(id: number): Generator<LinkEnd[]> {
    for (let after = 0; ; ) {
      const rows = this.#all.all(after) as unknown as OpenRow[];
      if (rows.length === 0) return;
      const found: LinkEnd[] = [];
      for (const { lists } of rows) addLinksTo(lists, id, found);
      yield found;
      after = rows.at(-1)!.seq;
    }
  }

  /** The same of several URLs, each with its own. */
  *linksToAny(ids: ReadonlySet<number>): Generator<ReadonlyMap<number, LinkEnd[]>> {
    for (let after = 0; ; ) {
      const rows = this.#all.all(after) as unknown as OpenRow[];
      if (rows.length === 0) return;
      const found = new Map<number, LinkEnd[]>();
      for (const { lists } of rows) addLinksToAny(lists, ids, found);
      yield found;
      after = rows.at(-1)!.seq;
    }
  }

  linksFrom(page: number, seq: number): LinkEnd[] {
    const row = this.#holding.get(seq) as unknown as OpenRow | undefined;
    return (row && linksOf(row.lists, page)) ?? [];
  }

  /** Whether the list of a page, which an earlier commit wrote, is this one: then it need not be written again. */
  hasList(page: number, seq: number, { bytes }: LinkList): boolean {
    const row = this.#holding.get(seq) as unknown as OpenRow | undefined;
    const list = row ? listOf(row.lists, page) : null;
    return list !== null && Buffer.compare(list, bytes) === 0;
  }

  /**
   * Lists of pages that were written by earlier commits count no more: the pages are others now, or are none, or are to be
   * fetched as if they had not been. A segment is written once for all. Returns the targets, some of them more than once.
   */
  remove(pages: readonly { readonly id: number; readonly seq: number }[]): number[] {
    const removed: number[] = [];
    const segments = Map.groupBy(pages, ({ seq }) => (this.#seqHolding.get(seq) as { seq: number | null }).seq);
    for (const [seq, lost] of segments) {
      if (seq === null) continue;
      for (const target of this.#removeFrom(seq, new Set(lost.map(({ id }) => id)))) removed.push(target);
    }
    return removed;
  }

  /** How many links a segment has matters only while they are not counted. */
  #removeFrom(seq: number, pages: ReadonlySet<number>): number[] {
    const row = this.#holding.get(seq) as unknown as OpenRow & { closed: number; links: number };
    const { segment, targets } = strikeLists(row.lists, pages);
    if (row.closed === 1) {
      this.#blocks.add(Float64Array.from(targets).sort(), -1, () => {});
      this.#rewrite.run(row.links, segment, seq);
    } else this.#rewrite.run(row.links - targets.length, withoutStruck(segment), seq);
    return targets;
  }
}
