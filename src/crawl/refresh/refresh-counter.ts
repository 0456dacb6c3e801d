/** Counts the findings of a refresh, as results are committed. */
import type { Reason } from '../../core/reasons.ts';
import type { CommitReceipt, Finding, UrlResult } from '../../store/contract.ts';

/** Reasons without a request. */
const UNASKED: ReadonlySet<Reason | null> = new Set<Reason>([
  'robots-disallowed',
  'robots-unreachable',
  'private-address',
  'ignored-parameter',
  'gone-by-watcher',
]);

export class RefreshCounter {
  /** Requested URLs, answered or not. */
  requests = 0;
  /** Bytes of bodies, as received. */
  bytes = 0;
  /** Pages in the plan. */
  planned = 0;
  /** Pages of the plan that another refresh has visited meanwhile. */
  visitedByOthers = 0;
  newPages = 0;
  /** Unchanged pages whose links were read again. */
  reread = 0;
  readonly findings: Record<Finding, number> = {
    same: 0,
    noise: 0,
    changed: 0,
    moved: 0,
    missing: 0,
    gone: 0,
    failing: 0,
    refused: 0,
  };
  /** What changed on the changed pages, by kind. */
  readonly kinds = new Map<string, number>();

  /** Why visits failed, by reason. */
  readonly troubles = new Map<string, number>();

  get looked(): number {
    return Object.values(this.findings).reduce((sum, found) => sum + found, 0);
  }

  add(results: readonly UrlResult[], { states }: CommitReceipt): void {
    results.forEach((result, i) => {
      const state = states[i] ?? null;
      if (!UNASKED.has(result.reason)) this.requests++;
      this.bytes += result.receivedBytes ?? result.page?.wireBytes ?? 0;
      if (state === null) return;
      if (!result.revisit) {
        if (state === 'fetched' || state === 'duplicate') this.newPages++;
        return;
      }
      const { finding } = result.revisit;
      // The store found that the redirect leads back to itself, so the page has not moved.
      const isLoop = finding === 'moved' && state !== 'redirect';
      this.findings[isLoop ? 'failing' : finding]++;
      const trouble = isLoop ? 'redirect-loop' : finding === 'failing' || finding === 'missing' ? result.reason : null;
      if (trouble !== null) this.troubles.set(trouble, (this.troubles.get(trouble) ?? 0) + 1);
      if (result.isReread) this.reread++;
      if (finding === 'changed') this.#countKinds(result.revisit.change);
    });
  }

  #countKinds(change: string | null): void {
    const { kinds = [] } = change === null ? {} : (JSON.parse(change) as { kinds?: readonly string[] });
    for (const kind of kinds) this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
  }
}
