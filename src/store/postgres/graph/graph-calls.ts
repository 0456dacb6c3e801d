/**
 * The queries of the link graph: back-links, links from and to a URL, closed segments, and the last computed PageRank.
 *
 * The partner for SQLite is store/sqlite/graph/link-graph.ts; the shared contract test is test/store/contract/graph.ts.
 */
import { doublings } from '../../../graph/backlink-counts.ts';
import { addLinksTo, addLinksToAny, type LinkEnd } from '../../../graph/segment-reader.ts';
import { occurrences } from '../../../graph/sorted-ids.ts';
import { type GraphSegment, type GrownUrl, type LinkRecord, type Store, URL_STATES } from '../../contract.ts';
import { numbers } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';
import type { Engine } from '../engine.ts';
import { countedBacklinks } from './backlink-blocks.ts';
import { countOpenLinks } from './count-links.ts';
import { linksIn, openTargets } from './graph-rows.ts';
import { pageRanksOf, writePageRanks } from './page-ranks.ts';

const ROWS_AT_ONCE = 16;

type Calls = Pick<
  Store,
  | 'backlinks'
  | 'countLinks'
  | 'lastSegment'
  | 'segments'
  | 'linksTo'
  | 'linksToEach'
  | 'linksFrom'
  | 'redirectsTo'
  | 'setPageRanks'
  | 'pageRanks'
>;

export class GraphCalls implements Calls {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Reads from one snapshot, because links may be counted between two statements. */
  async backlinks(ids: readonly number[]): Promise<readonly number[]> {
    const { db } = this.#engine;
    return db.transaction(
      async (session) => {
        const [counted, open] = [
          await countedBacklinks(session, db.schema, ids),
          await openTargets(session, db.schema),
        ];
        return counted.map((count, i) => count + occurrences(open, ids[i]!));
      },
      { isSnapshot: true },
    );
  }

