/**
 * What changed on a page: the body that came is compared with the one the archive has. In: the outcome and what was known.
 * Out: whether a reader would call it changed, and the description that the store keeps, as JSON.
 */
import type { FetchOutcome } from '../fetch/outcome.ts';
import type { EarlierVisit } from '../store/contract.ts';

export interface JudgedChange {
  readonly verdict: 'noise' | 'changed';
  readonly change: string | null;
}

export class ChangeJudge {
  async judge(_outcome: FetchOutcome, _url: string, _earlier: EarlierVisit): Promise<JudgedChange> {
    return { verdict: 'changed', change: null };
  }
}
