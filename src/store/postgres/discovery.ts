/**
 * The URL-seen test (E7) and what follows from it: found URLs in, their ids out. They are looked up by host and key, all of a part
 * at once; those that are new get a row, a place in their host's queue and, where their path pattern is held by a budget, are
 * counted against it.
 *
 * Always: a URL is known once, whoever else finds it at the same time (the key is unique). It runs in a transaction of its own,
 * before that of the commit: what is known too early does no harm, and nobody waits for long at a URL that many find.
 */
import { type FoundUrl, URL_STATES } from '../contract.ts';
import { Tally } from '../tally.ts';
import { numbers, plainTexts, texts } from './arrays.ts';
import type { Database, Session } from './database.ts';
import type { HostBook } from './host-book.ts';
import type { IdSource } from './id-source.ts';
import type { Parts } from './parts.ts';
import { writeTally } from './tally-writer.ts';

const SKIPPED = URL_STATES.indexOf('skipped');

/** A URL, and the page it was found on. */
export interface Find {
  readonly found: FoundUrl;
  readonly via: number | null;
}

export interface Discovered {
  /** Of all that were asked for; several may be one. */
  readonly ids: ReadonlyMap<FoundUrl, number>;
  /** How many were not known before. */
  readonly count: number;
}

/** A URL that was asked for, once, with where it belongs. */
interface Place extends Find {
  readonly name: string;
  readonly hostId: number;
}

export class Discovery {
  readonly #db: Database;
  readonly #parts: Parts;
  readonly #ids: IdSource;
  readonly #hosts: HostBook;
  readonly #slot: number;

  constructor(db: Database, parts: Parts, ids: IdSource, hosts: HostBook, slot: number) {
    this.#db = db;
    this.#parts = parts;
    this.#ids = ids;
    this.#hosts = hosts;
    this.#slot = slot;
  }

  async makeKnown(finds: readonly Find[], patternBudget: number, nowMs: number): Promise<Discovered> {
    const hostIds = await this.#hosts.idsOf(new Set(finds.map(({ found }) => found.host)));
    const places = new Map<string, Place>();
    const names = new Map<FoundUrl, string>();
    for (const find of finds) {
      const hostId = hostIds.get(find.found.host)!;
      const name = `${hostId} ${find.found.key}`;
      names.set(find.found, name);
      if (!places.has(name)) places.set(name, { ...find, name, hostId });
    }
    const known = await this.#lookUp(this.#db, [...places.values()]);
    const fresh = [...places.values()].filter(({ name }) => !known.has(name));
    let count = 0;
    if (fresh.length > 0) count = await this.#insert(fresh, patternBudget, nowMs, known);
    return { ids: new Map([...names].map(([found, name]) => [found, known.get(name)!])), count };
  }

  /** The ids of those that are known, by name. */
  async #lookUp(session: Session, places: readonly Place[]): Promise<Map<string, number>> {
    const known = new Map<string, number>();
    await Promise.all(
      this.#parts
        .group(places, ({ hostId }) => this.#parts.ofHost(hostId))
        .map(async ([part, some]) => {
          const rows = await session.all(
            `SELECT u.host_id, u.key, u.id FROM unnest($2::bigint[], $3::uuid[]) AS f(host_id, key)
           JOIN ${this.#db.schema}.urls u ON u.part = $1 AND u.host_id = f.host_id AND u.key = f.key`,
            [part, numbers(some.map(({ hostId }) => hostId)), plainTexts(some.map(({ found }) => found.key))],
          );
          for (const { host_id, key, id } of rows) known.set(`${host_id} ${key}`, id);
        }),
    );
    return known;
  }

  /** Adds the ids of new URLs to `known`; returns how many were new. */
  async #insert(
    fresh: readonly Place[],
    _patternBudget: number,
    nowMs: number,
    known: Map<string, number>,
  ): Promise<number> {
    const ids = await this.#ids.take(fresh.length);
    const idOf = new Map(fresh.map(({ name }, i) => [name, ids[i]!]));
    const inserted = await this.#db.transaction(
      async (session) => {
        const tally = new Tally();
        const names = new Set<string>();
        // In the order of parts and keys: two that find the same URLs never wait for each other in a ring.
        for (const [part, places] of this.#parts.group(fresh, ({ hostId }) => this.#parts.ofHost(hostId))) {
          const rows = await this.#insertPart(session, part, places, idOf);
          for (const { host_id, key } of rows) names.add(`${host_id} ${key}`);
        }
        for (const { name, hostId, found } of fresh) {
          if (names.has(name)) tally.enters(hostId, found.skip === null ? 'waiting' : 'skipped', found.skip);
        }
        await writeTally(session, this.#db.schema, this.#parts, tally, this.#slot, nowMs);
        return names;
      },
      { isFollowed: true },
    );
    for (const name of inserted) known.set(name, idOf.get(name)!);
    const met = fresh.filter(({ name }) => !inserted.has(name));
    if (met.length > 0) for (const [name, id] of await this.#lookUp(this.#db, met)) known.set(name, id);
    return inserted.size;
  }

  #insertPart(session: Session, part: number, places: readonly Place[], idOf: ReadonlyMap<string, number>) {
    const sorted = places.toSorted((a, b) => a.hostId - b.hostId || (a.found.key < b.found.key ? -1 : 1));
    const column = <T>(pick: (place: Place) => T): T[] => sorted.map(pick);
    return session.all(
      `INSERT INTO ${this.#db.schema}.urls
         (part, id, host_id, key, state, depth, rank, relevance, inherited, steps_off, hops, via, reason, url, original)
       SELECT $1::smallint, * FROM unnest($2::bigint[], $3::bigint[], $4::uuid[], $5::smallint[], $6::integer[],
         $7::double precision[], $8::double precision[], $9::double precision[], $10::integer[], $11::smallint[], $12::bigint[],
         $13::text[], $14::text[], $15::text[])
       ON CONFLICT (host_id, key, part) DO NOTHING RETURNING host_id, key`,
      [
        part,
        numbers(column(({ name }) => idOf.get(name)!)),
        numbers(column(({ hostId }) => hostId)),
        plainTexts(column(({ found }) => found.key)),
        numbers(column(({ found }) => (found.skip === null ? 0 : SKIPPED))),
        numbers(column(({ found }) => found.depth)),
        numbers(column(({ found }) => found.rank)),
        numbers(column(({ found }) => found.relevance)),
        numbers(column(({ found }) => found.trail?.inherited ?? null)),
        numbers(column(({ found }) => found.trail?.stepsOff ?? null)),
        numbers(column(({ found }) => found.hops)),
        numbers(column(({ via }) => via)),
        texts(column(({ found }) => found.skip)),
        texts(column(({ found }) => found.url)),
        texts(column(({ found }) => found.original)),
      ],
    );
  }
}
