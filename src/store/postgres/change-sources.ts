/** Change sources (stub). */
import type { Finding, UrlResult } from '../contract.ts';
import type { VisitRow } from './shapes.ts';
import type { WorkingSet } from './working-set.ts';

export class ChangeSources {
  constructor(_set: WorkingSet) {}
  async prepare(_results: readonly UrlResult[]): Promise<void> {}
  async hear(_result: UrlResult, _found: readonly number[], _nowMs: number): Promise<void> {}
  async tell(_id: number, _hostId: number): Promise<void> {}
  async delist(_ids: Iterable<number>): Promise<void> {}
  judge(_visit: VisitRow, _finding: Finding): void {}
  async write(): Promise<void> {}
}
