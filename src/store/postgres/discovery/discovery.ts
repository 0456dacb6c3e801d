/**
 * The URL-seen test (E7) and its consequences. In: found URLs. Out: their ids. The URLs are looked
 * up by host and key, all at once. A new URL gets a row and a place in its host's queue, and is
 * counted if its path pattern has a budget.
 *
 * What always holds: a URL is known once, even if several workers find it at the same time (the key is
 * unique). Discovery runs in its own transactions before the commit: a URL that is known too early
 * does no harm, and no worker waits long for a URL that many find. A returned id is on the server's
 * disk, because it goes into link lists and into the cache.
 *
 * The partner for SQLite is store/sqlite/discovery/discovery.ts;
 * the shared contract test is test/store/contract/seen.ts.
 */
import type { Reason } from '../../../core/reasons.ts';
import { isMarked, looksLikeSitemap } from '../../../url/traps/sitemap-chain.ts';
import type { FoundUrl } from '../../contract.ts';
import { isRevivedBy } from '../../rules/guess-rule.ts';
import { REVIVED } from '../../rules/left-out.ts';
import { OVER_BUDGET } from '../../rules/pattern-budget-rule.ts';
import { Tally } from '../../rules/tally.ts';
import type { Database, Session } from '../connection/database.ts';
import { lockHosts } from '../leases/lock-hosts.ts';
import { writeTally } from '../leases/tally-writer.ts';
import type { StoreMemory } from '../store-memory.ts';
import type { PatternOfHost } from './admit-left-out.ts';
import { asNew, type Find, gather, type Place } from './finds.ts';
import { confirm } from './guesses.ts';
import type { HostIdCache } from './host-id-cache.ts';
import { IdSource, type TakenIds } from './id-source.ts';
import { withStandIns } from './leave-out.ts';
import { type KnownUrl, lookUp } from './look-up.ts';
import { insertUrls, type NewUrl } from './new-urls.ts';
import { fetchAsNamed, revive } from './revive.ts';
import type { UrlIdCache } from './url-id-cache.ts';

export interface DiscoveryRules {
  /** URLs that a path pattern may have for each host. */
  readonly patternBudget: number;
  readonly nowMs: number;
  /** The user named these URLs: they are fetched although stand-ins exist for them. */
  readonly areNamed?: boolean;
}

export interface Discovered {
  /** The ids of all found URLs. Several found URLs may have the same id. */
  readonly ids: ReadonlyMap<FoundUrl, number>;
  /** How many URLs were not known before. */
  readonly count: number;
  /** The patterns of URLs that were left out for their budgets. The caller looks for room (admit-left-out.ts). */
  readonly overBudget: readonly PatternOfHost[];
}

/** The URLs that a transaction has found and written. */
interface Learned {
  readonly met: readonly KnownUrl[];
  readonly written: readonly NewUrl[];
}

interface Met extends Learned {
  /** New URLs that are not written yet, because a stand-in may exist for them. */
  readonly leftOut: readonly NewUrl[];
  readonly taken: TakenIds | null;
}

const BY_INDEX = { isByIndex: true };
const WRITING = { isByIndex: true, isToldOnce: true };

export class Discovery {
  readonly #db: Database;
  readonly #ids: IdSource;
  readonly #hosts: HostIdCache;
  readonly #memory: UrlIdCache;
  readonly #slot: number;

  constructor(db: Database, hosts: HostIdCache, memory: StoreMemory, slot: number) {
    this.#db = db;
    this.#ids = new IdSource(db.schema);
    this.#hosts = hosts;
    this.#memory = memory.knownIds;
    this.#slot = slot;
  }

  async makeKnown(finds: readonly Find[], rules: DiscoveryRules): Promise<Discovered> {
    if (finds.length === 0) return { ids: new Map(), count: 0, overBudget: [] };
    const hostIds = await this.#hosts.idsOf(new Set(finds.map(({ found }) => found.host)));
    const { places, names } = gather(finds, hostIds);
    const known = new Map<string, number>();
    if (!rules.areNamed) this.#recall(places, known);
    const wanted = places.filter(({ name }) => !known.has(name));
    if (wanted.length === 0) return { ids: idsOf(names, known), count: 0, overBudget: [] };
    const first = await this.#db.transaction((session) => this.#meet(session, wanted, rules), WRITING);
    if (first.taken) this.#ids.keep(first.taken.rest);
    this.#learn(first, known);
    const written = [...first.written];
    if (first.leftOut.length > 0) {
      const judged = await this.#db.transaction((session) => this.#leaveOut(session, first.leftOut, rules), WRITING);
      this.#learn(judged, known);
      written.push(...judged.written);
    }
    // Another worker has made the rest known meanwhile.
    const late = wanted.filter(({ name }) => !known.has(name));
    const met = [...first.met];
    if (late.length > 0) {
      const found = await this.#db.transaction((session) => lookUp(session, this.#db.schema, late), BY_INDEX);
      this.#learn({ met: found, written: [] }, known);
      met.push(...found);
    }
    await this.#letIn(met, rules);
    return { ids: idsOf(names, known), count: written.length, overBudget: written.filter(isOverBudget).map(patternOf) };
  }

