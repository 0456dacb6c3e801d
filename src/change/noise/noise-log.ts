/**
 * Who asks before something is ignored. Nothing is left out without passing here, so that a rule can be switched off in one place
 * and a report can name the rules that explained a difference.
 */
import type { NoiseName } from './rule-table.ts';

export class NoiseLog {
  readonly #off: ReadonlySet<NoiseName>;
  readonly #taken: Map<NoiseName, string[]> | null;

  constructor(off: ReadonlySet<NoiseName>, keepsWhatWasTaken: boolean) {
    this.#off = off;
    this.#taken = keepsWhatWasTaken ? new Map() : null;
  }

  /** Whether it is worth the while to say exactly what is taken. */
  get isKept(): boolean {
    return this.#taken !== null;
  }

  isOn(rule: NoiseName): boolean {
    return !this.#off.has(rule);
  }

  /** Whether the rule may ignore `raw`; if it may, that counts as done. */
  takes(rule: NoiseName, raw: string): boolean {
    if (this.#off.has(rule)) return false;
    if (this.#taken !== null) {
      const taken = this.#taken.get(rule);
      if (taken === undefined) this.#taken.set(rule, [raw]);
      else taken.push(raw);
    }
    return true;
  }

  /** Whether the rule took other things here than there: it then explains a part of their difference. */
  differs(rule: NoiseName, other: NoiseLog): boolean {
    const ours = this.#taken?.get(rule) ?? [];
    const theirs = other.#taken?.get(rule) ?? [];
    return ours.length !== theirs.length || ours.some((raw, at) => raw !== theirs[at]);
  }
}
