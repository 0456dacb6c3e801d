/** The ids of hosts by name. An unknown host is made known. Recently used names are cached. */
import { slotOf } from '../../../url/host.ts';
import { Tally } from '../../rules/tally.ts';
import { numbers, texts } from '../connection/arrays.ts';
import type { Database } from '../connection/database.ts';
import { writeTally } from '../leases/tally-writer.ts';
import type { Parts } from '../rows/parts.ts';

/** Names in the cache. Other names are read from the database again. */
const MAX_CACHED = 20_000;

export class HostIdCache {
  readonly #db: Database;
  readonly #parts: Parts;
  readonly #slot: number;
  /** The key that decides the place of a host on the ring of workers. */
  readonly #ringKeyOf: (host: string) => Promise<string>;
  readonly #mostCached: number;
  readonly #ids = new Map<string, number>();

  constructor(
    db: Database,
    parts: Parts,
    slot: number,
    ringKeyOf: (host: string) => Promise<string>,
    mostCached = MAX_CACHED,
  ) {
    this.#db = db;
    this.#mostCached = mostCached;
    this.#parts = parts;
    this.#slot = slot;
    this.#ringKeyOf = ringKeyOf;
  }

  async idsOf(names: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    // A separate map, because another call may clear the cache during the query.
    const ids = new Map<string, number>();
    for (const name of names) {
      const id = this.#ids.get(name);
      if (id !== undefined) ids.set(name, id);
    }
    const missing = [...names].filter((name) => !ids.has(name));
    if (missing.length === 0) return ids;
    await this.#lookUp(missing, ids);
    const unknown = missing.filter((name) => !ids.has(name));
    if (unknown.length > 0) {
      await this.#insert(unknown);
      // Another worker may have inserted the host first, so the ids are read from the table.
      await this.#lookUp(unknown, ids);
    }
    if (this.#ids.size + missing.length > this.#mostCached) this.#ids.clear();
    for (const name of missing.slice(0, this.#mostCached)) this.#ids.set(name, ids.get(name)!);
    return ids;
  }

  /** Adds the ids of known hosts to `ids`. */
  async #lookUp(names: readonly string[], ids: Map<string, number>): Promise<void> {
    const byPart = this.#parts.group(names, (name) => this.#parts.ofName(name));
    await Promise.all(
      byPart.map(async ([part, some]) => {
        const sql = `SELECT id, host FROM ${this.#parts.leaf(this.#db.schema, 'hosts', part)} WHERE part = $1 AND host = ANY($2::text[])`;
        for (const { id, host } of await this.#db.all(sql, [part, texts(some)])) ids.set(host, id);
      }),
    );
  }

  async #insert(names: readonly string[]): Promise<void> {
    const { schema } = this.#db;
    const sorted = names.toSorted();
    const places = new Map<string, number>();
    // Outside the transaction, because this may query name servers.
    await Promise.all(sorted.map(async (name) => places.set(name, slotOf(await this.#ringKeyOf(name)))));
    await this.#db.transaction(async (session) => {
      const taken = await session.all(`SELECT nextval('${schema}.host_numbers') AS n FROM generate_series(1, $1)`, [
        sorted.length,
      ]);
      const numberOf = new Map(sorted.map((name, i) => [name, taken[i]!.n as number]));
      let count = 0;
      for (const [part, some] of this.#parts.group(sorted, (name) => this.#parts.ofName(name))) {
        const ids = some.map((name) => this.#parts.hostId(numberOf.get(name)!, part));
        count += await session.run(
          `INSERT INTO ${schema}.hosts (part, id, host, slot)
           SELECT $1::smallint, * FROM unnest($2::bigint[], $3::text[], $4::smallint[]) ON CONFLICT (host, part) DO NOTHING`,
          [part, numbers(ids), texts(some), numbers(some.map((name) => places.get(name)!))],
        );
      }
      const tally = new Tally();
      tally.add('hosts', count);
      await writeTally(session, { schema, parts: this.#parts, slot: this.#slot }, tally, 0);
    });
  }
}