  /** Takes the ids that are in the cache. */
  #recall(places: readonly Place[], known: Map<string, number>): void {
    for (const { hostId, name, found } of places) {
      const id = this.#memory.get(hostId, found.key);
      if (id !== undefined) known.set(name, id);
    }
  }

  /** Looks the URLs up and makes new ones known, except URLs that may have a stand-in. */
  async #meet(session: Session, wanted: readonly Place[], rules: DiscoveryRules): Promise<Met> {
    const met = await lookUp(session, this.#db.schema, wanted);
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

  /** Runs in a separate transaction, so that stand-ins are known before the URLs that they stand for are judged. */
  async #leaveOut(session: Session, urls: readonly NewUrl[], rules: DiscoveryRules): Promise<Learned> {
    const judged = await withStandIns(session, this.#db.schema, urls);
    return { met: [], written: await this.#insert(session, judged, rules) };
  }

  /** Returns the URLs that no other worker has made known meanwhile. */
  async #insert(
    session: Session,
    urls: readonly NewUrl[],
    { patternBudget, nowMs }: DiscoveryRules,
  ): Promise<readonly NewUrl[]> {
    if (urls.length === 0) return [];
    const { schema } = this.#db;
    const tally = new Tally();
    const written = await insertUrls(session, schema, urls, { patternBudget, tally });
    await writeTally(session, { schema, slot: this.#slot }, tally, nowMs);
    return written;
  }

  /** Called when the transaction is on the server's disk: the ids are now known, and go into the cache. */
  #learn({ met, written }: Learned, known: Map<string, number>): void {
    const keep = ({ name, hostId, found, open }: Place, id: number, reason: Reason | null): void => {
      known.set(name, id);
      // A guess or a trial is not cached, so that it becomes a link when it is found as one.
      if (isSettled(reason) && isLink(open ?? found)) this.#memory.set(hostId, found.key, id);
    };
    for (const { place, id, reason } of met) keep(place, id, reason);
    for (const { place, id, found } of written) keep(place, id, found.skip);
  }

  async #letIn(met: readonly KnownUrl[], { areNamed = false, nowMs }: DiscoveryRules): Promise<void> {
    const nearer = met.filter(
      ({ place, reason }) => place.open !== null && !isSettled(reason) && isRevivedBy(place.open, reason!),
    );
    const confirmed = met.filter(
      ({ place, hops }) => place.open !== null && isMarked(hops) && !isMarked(place.open.hops),
    );
    const named = areNamed ? met.filter(({ reason }) => reason === 'ignored-parameter') : [];
    if (nearer.length === 0 && named.length === 0 && confirmed.length === 0) return;
    const { schema } = this.#db;
    await this.#db.transaction(async (session) => {
      const tally = new Tally();
      const hostIds = [...nearer, ...named, ...confirmed].map(({ place }) => place.hostId);
      await lockHosts(session, schema, hostIds);
      await revive(session, schema, nearer, tally);
      await confirm(session, schema, confirmed);
      await fetchAsNamed(session, schema, named, tally);
      await writeTally(session, { schema, slot: this.#slot }, tally, nowMs);
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

function isOverBudget({ found }: NewUrl): boolean {
  return found.skip === OVER_BUDGET;
}

function patternOf({ place, found }: NewUrl): PatternOfHost {
  return { hostId: place.hostId, pattern: found.pattern! };
}

/** Whether the URL was found as a link, and is not being tried at this moment. */
function isLink({ hops, url }: FoundUrl): boolean {
  return !isMarked(hops) && !looksLikeSitemap(url);
}

/** Whether finding the URL again is no news. */
function isSettled(reason: Reason | null): boolean {
  return reason === null || !REVIVED.includes(reason);
}
