/** The ids of hosts by name. An unknown host is made known. Recently used names are cached. */
import { slotOf } from '../../../url/host.ts';
import { Tally } from '../../rules/tally.ts';
import { numbers, texts } from '../connection/arrays.ts';
import type { Database } from '../connection/database.ts';
import { writeTally } from '../leases/tally-writer.ts';

/** Names in the cache. Other names are read from the database again. */
const MAX_CACHED = 20_000;

export class HostIdCache {
  readonly #db: Database;
  readonly #slot: number;
  /** The key that decides the place of a host on the ring of workers. */
  readonly #ringKeyOf: (host: string) => Promise<string>;
  readonly #mostCached: number;
  readonly #ids = new Map<string, number>();

  constructor(db: Database, slot: number, ringKeyOf: (host: string) => Promise<string>, mostCached = MAX_CACHED) {
    this.#db = db;
    this.#mostCached = mostCached;
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
    const sql = `SELECT id, host FROM ${this.#db.schema}.hosts WHERE host = ANY($1::text[])`;
    for (const { id, host } of await this.#db.all(sql, [texts(names)])) ids.set(host, id);
  }

  async #insert(names: readonly string[]): Promise<void> {
    const { schema } = this.#db;
    // The order of names avoids a deadlock between two workers that find the same hosts.
    const sorted = names.toSorted();
    // Outside the transaction, because this may query name servers.
    const slots = await Promise.all(sorted.map(async (name) => slotOf(await this.#ringKeyOf(name))));
    await this.#db.transaction(async (session) => {
      const count = await session.run(
        `INSERT INTO ${schema}.hosts (id, host, slot)
         SELECT nextval('${schema}.host_numbers'), n.host, n.slot FROM unnest($1::text[], $2::smallint[]) AS n(host, slot)
         ON CONFLICT (host) DO NOTHING`,
        [texts(sorted), numbers(slots)],
      );
      const tally = new Tally();
      tally.add('hosts', count);
      await writeTally(session, { schema, slot: this.#slot }, tally, 0);
    });
  }
}
