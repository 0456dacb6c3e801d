/**
 * Decides when to visit a page again. In: pages with the results of their visits, new visits as they happen, and
 * reports of change sources. Out: for a time and a budget, the pages to visit now, best first.
 *
 * What always holds: a plan never exceeds the budget or the budget of a host. A page that has waited for the longest
 * interval comes first, but at most a twentieth of a budget goes to such pages. A page takes about 40 bytes. Times are
 * arguments; they may jump in both directions without harm.
 */
import { BestPages, type Limits } from './best-pages.ts';
import { GroupPriors } from './group-priors.ts';
import { GroupRhythms } from './group-rhythms.ts';
import { CLAIMED, evidenceAt, PageColumns, packCount, packInterval, packLog, unpackInterval } from './page-columns.ts';
import { NOT_COVERED, PageCursor } from './page-cursor.ts';
import { PageGroups } from './page-groups.ts';
import { Plan } from './plan.ts';
import { DEFAULT_POLICY, type Policy, policyNamed } from './policy.ts';
import { afterLook, FIRST_INTERVAL_MS, firstLook, type VisitState } from './visit-state.ts';

const DEFAULT_MAX_INTERVAL_MS = 30 * 86_400_000;
/**
 * The share of a budget that overdue pages may take. Half of the budget cost up to 0.05 of the optimum where the budget
 * cannot pay for the floor; this share costs at most 0.003 (docs/revisit.md).
 */
const FORCED_SHARE = 1 / 20;

/** Missing fields have the values of a page that was visited once. */
export interface ScheduledPage extends Partial<VisitState> {
  /** Each new page must have a higher id than the one before. */
  readonly id: number;
  readonly host: number;
  /** A 32-bit hash of the path pattern that similar pages share. */
  readonly pattern?: number;
  readonly checkedAtMs: number;
  /** Importance relative to other pages. The default is 1. */
  readonly weight?: number;
  readonly depth?: number;
  /** The share of changes that the page's change source does not report. 1 without a source. */
  readonly missShare?: number;
}

export interface PlanRequest {
  readonly nowMs: number;
  /** Maximum number of visits in total and per host. The default is no limit. */
  readonly budget?: number;
  readonly hostBudget?: number | ((host: number) => number);
  /** Leaves out pages with a smaller chance of a change. 0 leaves out no page. */
  readonly dueShare?: number;
  readonly policy?: Policy;
  readonly maxIntervalMs?: number;
  /** Leaves out pages whose last visit is more recent than this, whatever else is known. */
  readonly minIntervalMs?: number;
}

/** The forecast for one page at a given time. */
export interface PageOutlook {
  readonly chance: number;
  readonly gain: number;
  /** Changes per day: the geometric mean of the possible rates. */
  readonly changesADay: number;
}

export class Schedule {
  readonly #columns = new PageColumns();
  readonly #groups = new PageGroups();
  readonly #priors = new GroupPriors(this.#columns, this.#groups);
  readonly #rhythms = new GroupRhythms(this.#columns, this.#groups);
  readonly #cursor = new PageCursor(this.#priors.of, this.#rhythms.of);

  get pages(): number {
    return this.#columns.count;
  }

  get bytes(): number {
    return this.#columns.bytes + this.#groups.bytes + this.#priors.bytes + this.#rhythms.bytes;
  }

  /** Adds a page, or updates a known page. */
  add(page: ScheduledPage): void {
    const known = this.#columns.count;
    const place = this.#columns.open(page.id);
    const block = this.#columns.blockOf(place);
    const row = this.#columns.rowOf(place);
    if (place === known) block.groups[row] = this.#groups.add(page.host, page.pattern ?? 0);
    this.#write(place, page);
    block.weights[row] = packLog(validOr(page.weight, 1));
    block.depths[row] = Math.min(255, Math.max(0, page.depth ?? 0));
    block.flags[row] = 0;
    block.missed[row] = missedOf(page.missShare ?? 1);
  }

