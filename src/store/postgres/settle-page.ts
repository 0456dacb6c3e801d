/** What becomes of a page after a look that found something else (stub). */
import type { UrlResult } from '../contract.ts';
import type { CommitParts, CommitScope } from './commit-scope.ts';

export class PageSettler {
  constructor(_scope: CommitScope, _parts: CommitParts) {}
  async leadsOn(_result: UrlResult, _found: readonly number[], _redirectTo: number | null): Promise<void> {}
  async unlink(): Promise<void> {}
  async write(): Promise<void> {}
}
