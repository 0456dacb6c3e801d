/**
 * The URL-seen test (E7) and what follows from it: found URLs in, their ids out. They are looked up by host and key, all of a part
 * at once; those that are new get a row, a place in their host's queue and, where their path pattern is held by a budget, are
 * counted against it.
 *
 * Always: a URL is known once, whoever else finds it at the same time (the key is unique). It runs in transactions of its own,
 * before that of the commit: what is known too early does no harm, and nobody waits for long at a URL that many find. An id that is
 * handed out is on the server's disk: it goes into the lists of links of others, and stays at hand.
 */
import type { Reason } from '../../core/reasons.ts';
import type { FoundUrl } from '../contract.ts';
import { REVIVED } from '../left-out.ts';
import { Tally } from '../tally.ts';
import type { Database, Session } from './database.ts';
import { asNew, type Find, gather, type Place } from './finds.ts';
import type { HostBook } from './host-book.ts';
import type { IdSource } from './id-source.ts';
import type { KnownIds } from './known-ids.ts';
import { withStandIns } from './leave-out.ts';
import { type KnownUrl, lookUp } from './look-up.ts';
import { insertUrls, type NewUrl } from './new-urls.ts';
import type { Parts } from './parts.ts';
import { fetchAsNamed, revive } from './revive.ts';
import type { StoreMemory } from './store-memory.ts';
import { writeTally } from './tally-writer.ts';

export interface DiscoveryRules {
  /** URLs a path pattern may have per host. */
  readonly patternBudget: number;
  readonly nowMs: number;
  /** A user names them: they are fetched although others stand for them. */
  readonly areNamed?: boolean;
}

export interface Discovered {
  /** Of all that were asked for; several may be one. */
  readonly ids: ReadonlyMap<FoundUrl, number>;
  /** How many were not known before. */
  readonly count: number;
}

export class Discovery {
  readonly #db: Database;
  readonly #parts: Parts;
  readonly #ids: IdSource;
  readonly #hosts: HostBook;
  readonly #memory: KnownIds;
  readonly #slot: number;

  constructor(db: Database, parts: Parts, ids: IdSource, hosts: HostBook, memory: StoreMemory, slot: number) {
    this.#db = db;
    this.#parts = parts;
    this.#ids = ids;
    this.#hosts = hosts;
    this.#memory = memory.knownIds;
    this.#slot = slot;
  }

  async makeKnown(finds: readonly Find[], rules: DiscoveryRules): Promise<Discovered> {
    if (finds.length === 0) return { ids: new Map(), count: 0 };
    const hostIds = await this.#hosts.idsOf(new Set(finds.map(({ found }) => found.host)));
    const { places, names } = gather(finds, hostIds);
    const known = new Map<string, number>();
    if (!rules.areNamed) this.#recall(places, known);
    const met = await this.#lookUp(places, known);
    const fresh = places.filter(({ name }) => !known.has(name));
    const count = fresh.length === 0 ? 0 : await this.#insert(fresh, rules, known);
    // Another was quicker with the rest.
    const late = await this.#lookUp(fresh, known);
    await this.#letIn([...met, ...late], rules);
    return { ids: new Map([...names].map(([found, name]) => [found, known.get(name)!])), count };
  }

  /** Those that are at hand. */
  #recall(places: readonly Place[], known: Map<string, number>): void {
    for (const { hostId, name, found } of places) {
      const id = this.#memory.get(hostId, found.key);
      if (id !== undefined) known.set(name, id);
    }
  }

  /** Adds the ids of those that are known, and remembers them. */
  async #lookUp(places: readonly Place[], known: Map<string, number>): Promise<readonly KnownUrl[]> {
    const wanted = places.filter(({ name }) => !known.has(name));
    const byPart = this.#parts.group(wanted, ({ hostId }) => this.#parts.ofHost(hostId));
    const all = await Promise.all(byPart.map(([part, some]) => lookUp(this.#db, this.#db.schema, part, some)));
    const met = all.flat();
    for (const { place, id, reason } of met) {
      known.set(place.name, id);
      if (isSettled(reason)) this.#memory.set(place.hostId, place.found.key, id);
    }
    return met;
  }

  /** Adds the ids of new URLs to `known`; returns how many were new. */
  async #insert(fresh: readonly Place[], rules: DiscoveryRules, known: Map<string, number>): Promise<number> {
    const ids = await this.#ids.take(fresh.length);
    const urls = fresh.map((place, i): NewUrl => {
      const found = asNew(place);
      const isNamed = rules.areNamed && found.skip === 'ignored-parameter';
      return { place, id: ids[i]!, found: isNamed ? { ...found, skip: null } : found, standIn: null };
    });
    const isLeftOut = ({ found }: NewUrl) => found.skip === 'ignored-parameter';
    // What stands for others is known before they are judged.
    let count = await this.#write(
      urls.filter((url) => !isLeftOut(url)),
      rules,
      known,
      async (_, some) => some,
    );
    const leftOut = urls.filter(isLeftOut);
    const { schema } = this.#db;
    count += await this.#write(leftOut, rules, known, (session, some) =>
      withStandIns(session, schema, this.#parts, some),
    );
    return count;
  }

  async #write(
    urls: readonly NewUrl[],
    { patternBudget, nowMs }: DiscoveryRules,
    known: Map<string, number>,
    judge: (session: Session, urls: readonly NewUrl[]) => Promise<readonly NewUrl[]>,
  ): Promise<number> {
    if (urls.length === 0) return 0;
    const { schema } = this.#db;
    const work = async (session: Session): Promise<ReadonlySet<string>> => {
      const tally = new Tally();
      const judged = await judge(session, urls);
      const names = await insertUrls(session, schema, this.#parts, judged, patternBudget, tally);
      await writeTally(session, schema, this.#parts, tally, this.#slot, nowMs);
      return names;
    };
    const written = await this.#db.transaction(work, { isToldOnce: true });
    for (const { place, id, found } of urls) {
      if (!written.has(place.name)) continue;
      known.set(place.name, id);
      if (isSettled(found.skip)) this.#memory.set(place.hostId, place.found.key, id);
    }
    return written.size;
  }

  async #letIn(met: readonly KnownUrl[], { areNamed = false, nowMs }: DiscoveryRules): Promise<void> {
    const nearer = met.filter(({ place, reason }) => place.open !== null && !isSettled(reason));
    const named = areNamed ? met.filter(({ reason }) => reason === 'ignored-parameter') : [];
    if (nearer.length === 0 && named.length === 0) return;
    const { schema } = this.#db;
    await this.#db.transaction(async (session) => {
      const tally = new Tally();
      await revive(session, schema, this.#parts, nearer, tally);
      await fetchAsNamed(session, schema, this.#parts, named, tally);
      await writeTally(session, schema, this.#parts, tally, this.#slot, nowMs);
    });
  }
}

/** Whether finding it again is no news. */
function isSettled(reason: Reason | null): boolean {
  return reason === null || !REVIVED.includes(reason);
}
