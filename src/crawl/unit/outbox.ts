/**
 * Gathers the results of a unit for its next report. A message between threads and a commit
 * cost nearly the same for one result as for many. So results gather until there are enough of
 * them, the first has waited long enough, or no more can come.
 */
import type { Clock } from '../../core/clock.ts';
import type { FoundUrl, UrlResult } from '../../store/contract.ts';
import type { SameVisits, UnitReport } from './messages.ts';

const ENOUGH_RESULTS = 32;
/** This many visits that found the same page cost as much as one other result. */
const SAME_WEIGH = 2;
const LONG_ENOUGH_MS = 30;

export class Outbox {
  results: UrlResult[] = [];
  same: SameVisits = noVisits();
  found: FoundUrl[] = [];
  movedSeeds: string[] = [];
  returned: { hostId: number; ids: number[] }[] = [];
  /** Requests that have ended, and the requests among them without an answer. */
  answers = { count: 0, failures: 0 };
  /** Hosts with room for more URLs. */
  readonly wantsMore = new Set<number>();
  /** Hosts of which the next report contains an update. */
  readonly touched = new Set<number>();
  isScheduled = false;
  readonly #enough: number;
  readonly #clock: Clock;
  readonly #report: () => void;
  #cancel: () => void = () => {};

  constructor(window: number, clock: Clock, report: () => void) {
    // A unit stands still if its whole window waits to be reported.
    this.#enough = Math.min(ENOUGH_RESULTS, window / 4);
    this.#clock = clock;
    this.#report = report;
  }

  put(result: UrlResult): void {
    const { id, hostId, revisit, reason, validators, receivedBytes = 0 } = result;
    const saysMore = validators || result.isReread || revisit?.isBack || result.capture !== null || reason !== null;
    if (revisit?.finding !== 'same' || saysMore) {
      this.results.push(result);
      return;
    }
    this.same.ids.push(id);
    this.same.hostIds.push(hostId);
    this.same.sinceMs.push(revisit.sinceMs);
    this.same.checkedAtMs.push(revisit.checkedAtMs);
    this.same.receivedBytes.push(receivedBytes);
  }

  get isEmpty(): boolean {
    return this.results.length + this.same.ids.length === 0;
  }

  /** Reports now or soon, after something was added. `isLast`: nothing else can come before this report. */
  schedule(isLast = false): void {
    if (isLast || this.results.length + this.same.ids.length / SAME_WEIGH >= this.#enough) {
      this.#report();
    } else if (!this.isScheduled) {
      this.isScheduled = true;
      this.#cancel = this.#clock.after(LONG_ENOUGH_MS, () => this.#report());
    }
  }

  /** Empties everything except `touched`. */
  take(): Pick<UnitReport, 'results' | 'same' | 'found' | 'movedSeeds' | 'returned' | 'wantsMore' | 'answers'> {
    this.#cancel();
    this.isScheduled = false;
    const { results, same, found, movedSeeds, returned, answers } = this;
    this.answers = { count: 0, failures: 0 };
    const wantsMore = [...this.wantsMore];
    this.results = [];
    this.same = noVisits();
    this.found = [];
    this.movedSeeds = [];
    this.returned = [];
    this.wantsMore.clear();
    return { results, same, found, movedSeeds, returned, wantsMore, answers };
  }
}

function noVisits(): SameVisits {
  return { ids: [], hostIds: [], sinceMs: [], checkedAtMs: [], receivedBytes: [] };
}
