/** What a page is a copy of (stub: nothing is). */
import type { Reason } from '../../core/reasons.ts';
import type { UrlResult, UrlState } from '../contract.ts';
import type { CommitScope } from './commit-scope.ts';
import type { StoreMemory } from './store-memory.ts';

export interface Judgement {
  readonly state: UrlState;
  readonly reason: Reason | null;
  readonly canonical: number | null;
  readonly duplicateOf: number | null;
  readonly near: { readonly of: number; readonly similarity: number } | null;
}

export class PageJudge {
  constructor(_scope: CommitScope, _memory: StoreMemory) {}
  /** Reads all that judging these results needs. */
  async prepare(_results: readonly UrlResult[]): Promise<void> {}
  async judge({ state, reason }: UrlResult): Promise<Judgement> {
    return { state, reason, canonical: null, duplicateOf: null, near: null };
  }
  /** A page changed or left: what it said before is forgotten. */
  async leave(_id: number): Promise<void> {}
  async compareHosts(_result: UrlResult, _judged: Judgement): Promise<void> {}
  async write(): Promise<void> {}
}