  /** Called after a visit. Returns the state that the store must keep. */
  observe(id: number, atMs: number, changed: boolean): VisitState {
    const place = this.#columns.find(id);
    if (place < 0) return firstLook(atMs);
    const after = afterLook(this.#stateOf(place), atMs, changed);
    this.#write(place, after);
    this.#columns.blockOf(place).flags[this.#columns.rowOf(place)]! &= ~CLAIMED;
    return after;
  }

  knows(id: number): boolean {
    return this.#columns.find(id) >= 0;
  }

  /** Called when a change source reports a change. It has no effect if the page was visited after the change. */
  claim(id: number, atMs: number): void {
    const place = this.#columns.find(id);
    if (place < 0) return;
    const block = this.#columns.blockOf(place);
    const row = this.#columns.rowOf(place);
    if (atMs > block.checkedAtMs[row]!) block.flags[row]! |= CLAIMED;
  }

  /** Learns from all visits so far. It is worth the time when there are many new visits. */
  learnPriors(): void {
    this.#priors.learn();
    this.#rhythms.learn();
  }

  outlook(id: number, nowMs: number): PageOutlook | null {
    const place = this.#columns.find(id);
    if (place < 0) return null;
    this.#cursor.moveTo(this.#columns.blockOf(place), this.#columns.rowOf(place), nowMs);
    const changesADay = this.#cursor.outlook().rate * 86_400_000;
    return { chance: this.#cursor.chance(), gain: this.#cursor.gain(), changesADay };
  }

  plan(request: PlanRequest): Plan {
    const { nowMs, budget = Number.POSITIVE_INFINITY, dueShare = 0, minIntervalMs = 0 } = request;
    const policy = request.policy ?? policyNamed(DEFAULT_POLICY);
    const floorMs = policy.floorless ? Number.POSITIVE_INFINITY : (request.maxIntervalMs ?? DEFAULT_MAX_INTERVAL_MS);
    const limits: Limits = { all: Math.max(0, Math.floor(budget)), host: this.#hostLimit(request.hostBudget) };
    const best = new BestPages(limits);
    const overdue = new BestPages(forcedLimits(limits, nowMs));
    const cursor = this.#cursor;
    for (const [b, block] of this.#columns.blocks.entries()) {
      const rows = this.#columns.rowsOf(b);
      for (let row = 0; row < rows; row++) {
        // The clock was set back since this visit. The page now waits as if it had been visited at this moment.
        if ((block.checkedAtMs[row] as number) > nowMs) block.checkedAtMs[row] = nowMs;
        cursor.moveTo(block, row, nowMs);
        if (cursor.elapsedMs < minIntervalMs) continue;
        const place = b * block.ids.length + row;
        const isOverdue = cursor.elapsedMs >= floorMs;
        const host = this.#groups.hostGroupOf(block.groups[row] as number);
        if (isOverdue) overdue.offer(place, host, cursor.elapsedMs);
        if (policy.atMost !== undefined && policy.atMost(cursor) <= best.threshold) continue;
        const value = policy.value(cursor);
        if (value >= 0 && (dueShare <= 0 || isOverdue || cursor.chance() >= dueShare)) best.offer(place, host, value);
        // An overdue page that the policy leaves out may use what is left of the budget.
        else if (isOverdue) best.offer(place, host, -1 / cursor.elapsedMs);
      }
    }
    const forced = overdue.choose();
    const chosen = { nowMs, forced, best: this.#afterForced(best.choose(), forced, limits) };
    return new Plan(this.#columns, this.#groups, cursor, chosen);
  }

  #hostLimit(hostBudget: PlanRequest['hostBudget']): Limits['host'] {
    if (hostBudget === undefined) return null;
    if (typeof hostBudget === 'number') return () => hostBudget;
    return (hostGroup) => hostBudget(this.#groups.hostOf(hostGroup));
  }

  /** The best pages that fit into the budgets after the overdue pages. */
  #afterForced(best: Uint32Array, forced: Uint32Array, { all, host }: Limits): Uint32Array {
    if (forced.length === 0) return best;
    const chosen = new Set(forced);
    const taken = new Map<number, number>();
    const take = (place: number) => {
      const group = this.#columns.blockOf(place).groups[this.#columns.rowOf(place)]!;
      const hostGroup = this.#groups.hostGroupOf(group);
      const ofHost = taken.get(hostGroup) ?? 0;
      if (host !== null && ofHost >= host(hostGroup)) return false;
      taken.set(hostGroup, ofHost + 1);
      return true;
    };
    for (const place of forced) take(place);
    let room = all - forced.length;
    return best.filter((place) => room > 0 && !chosen.has(place) && take(place) && room-- > 0);
  }

  #stateOf(place: number): VisitState {
    const block = this.#columns.blockOf(place);
    const row = this.#columns.rowOf(place);
    return {
      checkedAtMs: block.checkedAtMs[row]!,
      ...evidenceAt(block, row),
      intervalMs: unpackInterval(block.intervals[row]!),
      rhythm: block.rhythms[row]!,
    };
  }

  #write(place: number, state: Partial<VisitState>): void {
    const block = this.#columns.blockOf(place);
    const row = this.#columns.rowOf(place);
    block.checkedAtMs[row] = validOr(state.checkedAtMs, 0);
    const changes = validOr(state.changes, 0);
    block.changes[row] = packCount(changes);
    block.changedMeanMs[row] = changes > 0 ? packLog(Math.exp(validOr(state.changedLogMs, 0) / changes)) : 0;
    block.quietMs[row] = packLog(validOr(state.quietMs, 0));
    block.rhythms[row] = validOr(state.rhythm, 0);
    block.intervals[row] = packInterval(validOr(state.intervalMs, FIRST_INTERVAL_MS));
  }
}

function forcedLimits({ all, host }: Limits, nowMs: number): Limits {
  const shareOf = (budget: number, salt: number) => roundByTime(budget * FORCED_SHARE, nowMs, salt);
  return { all: shareOf(all, -1), host: host && ((hostGroup) => shareOf(host(hostGroup), hostGroup)) };
}

/**
 * Rounds up as often as the fraction says, at times that look random. A remainder from one plan to the next would not
 * do, because each run has a new schedule: runs with a small budget would never serve an overdue page.
 */
function roundByTime(visits: number, nowMs: number, salt: number): number {
  const whole = Math.floor(visits);
  let hash = Math.imul(Math.floor(nowMs / 1_000) ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash ^= hash >>> 13;
  return (hash >>> 0) / 2 ** 32 < visits - whole ? whole + 1 : whole;
}

function missedOf(missShare: number): number {
  return Math.ceil((Number.isFinite(missShare) ? Math.min(1, Math.max(0, missShare)) : 1) * NOT_COVERED);
}

/** A manipulated row of the store must not spoil the sums of other pages. */
function validOr(value: number | undefined, otherwise: number): number {
  return value !== undefined && value >= 0 && value < Number.POSITIVE_INFINITY ? value : otherwise;
}
