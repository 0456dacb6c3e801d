/** Looks at pages after the first (stub). */
import type { Revisit, UrlResult, UrlState } from '../contract.ts';
import type { CommitParts, CommitScope } from './commit-scope.ts';
import type { PageSettler } from './settle-page.ts';

export class Revisits {
  constructor(_scope: CommitScope, _parts: CommitParts, _settler: PageSettler) {}
  async prepare(): Promise<void> {}
  async write(_result: UrlResult, _revisit: Revisit, _found: readonly number[]): Promise<UrlState | null> {
    return null;
  }
}
