/**
 * When to look at a page again. In come pages with what their looks have shown, looks as they happen, and what sources say; out
 * goes, for a time and a budget, what to look at now, best first.
 *
 * What always holds: no more than the budget, and no more of a host than its own; a page that was not looked at for the longest
 * interval comes first, but at most half of a budget goes to such pages; about 40 bytes a page; times come in as
 * arguments, may jump either way, and break nothing.
 */
import { BestPages, type Limits } from './best-pages.ts';
import { GroupPriors } from './group-priors.ts';
import { CLAIMED, GONE, PageColumns, packInterval, unpackInterval } from './page-columns.ts';
import { NOT_COVERED, PageCursor } from './page-cursor.ts';
import { PageGroups } from './page-groups.ts';
import { Plan } from './plan.ts';
import { FIRST_INTERVAL_MS } from './policies/nutch-interval.ts';
import { DEFAULT_POLICY, type Policy, policyNamed } from './policy.ts';
import { afterLook, firstLook, type VisitState } from './visit-state.ts';

export const DEFAULT_MAX_INTERVAL_MS = 30 * 86_400_000;
/** The part of a budget that pages may take for having waited too long. */
const FORCED_SHARE = 0.5;

/** Whatever of its state is left out is that of a page looked at once. */
export interface ScheduledPage extends Partial<VisitState> {
  /** Ascending from one new page to the next. */
  readonly id: number;
  readonly host: number;
  /** What the paths of pages like it have in common, as 32 bits. */
  readonly pattern?: number;
  readonly checkedAtMs: number;
  /** How important it is, compared with others: 1 unless said otherwise. */
  readonly weight?: number;
  readonly depth?: number;
  /** The share of changes that a source which covers it does not tell; 1 without one. */
  readonly missShare?: number;
  /** When a source says it changed. */
  readonly claimedAtMs?: number | null;
}

export interface PlanRequest {
  readonly nowMs: number;
  /** Looks in all, and of each host; without them as many as there are. */
  readonly budget?: number;
  readonly hostBudget?: number | ((host: number) => number);
  /** Leaves out pages whose chance of a change is smaller; 0 leaves out none. */
  readonly dueShare?: number;
  readonly policy?: Policy;
  readonly maxIntervalMs?: number;
  /** Leaves out pages that were looked at less than this ago, whatever else is known. */
  readonly minIntervalMs?: number;
}

/** What is expected of one page at a time. */
export interface PageOutlook {
  readonly chance: number;
  readonly gain: number;
  /** Changes a day, the geometric mean of what is thought possible. */
  readonly changesADay: number;
}

export class Schedule {
  readonly #columns = new PageColumns();
  readonly #groups = new PageGroups();
  readonly #priors = new GroupPriors(this.#columns, this.#groups);
  readonly #cursor = new PageCursor(this.#priors.of);
  /** Halves of a look that were left of odd budgets, so that a budget of one is not always too small for the floor. */
  #forcedLeft = 0;

  get pages(): number {
    return this.#columns.count;
  }

  get bytes(): number {
    return this.#columns.bytes + this.#groups.bytes + this.#priors.bytes;
  }

  /** A page, or what is new of one. */
  add(page: ScheduledPage): void {
    const known = this.#columns.count;
    const place = this.#columns.open(page.id);
    const block = this.#columns.blockOf(place);
    const row = this.#columns.rowOf(place);
    if (place === known) block.groups[row] = this.#groups.add(page.host, page.pattern ?? 0);
    this.#write(place, page);
    block.weights[row] = sound(page.weight, 1);
    block.depths[row] = Math.min(255, Math.max(0, page.depth ?? 0));
    block.flags[row] = 0;
    block.missed[row] = missedOf(page.missShare ?? 1);
    if (page.claimedAtMs != null && page.claimedAtMs > block.checkedAtMs[row]!) block.flags[row] = CLAIMED;
  }

  /** It was looked at; returns what the store has to keep. */
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

  /** A source says that it changed at a time; nothing new if it was looked at since. */
  claim(id: number, atMs: number): void {
    const place = this.#columns.find(id);
    if (place < 0) return;
    const block = this.#columns.blockOf(place);
    const row = this.#columns.rowOf(place);
    if (atMs > block.checkedAtMs[row]!) block.flags[row]! |= CLAIMED;
  }

  /** A source covers it that does not tell this share of its changes; 1: none does. */
  cover(id: number, missShare: number): void {
    const place = this.#columns.find(id);
    if (place >= 0) this.#columns.blockOf(place).missed[this.#columns.rowOf(place)] = missedOf(missShare);
  }

  weigh(id: number, weight: number): void {
    const place = this.#columns.find(id);
    if (place >= 0) this.#columns.blockOf(place).weights[this.#columns.rowOf(place)] = sound(weight, 1);
  }

  /** It is not to be looked at any more, unless it is added again. */
  remove(id: number): void {
    const place = this.#columns.find(id);
    if (place >= 0) this.#columns.blockOf(place).flags[this.#columns.rowOf(place)]! |= GONE;
  }

  /** From all looks so far: worth it when there are a good many new ones. */
  learnPriors(): void {
    this.#priors.learn();
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
    const overdue = new BestPages(this.#forcedLimits(limits));
    const cursor = this.#cursor;
    for (const [b, block] of this.#columns.blocks.entries()) {
      const rows = this.#columns.rowsOf(b);
      for (let row = 0; row < rows; row++) {
        if (((block.flags[row] as number) & GONE) !== 0) continue;
        // A look in the future was before the clock was put back: from now on the page waits as if it had been now.
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
      }
    }
    const forced = overdue.choose();
    return new Plan(
      this.#columns,
      this.#groups,
      cursor,
      nowMs,
      forced,
      this.#afterForced(best.choose(), forced, limits),
    );
  }

  #hostLimit(hostBudget: PlanRequest['hostBudget']): Limits['host'] {
    if (hostBudget === undefined) return null;
    if (typeof hostBudget === 'number') return () => hostBudget;
    return (hostGroup) => hostBudget(this.#groups.hostOf(hostGroup));
  }

  #forcedLimits({ all, host }: Limits): Limits {
    const share = all * FORCED_SHARE + this.#forcedLeft;
    const whole = Math.floor(share);
    if (Number.isFinite(all)) this.#forcedLeft = share - whole;
    return { all: whole, host: host && ((hostGroup) => Math.ceil(host(hostGroup) * FORCED_SHARE)) };
  }

  /** What the budgets leave beside the forced pages. */
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
      changes: block.changes[row]!,
      changedLogMs: block.changedLogMs[row]!,
      quietMs: block.quietMs[row]!,
      intervalMs: unpackInterval(block.intervals[row]!),
    };
  }

  #write(place: number, state: Partial<VisitState>): void {
    const block = this.#columns.blockOf(place);
    const row = this.#columns.rowOf(place);
    block.checkedAtMs[row] = sound(state.checkedAtMs, 0);
    block.changes[row] = sound(state.changes, 0);
    block.changedLogMs[row] = sound(state.changedLogMs, 0);
    block.quietMs[row] = sound(state.quietMs, 0);
    block.intervals[row] = packInterval(sound(state.intervalMs, FIRST_INTERVAL_MS));
  }
}

function missedOf(missShare: number): number {
  return Math.ceil((Number.isFinite(missShare) ? Math.min(1, Math.max(0, missShare)) : 1) * NOT_COVERED);
}

/** A row of a store that was tampered with must not spoil the sums of others. */
function sound(value: number | undefined, otherwise: number): number {
  return value !== undefined && value >= 0 && value < Number.POSITIVE_INFINITY ? value : otherwise;
}
