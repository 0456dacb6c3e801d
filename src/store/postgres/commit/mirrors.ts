/**
 * Mirrors: hosts that have the same pages under the same paths. A pair of hosts is counted when a page and its
 * duplicate, or near duplicate, are found under the same path and query on both. The counts say how many paths
 * have the same page on both hosts, and how many do not.
 *
 * A pair is known from its first common page on. After that each page of either host is compared once
 * with the page of the same path on the other host, when the second of the two is committed. Two pages
 * that are committed at the same moment are not compared. The pages of a batch are gathered and compared
 * together at its end, each with the pages that came before it.
 *
 * The partner for SQLite is store/sqlite/commit/mirrors.ts; the shared
 * contract test is test/store/contract/near-duplicates.ts.
 */
import { pathOf } from '../../../url/host.ts';
import { urlKeyHex } from '../../../url/key.ts';
import { numbers, plainTexts } from '../connection/arrays.ts';
import { contentKey } from '../rows/contents.ts';
import type { WorkingSet } from '../rows/working-set.ts';
import { BY_CONTENT } from './copies.ts';
import { MirrorPairs } from './mirror-pairs.ts';

/** From an exact duplicate to a near duplicate to its leader. */
const MOST_STEPS = 3;

interface Compared {
  readonly id: number;
  readonly hostId: number;
  readonly path: string;
  /** The page that it exactly or nearly duplicates. */
  readonly original: number | null;
}

/** A page of this batch, and the page of the same path on a partner of its host. */
interface Meeting {
  readonly page: Compared;
  readonly hostId: number;
  readonly otherId: number;
}

export class Mirrors {
  readonly #set: WorkingSet;
  readonly #pairs: MirrorPairs;
  #compared: Compared[] = [];

  constructor(set: WorkingSet) {
    this.#set = set;
    this.#pairs = new MirrorPairs(set);
  }

  /** Called for each page that is written. */
  compare(id: number, hostId: number, url: string, original: number | null): void {
    this.#compared.push({ id, hostId, path: pathOf(url), original });
  }

  async write(): Promise<void> {
    const compared = this.#compared;
    this.#compared = [];
    if (compared.length === 0) return;
    const [twins] = await Promise.all([
      this.#twinHosts(compared),
      this.#pairs.load(new Set(compared.map(({ hostId }) => hostId))),
    ]);
    await this.#pairs.join(compared.flatMap((page) => (twins.has(page) ? [[page.hostId, twins.get(page)!]] : [])));
    const meetings = await this.#meetings(compared);
    const leaders = await this.#leadersOf(meetings.flatMap(({ page, otherId }) => [page.id, otherId]));
    this.#count(compared, twins, meetings, leaders);
    await this.#pairs.write();
  }

  /** The host of the original, for each page whose original has the same path on another host. */
  async #twinHosts(compared: readonly Compared[]): Promise<Map<Compared, number>> {
    const { urls } = this.#set;
    const copies = compared.filter(({ original }) => original !== null);
    const originals = copies.map(({ original }) => original!);
    await urls.load(originals, 'free');
    const twins = new Map<Compared, number>();
    for (const page of copies) {
      const original = urls.get(page.original!);
      if (original === null || original.host_id === page.hostId || pathOf(original.url) !== page.path) continue;
      twins.set(page, original.host_id);
    }
    return twins;
  }

  /** Finds all pages of the same path on partner hosts, stored before or in this batch. */
  async #meetings(compared: readonly Compared[]): Promise<Meeting[]> {
    const { session, schema, pages } = this.#set;
    const wanted: { page: Compared; hostId: number; key: string }[] = [];
    for (const page of compared) {
      for (const { hostId, host } of this.#pairs.partnersOf(page.hostId)) {
        wanted.push({ page, hostId, key: urlKeyHex(host + page.path) });
      }
    }
    if (wanted.length === 0) return [];
    const rows = await session.all(
      `SELECT w.place, u.id FROM unnest($1::integer[], $2::bigint[], $3::uuid[]) AS w(place, host_id, key)
       JOIN ${schema}.urls u ON u.host_id = w.host_id AND u.key = w.key`,
      [numbers(wanted.keys()), numbers(wanted.map(({ hostId }) => hostId)), plainTexts(wanted.map(({ key }) => key))],
    );
    const ids = rows.map(({ id }) => id);
    await pages.load(ids, 'free');
    return rows.flatMap(({ place, id }) => {
      const { page, hostId } = wanted[place]!;
      return (pages.get(id)?.bytes ?? 0) > 0 ? [{ page, hostId, otherId: id }] : [];
    });
  }

  /** Counts in the order of the batch, because a page that comes later in the batch did not exist yet. */
  #count(
    compared: readonly Compared[],
    twins: ReadonlyMap<Compared, number>,
    meetings: readonly Meeting[],
    leaders: ReadonlyMap<number, number>,
  ): void {
    const meetingsOf = Map.groupBy(meetings, ({ page }) => page);
    const later = new Set(compared.map(({ id }) => id));
    for (const page of compared) {
      later.delete(page.id);
      const twin = twins.get(page);
      const isCounted = twin !== undefined && this.#pairs.count(page.hostId, twin, true);
      for (const { hostId, otherId } of meetingsOf.get(page) ?? []) {
        if ((isCounted && hostId === twin) || later.has(otherId) || !this.#pairs.isKnown(page.hostId, hostId)) continue;
        this.#pairs.count(page.hostId, hostId, leaders.get(page.id) === leaders.get(otherId));
      }
    }
  }

  async #leadersOf(ids: readonly number[]): Promise<Map<number, number>> {
    const { pages, contents } = this.#set;
    const leaders = new Map(ids.map((id) => [id, id]));
    for (let step = 0; step < MOST_STEPS && leaders.size > 0; step++) {
      await pages.load(leaders.values(), 'free');
      const rows = [...leaders].map(([id, leader]) => [id, pages.get(leader)] as const);
      const copies = rows.filter(([, page]) => page?.duplicate_of === BY_CONTENT);
      await contents.load(copies.map(([, page]) => contentKey(page!.digest)));
      let moved = 0;
      for (const [id, page] of rows) {
        if (page === null) continue;
        const isCopy = page.duplicate_of === BY_CONTENT;
        const next = isCopy ? contents.originalOf(contentKey(page.digest)) : (page.duplicate_of ?? page.near_of);
        if (next === null) continue;
        leaders.set(id, next);
        moved++;
      }
      if (moved === 0) break;
    }
    return leaders;
  }
}
