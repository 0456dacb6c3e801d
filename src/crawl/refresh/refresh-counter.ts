/** Counts the findings of a refresh, as results are committed. */
import type { ChangeLevel } from '../../core/page/change-class.ts';
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
  /** New copies of other pages do not count. */
  newPages = 0;
  /** Pages that were gone and are back. */
  #backFromGone = 0;
  /** Pages that were missing once and are back. They also count by what the visit found. */
  #backFromMissing = 0;
  /** Pages that the server did not have, for the first time. A temporary redirect is none. */
  missing = 0;
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

  /** Changed pages whose change was decided by the visit and is described later. */
  undescribed = 0;
  /** The pages that changed, by level. */
  readonly levels: Record<ChangeLevel, number> = { content: 0, layout: 0, hidden: 0 };

  /** Why visits failed, by reason. */
  readonly troubles = new Map<string, number>();
  /** URLs that failed in the crawl and have a page now. They are among the new pages. */
  #firstPages = 0;
  /** Visits that did not fail, and new URLs with a response. */
  answered = 0;

  /** Pages that were missing or gone and are back. */
  get returned(): number {
    return this.#backFromGone + this.#backFromMissing;
  }

  /** Visits to known pages. A URL that has its first page now, or its page again, was known too. */
  get looked(): number {
    return Object.values(this.findings).reduce((sum, found) => sum + found, this.#backFromGone + this.#firstPages);
  }

  add(results: readonly UrlResult[], { states, loggedAs }: CommitReceipt): void {
    results.forEach((result, i) => {
      const state = states[i] ?? null;
      if (!UNASKED.has(result.reason)) this.requests += 1 + (result.moreRequests ?? 0);
      this.bytes += result.receivedBytes ?? result.page?.wireBytes ?? 0;
      if (state === null) return;
      if (result.revisit ? result.revisit.finding !== 'failing' : result.capture !== null) this.answered++;
      if (!result.revisit) {
        if (state === 'fetched') this.newPages++;
        return;
      }
      const { finding } = result.revisit;
      const kind = loggedAs.get(result.id) ?? finding;
      if (kind === 'new' || kind === 'returned') {
        if (kind === 'returned') this.#backFromGone++;
        else {
          this.newPages++;
          this.#firstPages++;
        }
        return;
      }
      // The store found that the redirect leads back to itself, so the page has not moved.
      const isLoop = finding === 'moved' && state !== 'redirect';
      // A copy that has followed its original is logged as noise.
      const isTold = kind === 'changed' || kind === 'noise';
      this.findings[isLoop ? 'failing' : isTold ? kind : finding]++;
      const trouble = isLoop ? 'redirect-loop' : finding === 'failing' || finding === 'missing' ? result.reason : null;
      if (trouble !== null) this.troubles.set(trouble, (this.troubles.get(trouble) ?? 0) + 1);
      if (finding === 'missing' && result.reason === 'not-found') this.missing++;
      if (result.revisit.isBack) this.#backFromMissing++;
      if (result.isReread) this.reread++;
      if (kind === 'changed') this.#countKinds(result.revisit.change);
      if (result.revisit.level) this.levels[result.revisit.level]++;
    });
  }

  #countKinds(change: string | null): void {
    if (change === null) this.undescribed++;
    const { kinds = [] } = change === null ? {} : (JSON.parse(change) as { kinds?: readonly string[] });
    for (const kind of kinds) this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
  }
}
