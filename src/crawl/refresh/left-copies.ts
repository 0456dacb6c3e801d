/**
 * Copies of other pages in a refresh. In: the due pages, each with the page of which it was a copy at its last visit.
 * Out: the pages without these copies, and the copies that are visited nevertheless: spot checks, and every copy of an
 * original that has left or whose spot check found a difference.
 *
 * What always holds:
 * - A copy is left out only while its original has a page, is visited itself, and is no copy, and while no source
 *   reports a change of the copy.
 * - After an original has got other bytes, or has not answered, one of its copies is checked. Besides, one
 *   copy in 64 of each host is checked in a round, those first whose last visit is the longest ago. So every copy is
 *   checked within 64 rounds. It is checked only after its original was visited, because both are compared.
 * - A copy that no page links to is retired when a check after that time has found it a copy: it is not checked in
 *   turn.
 */
import type { Finding, Store, UrlResult, VisitRecord } from '../../store/contract.ts';

/** One copy in this many is checked in a round. */
const CHECK_EVERY = 64;
/** The share of a budget that the spot checks may take, as a divisor. */
const BUDGET_DIVISOR = 16;
const READ_AT_ONCE = 16_384;

/** Findings that leave the copies of a page without an original. */
const HAS_LEFT: ReadonlySet<Finding> = new Set(['moved', 'gone', 'refused']);

/** The part of `refresh --json` about copies, which is a stable contract. */
export interface CopySummary {
  /** Copies that were not visited, because their originals were. */
  readonly leftOut: number;
  /** Copies that were visited as a spot check, and those among them that are no copies of their originals now. */
  readonly checked: number;
  readonly different: number;
}

type Copy = VisitRecord & { readonly copyOf: number };

export class LeftCopies {
  readonly #store: Pick<Store, 'visitsOf'>;
  /** Keeps the pages that `--only` selects. */
  readonly #wanted: (ids: readonly number[]) => Promise<readonly number[]>;
  /** Whether each page that has copies stands for them. */
  readonly #originals = new Map<number, boolean>();
  /** What visits to originals have found, if it is not `same`. */
  readonly #findings = new Map<number, Finding>();
  /** The due pages were read, so the originals are known. Before, every page may be one. */
  #isRead = false;
  /** The counts of this round, without the hosts that are being read. */
  #counts: CopySummary = { leftOut: 0, checked: 0, different: 0 };
  #left: Copy[] = [];
  #checks: readonly Copy[] = [];
  #checked = 0;
  #different = 0;

  constructor(store: Pick<Store, 'visitsOf'>, wanted: (ids: readonly number[]) => Promise<readonly number[]>) {
    this.#store = store;
    this.#wanted = wanted;
  }

  beginRound(): void {
    this.begin();
    this.#findings.clear();
    this.#isRead = false;
    this.#counts = { leftOut: 0, checked: 0, different: 0 };
  }

  /** Called before the due pages are read. A round reads them again for hosts that were not available before. */
  begin(): void {
    this.#counts = this.summary;
    this.#isRead = true;
    this.#originals.clear();
    this.#left = [];
    this.#checks = [];
    this.#checked = 0;
    this.#different = 0;
  }

