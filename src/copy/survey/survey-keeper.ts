/**
 * Keeps a survey up to date for a reader that stays, such as the web interface. What always holds: an answer does not
 * wait for a survey of a large copy. It gets the last complete survey, or what the first one has read so far.
 */
import { setImmediate } from 'node:timers/promises';
import type { OverviewStore } from '../../store/contract.ts';
import { Survey } from './survey.ts';

/** A survey is made again when it is older than this, and than ten times the time that it took. */
const LEAST_AGE_MS = 5_000;
const AGE_PER_EFFORT = 10;
/** A small copy is read within this time, so its first answer is complete. */
const PATIENCE_MS = 200;

export class SurveyKeeper {
  readonly #store: Pick<OverviewStore, 'glances'>;
  #newest: Survey | null = null;
  #running: { readonly survey: Survey; readonly ended: Promise<void> } | null = null;

  constructor(store: Pick<OverviewStore, 'glances'>) {
    this.#store = store;
  }

  async survey(nowMs = Date.now()): Promise<Survey> {
    if (this.#running === null && this.#isOld(nowMs)) this.#begin();
    if (this.#newest !== null) return this.#newest;
    const { survey, ended } = this.#running!;
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
    return this.#newest ?? survey;
  }

  #isOld(nowMs: number): boolean {
    if (this.#newest === null) return true;
    const { startedAtMs, endedAtMs } = this.#newest;
    return nowMs - endedAtMs! > Math.max(LEAST_AGE_MS, AGE_PER_EFFORT * (endedAtMs! - startedAtMs));
  }

  #begin(): void {
    const survey = new Survey(this.#store);
    const ended = survey
      .run(() => setImmediate())
      .then(
        () => {
          this.#newest = survey;
          this.#running = null;
        },
        () => {
          // The store was closed, or cannot be read. The next question begins again.
          this.#running = null;
        },
      );
    this.#running = { survey, ended };
  }
}
