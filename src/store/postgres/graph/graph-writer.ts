/**
 * Writes the links of a commit: one row with the link lists of its pages. It also removes lists of
 * earlier commits. The code runs inside the commit's transaction.
 *
 * The partner for SQLite is store/sqlite/graph/link-graph.ts; the shared contract test is test/store/contract/graph.ts.
 */
import { listOf, markListsDeleted, withoutDeleted } from '../../../graph/deleted-lists.ts';
import type { LinkList } from '../../../graph/link-list.ts';
import { SegmentBuilder } from '../../../graph/segment.ts';
import { occurrences } from '../../../graph/sorted-ids.ts';
import type { WorkingSet } from '../rows/working-set.ts';
import type { StoreMemory } from '../store-memory.ts';
import { addBacklinks, countedBacklinks } from './backlink-blocks.ts';
import { type ListPlace, openTargets, rowOf } from './graph-rows.ts';

export class GraphWriter {
  readonly #set: WorkingSet;
  readonly #memory: StoreMemory;
  #builder: SegmentBuilder | null = null;

  constructor(set: WorkingSet, memory: StoreMemory) {
    this.#set = set;
    this.#memory = memory;
  }

  /** The number for the rows of this commit. A page stores it to find its list again. */
  async nextSeq(): Promise<number> {
    const [row] = await this.#set.session.all(`SELECT nextval('${this.#set.schema}.graph_seqs') AS seq`);
    return row!.seq;
  }

  add(page: number, links: LinkList): void {
    this.#builder ??= new SegmentBuilder();
    this.#builder.add(page, links);
  }

  /**
   * Writes the row at the end of a commit. Returns the approximate number of uncounted links, for this process alone.
   */
  async write(seq: number): Promise<number> {
    const { session, schema } = this.#set;
    this.#memory.uncountedLinks ??= await this.#openLinks();
    if (this.#builder === null) return this.#memory.uncountedLinks;
    const { links } = this.#builder;
    await session.run(`INSERT INTO ${schema}.graph (seq, first, links, lists) VALUES ($1, $1, $2, $3)`, [
      seq,
      links,
      this.#builder.take(),
    ]);
    this.#memory.unjoinedRows++;
    this.#memory.uncountedLinks += links;
    return this.#memory.uncountedLinks;
  }

  async #openLinks(): Promise<number> {
    const [row] = await this.#set.session.all(
      `SELECT coalesce(sum(links), 0)::bigint AS links FROM ${this.#set.schema}.graph WHERE closed IS NULL`,
    );
    return row!.links;
  }

  /** Whether the stored list of a page equals `links`. Then it need not be written again. */
  async hasList(place: ListPlace, links: LinkList): Promise<boolean> {
    const row = await rowOf(this.#set.session, this.#set.schema, place);
    const list = row && listOf(row.lists, place.page);
    return list !== null && Buffer.compare(list, links.bytes) === 0;
  }

  /**
   * Removes link lists that earlier commits wrote: their pages have changed, have left, or will be fetched
   * again. Returns the targets; some occur more than once.
   */
  async remove(places: readonly ListPlace[]): Promise<number[]> {
    const { session, schema } = this.#set;
    const removed: number[] = [];
    const counted: number[] = [];
    // The same order in which joining locks the rows.
    for (const place of places.toSorted((a, b) => a.seq - b.seq)) {
      const row = await rowOf(session, schema, place, true);
      if (row === null) continue;
      const { segment, targets } = markListsDeleted(row.lists, new Set([place.page]));
      for (const target of targets) removed.push(target);
      // The number of links in a row matters only while they are not counted.
      const isOpen = row.closed === null;
      if (!isOpen) for (const target of targets) counted.push(target);
      await session.run(`UPDATE ${schema}.graph SET links = $2, lists = $3 WHERE seq = $1`, [
        row.seq,
        isOpen ? row.links - targets.length : row.links,
        isOpen ? withoutDeleted(segment) : segment,
      ]);
    }
    if (counted.length > 0) await addBacklinks(session, schema, Float64Array.from(counted).sort(), -1);
    return removed;
  }

  /** Returns those of the URLs that no page links to. Uncounted links are read only for URLs with a count of zero. */
  async unlinked(ids: readonly number[]): Promise<number[]> {
    const { session, schema } = this.#set;
    const counted = await countedBacklinks(session, schema, ids);
    const unsure = ids.filter((_, i) => counted[i] === 0);
    if (unsure.length === 0) return unsure;
    const open = await openTargets(session, schema);
    const left = unsure.filter((id) => occurrences(open, id) === 0);
    // A link that was counted at this moment was missing in the counts
    // before, and is not open now, so the counts are read again.
    const recounted = await countedBacklinks(session, schema, left);
    return left.filter((_, i) => recounted[i] === 0);
  }
}
