/**
 * The links of a commit: a row a part with the lists of its pages, and what becomes of lists that earlier commits wrote. Runs inside
 * the commit's transaction.
 */
import type { LinkList } from '../../graph/link-list.ts';
import { SegmentBuilder } from '../../graph/segment.ts';
import { type LinkEnd, linksOf } from '../../graph/segment-links.ts';
import { occurrences } from '../../graph/sorted-ids.ts';
import { listOf, strikeLists, withoutStruck } from '../../graph/struck-lists.ts';
import { bytes, numbers } from './arrays.ts';
import { addBacklinks, countedBacklinks } from './backlink-blocks.ts';
import { type ListPlace, openTargets, rowOf } from './graph-rows.ts';
import type { StoreMemory } from './store-memory.ts';
import type { WorkingSet } from './working-set.ts';

export class GraphWriter {
  readonly #set: WorkingSet;
  readonly #memory: StoreMemory;
  /** By part. */
  readonly #builders = new Map<number, SegmentBuilder>();

  constructor(set: WorkingSet, memory: StoreMemory) {
    this.#set = set;
    this.#memory = memory;
  }

  /** The number that the rows of this commit will have: a page remembers it to find its list again. */
  async nextSeq(): Promise<number> {
    const [row] = await this.#set.session.all(`SELECT nextval('${this.#set.schema}.graph_seqs') AS seq`);
    return row!.seq;
  }

  add(part: number, page: number, links: LinkList): void {
    let builder = this.#builders.get(part);
    if (builder === undefined) {
      builder = new SegmentBuilder();
      this.#builders.set(part, builder);
    }
    builder.add(page, links);
  }

  /** At the end of a commit: its rows. Returns about how many links are not counted yet, of this process alone. */
  async write(seq: number): Promise<number> {
    const { session, schema } = this.#set;
    this.#memory.uncountedLinks ??= await this.#openLinks();
    if (this.#builders.size === 0) return this.#memory.uncountedLinks;
    const builders = [...this.#builders].sort(([a], [b]) => a - b);
    const links = builders.map(([, builder]) => builder.links);
    await session.run(
      `INSERT INTO ${schema}.graph (part, links, lists, seq, first)
       SELECT *, $4::bigint, $4::bigint FROM unnest($1::smallint[], $2::integer[], $3::bytea[])`,
      [
        numbers(builders.map(([part]) => part)),
        numbers(links),
        bytes(builders.map(([, builder]) => builder.take())),
        seq,
      ],
    );
    this.#memory.unjoinedRows += builders.length;
    this.#memory.uncountedLinks += links.reduce((sum, some) => sum + some, 0);
    return this.#memory.uncountedLinks;
  }

  async #openLinks(): Promise<number> {
    const [row] = await this.#set.session.all(
      `SELECT coalesce(sum(links), 0)::bigint AS links FROM ${this.#set.schema}.graph WHERE closed IS NULL`,
    );
    return row!.links;
  }

  async linksFrom(place: ListPlace): Promise<LinkEnd[]> {
    const row = await rowOf(this.#set.session, this.#set.schema, place);
    return (row && linksOf(row.lists, place.page)) ?? [];
  }

  /** Whether the list of a page, which an earlier commit wrote, is this one: then it need not be written again. */
  async hasList(place: ListPlace, links: LinkList): Promise<boolean> {
    const row = await rowOf(this.#set.session, this.#set.schema, place);
    const list = row && listOf(row.lists, place.page);
    return list !== null && Buffer.compare(list, links.bytes) === 0;
  }

  /**
   * Lists of pages that were written by earlier commits count no more: the pages are others now, or are none, or are to be
   * fetched as if they had not been. Returns the targets, some of them more than once.
   */
  async remove(places: readonly ListPlace[]): Promise<number[]> {
    const { session, schema } = this.#set;
    const removed: number[] = [];
    const counted: number[] = [];
    // In the order in which whoever joins rows takes them.
    for (const place of places.toSorted((a, b) => a.part - b.part || a.seq - b.seq)) {
      const row = await rowOf(session, schema, place, true);
      if (row === null) continue;
      const { segment, targets } = strikeLists(row.lists, new Set([place.page]));
      for (const target of targets) removed.push(target);
      // How many links a row has matters only while they are not counted.
      const isOpen = row.closed === null;
      if (!isOpen) for (const target of targets) counted.push(target);
      await session.run(`UPDATE ${schema}.graph SET links = $3, lists = $4 WHERE part = $1 AND seq = $2`, [
        row.part,
        row.seq,
        isOpen ? row.links - targets.length : row.links,
        isOpen ? withoutStruck(segment) : segment,
      ]);
    }
    if (counted.length > 0) await addBacklinks(session, schema, Float64Array.from(counted).sort(), -1);
    return removed;
  }

  /** Those of these URLs that no page links to. What is not counted is looked at only for what the counts leave open. */
  async unlinked(ids: readonly number[]): Promise<number[]> {
    const { session, schema } = this.#set;
    const counted = await countedBacklinks(session, schema, ids);
    const unsure = ids.filter((_, i) => counted[i] === 0);
    if (unsure.length === 0) return unsure;
    const open = await openTargets(session, schema);
    const left = unsure.filter((id) => occurrences(open, id) === 0);
    // What another counted in this instant was not counted before and is not open now.
    const recounted = await countedBacklinks(session, schema, left);
    return left.filter((_, i) => recounted[i] === 0);
  }
}
