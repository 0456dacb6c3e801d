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
import type { IdSource, TakenIds } from './id-source.ts';
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

/** What a transaction has found and written. */
interface Learned {
  readonly met: readonly KnownUrl[];
  readonly written: readonly NewUrl[];
}

interface Met extends Learned {
  /** New, and not written: others may stand for them. */
  readonly leftOut: readonly NewUrl[];
  readonly taken: TakenIds | null;
}

const BY_INDEX = { isByIndex: true };
const WRITING = { isByIndex: true, isToldOnce: true };

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
    const wanted = places.filter(({ name }) => !known.has(name));
    if (wanted.length === 0) return { ids: idsOf(names, known), count: 0 };
    const first = await this.#db.transaction((session) => this.#meet(session, wanted, rules), WRITING);
    if (first.taken) this.#ids.keep(first.taken.rest);
    this.#learn(first, known);
    let count = first.written.length;
    if (first.leftOut.length > 0) {
      const judged = await this.#db.transaction((session) => this.#leaveOut(session, first.leftOut, rules), WRITING);
      this.#learn(judged, known);
      count += judged.written.length;
    }
    // Another was quicker with the rest.
    const late = wanted.filter(({ name }) => !known.has(name));
    const met = [...first.met];
    if (late.length > 0) {
      const found = await this.#db.transaction((session) => this.#lookUp(session, late), BY_INDEX);
      this.#learn({ met: found, written: [] }, known);
      met.push(...found);
    }
    await this.#letIn(met, rules);
    return { ids: idsOf(names, known), count };
  }

  /** Those that are at hand. */
  #recall(places: readonly Place[], known: Map<string, number>): void {
    for (const { hostId, name, found } of places) {
      const id = this.#memory.get(hostId, found.key);
      if (id !== undefined) known.set(name, id);
    }
  }

  /** Looks them up, and makes known those that are new, but for what others may stand for. */
  async #meet(session: Session, wanted: readonly Place[], rules: DiscoveryRules): Promise<Met> {
    const met = await this.#lookUp(session, wanted);
    const names = new Set(met.map(({ place }) => place.name));
    const fresh = wanted.filter(({ name }) => !names.has(name));
    if (fresh.length === 0) return { met, written: [], leftOut: [], taken: null };
    const taken = await this.#ids.take(session, fresh.length);
    const urls = fresh.map((place, i): NewUrl => {
      const found = asNew(place);
      const isNamed = rules.areNamed && found.skip === 'ignored-parameter';
      return { place, id: taken.ids[i]!, found: isNamed ? { ...found, skip: null } : found, standIn: null };
    });
    const isLeftOut = ({ found }: NewUrl) => found.skip === 'ignored-parameter';
    const waiting = urls.filter((url) => !isLeftOut(url));
    return { met, written: await this.#insert(session, waiting, rules), leftOut: urls.filter(isLeftOut), taken };
  }

  /** A transaction of its own: what stands for others is known before they are judged. */
  async #leaveOut(session: Session, urls: readonly NewUrl[], rules: DiscoveryRules): Promise<Learned> {
    const judged = await withStandIns(session, this.#db.schema, this.#parts, urls);
    return { met: [], written: await this.#insert(session, judged, rules) };
  }

  async #lookUp(session: Session, wanted: readonly Place[]): Promise<readonly KnownUrl[]> {
    const byPart = this.#parts.group(wanted, ({ hostId }) => this.#parts.ofHost(hostId));
    const all = byPart.map(([part, some]) => {
      const table = this.#parts.leaf(this.#db.schema, 'urls', part);
      return lookUp(session, table, part, some);
    });
    return (await Promise.all(all)).flat();
  }

  /** Returns those that nobody else has made known meanwhile. */
  async #insert(
    session: Session,
    urls: readonly NewUrl[],
    { patternBudget, nowMs }: DiscoveryRules,
  ): Promise<readonly NewUrl[]> {
    if (urls.length === 0) return [];
    const { schema } = this.#db;
    const tally = new Tally();
    const names = await insertUrls(session, schema, this.#parts, urls, patternBudget, tally);
    await writeTally(session, schema, this.#parts, tally, this.#slot, nowMs);
    return urls.filter(({ place }) => names.has(place.name));
  }

  /** When it is on the server's disk: the ids of these are known, and kept at hand. */
  #learn({ met, written }: Learned, known: Map<string, number>): void {
    const keep = ({ name, hostId, found }: Place, id: number, reason: Reason | null): void => {
      known.set(name, id);
      if (isSettled(reason)) this.#memory.set(hostId, found.key, id);
    };
    for (const { place, id, reason } of met) keep(place, id, reason);
    for (const { place, id, found } of written) keep(place, id, found.skip);
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
    }, BY_INDEX);
  }
}

function idsOf(names: ReadonlyMap<FoundUrl, string>, known: ReadonlyMap<string, number>): Discovered['ids'] {
  return new Map(
    [...names].map(([found, name]) => {
      const id = known.get(name);
      if (id === undefined) throw new Error(`${found.url} was neither known nor new: are ids given twice?`);
      return [found, id];
    }),
  );
}

/** Whether finding it again is no news. */
function isSettled(reason: Reason | null): boolean {
  return reason === null || !REVIVED.includes(reason);
}
