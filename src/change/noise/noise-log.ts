/**
 * Every rule asks this log before it ignores something. So a rule can be switched off in one place, and a report can
 * name the rules that explain a difference.
 */
import type { NoiseName } from './rule-table.ts';

export class NoiseLog {
  readonly #off: ReadonlySet<NoiseName>;
  readonly #taken: Map<NoiseName, string[]> | null;

  constructor(off: ReadonlySet<NoiseName>, keepsWhatWasTaken: boolean) {
    this.#off = off;
    this.#taken = keepsWhatWasTaken ? new Map() : null;
  }

  /** Whether the log records the ignored texts. If not, callers need not build them. */
  get isKept(): boolean {
    return this.#taken !== null;
  }

  isOn(rule: NoiseName): boolean {
    return !this.#off.has(rule);
  }

  /** Whether the rule may ignore `raw`. If yes, the text is recorded as ignored. */
  takes(rule: NoiseName, raw: string): boolean {
    if (this.#off.has(rule)) return false;
    if (this.#taken !== null) {
      const taken = this.#taken.get(rule);
      if (taken === undefined) this.#taken.set(rule, [raw]);
      else taken.push(raw);
    }
    return true;
  }

  /** Whether the rule ignored different texts in the two versions. Then it explains a part of their difference. */
  differs(rule: NoiseName, other: NoiseLog): boolean {
    const ours = this.#taken?.get(rule) ?? [];
    const theirs = other.#taken?.get(rule) ?? [];
    return ours.length !== theirs.length || ours.some((raw, at) => raw !== theirs[at]);
  }
}
