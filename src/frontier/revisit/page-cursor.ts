/**
 * One page of the columns as a policy sees it. The cursor moves from page to page. The outlook is expensive, so it is
 * computed when it is first needed.
 */

import { countedMs } from './early-visit.ts';
import { type Block, CLAIMED, evidenceAt, unpackInterval, unpackLog } from './page-columns.ts';
import type { KnownPage } from './policy.ts';
import type { Evidence } from './rate-prior.ts';
import { blendRhythm, hasRhythm, isRhythmExpected, isSettled } from './rhythm-forecast.ts';
import { Outlook } from './visit-forecast.ts';

/**
 * The trust in a reported change. Change sources are sometimes early, or report changes in
 * parts that we do not compare.
 */
const CLAIM_HOLDS = 0.99;
export const NOT_COVERED = 255;

export class PageCursor implements KnownPage {
  id = 0;
  elapsedMs = 0;
  weight = 0;
  depth = 0;
  isClaimed = false;
  readonly #priorOf: (group: number) => Float32Array;
  readonly #rhythmOf: (group: number, period: number) => number;
  readonly #outlook = new Outlook();
  #block: Block | null = null;
  #row = 0;
  #nowMs = 0;
  #isKnown = false;
  readonly #bonus = (period: number): number =>
    this.#rhythmOf((this.#block as Block).groups[this.#row] as number, period);

  constructor(priorOf: (group: number) => Float32Array, rhythmOf: (group: number, period: number) => number) {
    this.#rhythmOf = rhythmOf;
    this.#priorOf = priorOf;
  }

  moveTo(block: Block, row: number, nowMs: number): void {
    this.#block = block;
    this.#row = row;
    this.#nowMs = nowMs;
    this.#isKnown = false;
    this.id = block.ids[row] as number;
    this.elapsedMs = Math.max(0, nowMs - (block.checkedAtMs[row] as number));
    this.weight = unpackLog(block.weights[row] as number);
    this.depth = block.depths[row] as number;
    this.isClaimed = ((block.flags[row] as number) & CLAIMED) !== 0;
  }

  get intervalMs(): number {
    return unpackInterval((this.#block as Block).intervals[this.#row] as number);
  }

  get mayGainMore(): boolean {
    const block = this.#block as Block;
    if (this.isClaimed || hasRhythm(block.rhythms[this.#row] as number, this.#bonus)) return true;
    return this.#countedMs(evidenceAt(block, this.#row)) > this.elapsedMs;
  }

  chance(): number {
    const { chance } = this.outlook();
    return this.isClaimed ? Math.max(chance, CLAIM_HOLDS) : chance * this.#missedShare();
  }

  gain(): number {
    const { gainMs, claimedGainMs } = this.outlook();
    if (!this.isClaimed) return this.weight * gainMs * this.#missedShare();
    return this.weight * (CLAIM_HOLDS * claimedGainMs + (1 - CLAIM_HOLDS) * gainMs);
  }

  /** The outlook from the page's visits alone, without reports of change sources. */
  outlook(): Outlook {
    if (this.#isKnown) return this.#outlook;
    const block = this.#block as Block;
    const row = this.#row;
    const prior = this.#priorOf(block.groups[row] as number);
    const evidence = evidenceAt(block, row);
    const { changes, changedLogMs, quietMs } = evidence;
    const usualMs = this.#countedMs(evidence);
    let earlyGainMs = 0;
    if (usualMs > this.elapsedMs) {
      this.#outlook.of(prior, changes, changedLogMs, quietMs, usualMs);
      earlyGainMs = this.#outlook.gainMs;
    }
    this.#outlook.of(prior, changes, changedLogMs, quietMs, this.elapsedMs);
    this.#outlook.gainMs = Math.max(this.#outlook.gainMs, earlyGainMs);
    const rhythm = block.rhythms[row] as number;
    if (hasRhythm(rhythm, this.#bonus)) {
      const usualMs = changes > 0 ? Math.exp(changedLogMs / changes) : 0;
      blendRhythm(this.#outlook, rhythm, this.#bonus, {
        sinceMs: this.#nowMs - this.elapsedMs,
        nowMs: this.#nowMs,
        usualMs,
      });
    }
    this.#isKnown = true;
    return this.#outlook;
  }

  /** A page of which the hour of change is known well needs no early visits. */
  #countedMs(evidence: Evidence): number {
    const block = this.#block as Block;
    if (isSettled(block.rhythms[this.#row] as number, this.#bonus)) return this.elapsedMs;
    const isExpected = isRhythmExpected(this.#bonus, 0) || isRhythmExpected(this.#bonus, 1);
    return countedMs(this.id, block.checkedAtMs[this.#row] as number, this.elapsedMs, evidence, isExpected);
  }

  /** A trusted change source would have reported a change, except for the share that it misses. */
  #missedShare(): number {
    return ((this.#block as Block).missed[this.#row] as number) / NOT_COVERED;
  }
}
