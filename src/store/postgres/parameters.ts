/** Learning which query parameters never change the content (stub). */
import type { Reason } from '../../core/reasons.ts';
import type { CommitReceipt, UrlResult, UrlState } from '../contract.ts';
import type { StoreMemory } from './store-memory.ts';
import type { WorkingSet } from './working-set.ts';

export class ParameterLearner {
  constructor(_set: WorkingSet, _memory: StoreMemory) {}
  async prepare(_results: readonly UrlResult[]): Promise<void> {}
  async observe(_result: UrlResult, _state: UrlState, _reason: Reason | null): Promise<void> {}
  async mayLeaveOut(_result: UrlResult, _standIn: number | null): Promise<boolean> {
    return false;
  }
  takeNews(): Pick<CommitReceipt, 'lessons' | 'released'> {
    return { lessons: [], released: new Map() };
  }
}
