/**
 * Handles the death of units (W12). In: a dead unit. Out: a unit that replaces it, and the report that it would have
 * sent about the page that it was parsing, which is an internal error. Its other URLs wait again.
 */
import type { Clock } from '../../core/clock.ts';
import type { Store } from '../../store/contract.ts';
import type { Dispatcher } from '../dispatcher.ts';
import { lessonsInForce } from '../earlier-runs.ts';
import type { UnitReport } from '../unit/messages.ts';
import { internalErrorResult } from '../unit/unfinished.ts';
import { reportOf } from './join-reports.ts';
import type { UnitCrew } from './unit-crew.ts';
import type { UnitThread } from './unit-thread.ts';

export interface DeadUnitsParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly crew: UnitCrew;
  readonly dispatcher: Dispatcher;
  readonly learnsParameters: boolean;
  readonly isDraining: () => boolean;
  /** The unit is gone and answers no more messages. `report` is null if the unit was not parsing a page. */
  readonly onGone: (dead: UnitThread, report: UnitReport | null) => void;
}

export class DeadUnits {
  readonly #parts: DeadUnitsParts;
  /**
   * Dead units that still hold their URLs. The page that killed a unit must
   * be committed before another unit could get it.
   */
  #holding: UnitThread[] = [];

  constructor(parts: DeadUnitsParts) {
    this.#parts = parts;
  }

  async replace(dead: UnitThread, cause: string): Promise<void> {
    const { store, crew, learnsParameters, isDraining, onGone } = this.#parts;
    if (learnsParameters) crew.setup.lessons = await lessonsInForce(store);
    const report = await this.#lastReport(dead);
    const replacement = crew.replace(dead, cause);
    if (isDraining()) replacement?.post({ type: 'drain' });
    this.#holding.push(dead);
    onGone(dead, report);
  }

  /** Removes and returns the dead units that still hold URLs. Commit their reports before the URLs are abandoned. */
  take(): readonly UnitThread[] {
    return this.#holding.splice(0);
  }

  async #lastReport(dead: UnitThread): Promise<UnitReport | null> {
    const { store, clock, crew, dispatcher } = this.#parts;
    const id = dead.parsingId;
    const lease = [...dispatcher.live.values()].find((candidate) => candidate.shareOf(dead)?.ids.has(id));
    if (!lease) return null;
    const [planned] = crew.setup.refresh === null ? [] : await store.revisits([id]);
    return reportOf(internalErrorResult(planned ?? { id, url: '', failures: 0 }, lease.hostId, clock.now()));
  }
}
