/** The links of a commit (stub: no lists are read again yet). */
import type { LinkList } from '../../graph/link-list.ts';
import { SegmentBuilder } from '../../graph/segment.ts';
import type { WorkingSet } from './working-set.ts';

export class GraphWriter {
  readonly #set: WorkingSet;
  /** By part. */
  readonly #builders = new Map<number, SegmentBuilder>();

  constructor(set: WorkingSet) {
    this.#set = set;
  }

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

  async hasList(_part: number, _page: number, _seq: number, _links: LinkList): Promise<boolean> {
    return false;
  }

  /** At the end of a commit: its segments. Returns how many links are not counted yet. */
  async write(seq: number): Promise<number> {
    let uncounted = 0;
    for (const [part, builder] of this.#builders) {
      const { links } = builder;
      uncounted += links;
      await this.#set.session.run(
        `INSERT INTO ${this.#set.schema}.graph (part, seq, closed, links, lists) VALUES ($1, $2, false, $3, $4)`,
        [part, seq, links, builder.take()],
      );
    }
    return uncounted;
  }
}
