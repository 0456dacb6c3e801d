/** What happened to pages (stub). */

import type { Reason } from '../../core/reasons.ts';
import type { ChangeKind } from '../contract.ts';
import type { WorkingSet } from './working-set.ts';

export class ChangeLog {
  constructor(_set: WorkingSet) {}
  add(
    _id: number,
    _kind: ChangeKind,
    _atMs: number,
    _title: string,
    _reason: Reason | null = null,
    _change: string | null = null,
  ): void {}
  async write(): Promise<void> {}
}
