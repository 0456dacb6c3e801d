/**
 * How common rhythms are in each group of pages. In: the rhythms of all pages. Out: for each group and period, what is
 * added to the odds of each page. A new page of a group whose pages change every day is expected to do so too.
 */
import type { PageColumns } from './page-columns.ts';
import type { PageGroups } from './page-groups.ts';
import { FIRST_ODDS, oddsOf, PERIODS } from './rhythm.ts';

/** A page counts as rhythmic from these odds on. They are low, because many weak signs in a group are a strong one. */
const CERTAIN_ODDS = -1.6;
/** The host counts as much as this many pages of the group, and the first assumption as many pages of the host. */
const PARENT_PAGES = 12;
/** Pages of a group tend to be written by the same program, so their rhythms confirm each other. */
const COMMON_CAUSE = 1.5;
const FIRST_SHARE = 1 / (1 + Math.exp(-FIRST_ODDS));

export class GroupRhythms {
  readonly #columns: PageColumns;
  readonly #groups: PageGroups;
  /** For each period, the bonus of each group. */
  #bonus: Float32Array = new Float32Array(0);

  constructor(columns: PageColumns, groups: PageGroups) {
    this.#columns = columns;
    this.#groups = groups;
  }

  readonly of = (group: number, period: number): number => this.#bonus[group * PERIODS.length + period] ?? 0;

  learn(): void {
    const { count } = this.#groups;
    const pages = new Uint32Array(count);
    const rhythmic = new Uint32Array(count * PERIODS.length);
    const hostPages = new Uint32Array(count);
    const hostRhythmic = new Uint32Array(count * PERIODS.length);
    for (const [b, block] of this.#columns.blocks.entries()) {
      for (let row = 0; row < this.#columns.rowsOf(b); row++) {
        const rhythm = block.rhythms[row]!;
        if (rhythm === 0) continue;
        const group = block.groups[row]!;
        const hostGroup = this.#groups.hostGroupOf(group);
        pages[group]!++;
        hostPages[hostGroup]!++;
        for (let period = 0; period < PERIODS.length; period++) {
          if (oddsOf(rhythm, period) < CERTAIN_ODDS) continue;
          rhythmic[group * PERIODS.length + period]!++;
          hostRhythmic[hostGroup * PERIODS.length + period]!++;
        }
      }
    }
    this.#bonus = new Float32Array(count * PERIODS.length);
    for (let i = 0; i < this.#bonus.length; i++) {
      const group = Math.floor(i / PERIODS.length);
      const hostGroup = this.#groups.hostGroupOf(group);
      const ofHost = hostRhythmic[hostGroup * PERIODS.length + (i % PERIODS.length)]!;
      const hostShare = (ofHost + PARENT_PAGES * FIRST_SHARE) / (hostPages[hostGroup]! + PARENT_PAGES);
      const share = (rhythmic[i]! + PARENT_PAGES * hostShare) / (pages[group]! + PARENT_PAGES);
      this.#bonus[i] = COMMON_CAUSE * Math.max(0, Math.log(share / (1 - share)) - FIRST_ODDS);
    }
  }

  get bytes(): number {
    return this.#bonus.byteLength;
  }
}
