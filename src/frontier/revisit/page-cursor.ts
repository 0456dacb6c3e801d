/**
 * One page of the columns as a policy sees it. The cursor moves from page to page. The outlook is expensive, so it is
 * computed when it is first needed.
 */

import { type Block, CLAIMED, unpackInterval } from './page-columns.ts';
import type { KnownPage } from './policy.ts';
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
  readonly #outlook = new Outlook();
  #block: Block | null = null;
  #row = 0;
  #isKnown = false;

  constructor(priorOf: (group: number) => Float32Array) {
    this.#priorOf = priorOf;
  }

  moveTo(block: Block, row: number, nowMs: number): void {
    this.#block = block;
    this.#row = row;
    this.#isKnown = false;
    this.id = block.ids[row] as number;
    this.elapsedMs = Math.max(0, nowMs - (block.checkedAtMs[row] as number));
    this.weight = block.weights[row] as number;
    this.depth = block.depths[row] as number;
    this.isClaimed = ((block.flags[row] as number) & CLAIMED) !== 0;
  }

  get intervalMs(): number {
    return unpackInterval((this.#block as Block).intervals[this.#row] as number);
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
    this.#outlook.of(
      this.#priorOf(block.groups[row] as number),
      block.changes[row] as number,
      block.changedLogMs[row] as number,
      block.quietMs[row] as number,
      this.elapsedMs,
    );
    this.#isKnown = true;
    return this.#outlook;
  }

  /** A trusted change source would have reported a change, except for the share that it misses. */
  #missedShare(): number {
    return ((this.#block as Block).missed[this.#row] as number) / NOT_COVERED;
  }
}