  /** The pages among these that are visited. The others are remembered. */
  async without(visits: readonly VisitRecord[]): Promise<readonly VisitRecord[]> {
    const copies = visits.filter(isCopy);
    if (copies.length === 0) return visits;
    await this.#readOriginals(copies);
    return visits.filter((visit) => !isCopy(visit) || !this.#leavesOut(visit));
  }

  #leavesOut(copy: Copy): boolean {
    if (!this.#originals.get(copy.copyOf)) return false;
    this.#left.push(copy);
    return true;
  }

  async #readOriginals(copies: readonly Copy[]): Promise<void> {
    const unread = [...new Set(copies.map(({ copyOf }) => copyOf))].filter((id) => !this.#originals.has(id));
    for (const id of unread) this.#originals.set(id, false);
    for (let from = 0; from < unread.length; from += READ_AT_ONCE) {
      const visits = await this.#store.visitsOf(unread.slice(from, from + READ_AT_ONCE));
      const own = visits.filter(standsForCopies);
      for (const id of await this.#wanted(own.map(({ id }) => id))) this.#originals.set(id, true);
    }
  }

  /** Learns what visits to originals have found. */
  observe(results: readonly UrlResult[]): void {
    for (const { id, revisit } of results) {
      if (revisit === undefined || revisit.finding === 'same' || (this.#isRead && !this.#originals.has(id))) continue;
      this.#findings.set(id, revisit.finding);
    }
  }

  /** Requests of a budget that are kept for the spot checks. */
  reserveOf(budget: number): number {
    if (budget === Number.POSITIVE_INFINITY) return 0;
    return Math.min(Math.floor(budget / BUDGET_DIVISOR), this.#left.length);
  }

  /** Called when the originals were visited: the checks, and the copies of originals that have left. */
  toCheck(): readonly VisitRecord[] {
    const still = this.#left
      .filter(({ copyOf }) => !HAS_LEFT.has(this.#findings.get(copyOf)!))
      .sort((a, b) => a.checkedAtMs - b.checkedAtMs || a.id - b.id);
    const ofChanged = new Map<number, Copy>();
    for (const copy of still.toReversed()) {
      if (this.#findings.has(copy.copyOf)) ofChanged.set(copy.copyOf, copy);
    }
    const copiesOfHost = Map.groupBy(this.#left, ({ hostId }) => hostId);
    const linked = still.filter((copy) => !isRetired(copy));
    const inTurn = [...Map.groupBy(linked, ({ hostId }) => hostId)].flatMap(([hostId, copies]) =>
      copies.slice(0, Math.ceil(copiesOfHost.get(hostId)!.length / CHECK_EVERY)),
    );
    this.#checks = [...new Set([...ofChanged.values(), ...inTurn])];
    return [
      ...this.#take(new Set(this.#checks)),
      ...this.#copiesOf((original) => HAS_LEFT.has(this.#findings.get(original)!)),
    ];
  }

  /** Called after the checks: the other copies of the originals from which a checked copy differs. */
  async toDoubt(): Promise<readonly VisitRecord[]> {
    const before = new Map(this.#checks.map((copy) => [copy.id, copy]));
    const doubted = new Set<number>();
    for (let from = 0; from < this.#checks.length; from += READ_AT_ONCE) {
      const ids = this.#checks.slice(from, from + READ_AT_ONCE).map(({ id }) => id);
      for (const { id, checkedAtMs, copyOf } of await this.#store.visitsOf(ids)) {
        const { copyOf: original, checkedAtMs: sinceMs } = before.get(id)!;
        if (checkedAtMs === sinceMs) continue;
        this.#checked++;
        if (copyOf === original) continue;
        this.#different++;
        doubted.add(original);
      }
    }
    return this.#copiesOf((original) => doubted.has(original));
  }

  #copiesOf(isMeant: (original: number) => boolean): readonly Copy[] {
    return this.#take(new Set(this.#left.filter(({ copyOf }) => isMeant(copyOf))));
  }

  /** These copies are visited, so they are not left out. */
  #take(copies: ReadonlySet<Copy>): readonly Copy[] {
    if (copies.size > 0) this.#left = this.#left.filter((copy) => !copies.has(copy));
    return [...copies];
  }

  get summary(): CopySummary {
    const { leftOut, checked, different } = this.#counts;
    return {
      leftOut: leftOut + this.#left.length,
      checked: checked + this.#checked,
      different: different + this.#different,
    };
  }
}

/** A copy that no page links to and that was checked since is not checked in turn. */
export function isRetired({ copyOf, orphanedMs, checkedAtMs }: VisitRecord): boolean {
  return copyOf !== null && orphanedMs > 0 && checkedAtMs > orphanedMs;
}

/** The copies of this page are left out. */
export function standsForCopies({ state, copyOf }: VisitRecord): boolean {
  return state === 'page' && copyOf === null;
}

/**
 * A copy that is a source is visited like others, because it says whether its host can be trusted. So is a copy of
 * which a source reports a change.
 */
function isCopy(visit: VisitRecord): visit is Copy {
  return visit.copyOf !== null && visit.state === 'page' && !visit.isSource && visit.claimedMs <= visit.claimSeenMs;
}