  async countLinks(tellGrown = true): Promise<readonly GrownUrl[]> {
    const { db } = this.#engine;
    let grown = new Map<number, number>();
    await countOpenLinks(this.#engine, (id, before, after) => {
      if (tellGrown && doublings(after) > doublings(before)) grown.set(id, after);
    });
    if (grown.size === 0) return [];
    const rows = await db.all(
      `SELECT id, host_id AS "hostId", url, depth, relevance FROM ${db.schema}.urls WHERE id = ANY($1::bigint[]) AND state = 0 ORDER BY id`,
      [numbers(grown.keys())],
    );
    const told = rows.map((row) => ({ ...row, backlinks: grown.get(row.id)! }) as unknown as GrownUrl);
    grown = new Map();
    return told;
  }

  async lastSegment(): Promise<number> {
    const { db } = this.#engine;
    const [row] = await db.all(
      `SELECT coalesce(max(closed), 0) AS seq FROM ${db.schema}.graph WHERE closed IS NOT NULL`,
    );
    return row!.seq;
  }

  async segments(after: number, limit: number): Promise<readonly GraphSegment[]> {
    const { db } = this.#engine;
    const sql = `SELECT closed AS seq, lists FROM ${db.schema}.graph WHERE closed > $1 ORDER BY closed LIMIT $2`;
    return db.all<GraphSegment & object>(sql, [after, limit]);
  }

  async linksTo(id: number, limit: number): Promise<readonly LinkRecord[]> {
    const [links] = await this.linksToEach([id], limit);
    return links!;
  }

  /** Reads every link list once. */
  async linksToEach(ids: readonly number[], limit: number): Promise<readonly (readonly LinkRecord[])[]> {
    const { db } = this.#engine;
    const best = new Map(ids.map((id) => [id, new HighestRanked(limit)]));
    return db.transaction(
      async (session) => {
        for await (const lists of this.#allLists(session)) {
          const found = new Map<number, LinkEnd[]>();
          if (ids.length === 1) {
            const ends: LinkEnd[] = [];
            for (const list of lists) addLinksTo(list, ids[0]!, ends);
            found.set(ids[0]!, ends);
          } else for (const list of lists) addLinksToAny(list, new Set(ids), found);
          for (const [id, ends] of found) await best.get(id)!.add(session, db.schema, ends);
        }
        const links = await this.#links(
          session,
          [...best.values()].flatMap(({ ends }) => ends),
        );
        return ids.map((id) => best.get(id)!.ends.map((end) => links(end)));
      },
      { isSnapshot: true },
    );
  }

  /** All link lists in the order of their commits, some at a time. */
  async *#allLists(session: Session): AsyncGenerator<Uint8Array[]> {
    const { schema } = this.#engine.db;
    for (let seq = 0; ; ) {
      const rows = await session.all(
        `SELECT seq, lists FROM ${schema}.graph WHERE seq > $1 ORDER BY seq LIMIT ${ROWS_AT_ONCE}`,
        [seq],
      );
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows.map(({ lists }) => lists);
      seq = last.seq;
    }
  }

  async linksFrom(id: number): Promise<readonly LinkRecord[]> {
    const { db } = this.#engine;
    return db.transaction(
      async (session) => {
        const sql = `SELECT graph_seq AS seq FROM ${db.schema}.pages WHERE url_id = $1`;
        const [place] = await session.all<{ seq: number }>(sql, [id]);
        if (place === undefined) return [];
        const ends = await linksIn(session, db.schema, { ...place, page: id });
        return ends.map(await this.#links(session, ends));
      },
      { isSnapshot: true },
    );
  }

  async redirectsTo(id: number, limit: number): Promise<readonly string[]> {
    const { db } = this.#engine;
    const rows = await db.all(
      `SELECT url FROM ${db.schema}.urls WHERE redirect_to = $1 AND state = ${URL_STATES.indexOf('redirect')}
       ORDER BY id LIMIT $2`,
      [id, limit],
    );
    return rows.map(({ url }) => url);
  }

  setPageRanks(ranks: Float32Array): Promise<void> {
    const { db } = this.#engine;
    return db.transaction((session) => writePageRanks(session, db.schema, ranks));
  }

  pageRanks(ids: readonly number[]): Promise<readonly number[]> {
    return pageRanksOf(this.#engine.db, this.#engine.db.schema, ids);
  }

  /** Reads the URLs at the other ends of links. */
  async #links(session: Session, ends: readonly LinkEnd[]): Promise<(end: LinkEnd) => LinkRecord> {
    const { schema } = this.#engine.db;
    const rows = await session.all(
      `SELECT u.id, u.url, u.state, coalesce(p.title, '') AS title FROM ${schema}.urls u
       LEFT JOIN ${schema}.pages p ON p.url_id = u.id WHERE u.id = ANY($1::bigint[])`,
      [numbers(new Set(ends.map(({ id }) => id)))],
    );
    const known = new Map(rows.map((row) => [row.id as number, row]));
    return ({ id, attributes }) => {
      const { url, state, title } = known.get(id)!;
      return { id, url, state: URL_STATES[state]!, title, attributes };
    };
  }
}

/**
 * Selects the pages with the highest PageRank. Pages of equal rank keep
 * their order. Only the wanted number is kept in memory.
 *
 * The partner for SQLite is store/sqlite/graph/page-ranks.ts; the
 * shared contract test is test/store/contract/graph.ts.
 */
class HighestRanked {
  readonly #limit: number;
  #kept: { readonly end: LinkEnd; readonly rank: number }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  async add(session: Session, schema: string, ends: readonly LinkEnd[]): Promise<void> {
    if (ends.length === 0) return;
    const ids = ends.map(({ id }) => id);
    const ranks = await pageRanksOf(session, schema, ids);
    const all = [...this.#kept, ...ends.map((end, i) => ({ end, rank: ranks[i]! }))];
    this.#kept = all.sort((a, b) => b.rank - a.rank).slice(0, this.#limit);
  }

  get ends(): LinkEnd[] {
    return this.#kept.map(({ end }) => end);
  }
}
