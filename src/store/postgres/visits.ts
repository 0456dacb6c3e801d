/** Looks at URLs that were answered once (stub: only the first answer). */
import { patternOf } from '../../url/path-shape.ts';
import type { UrlResult, UrlState, VisitRecord } from '../contract.ts';
import type { WorkingSet } from './working-set.ts';

export const VISIT_KINDS = ['page', 'redirect', 'none'] as const satisfies readonly VisitRecord['state'][];

const KIND_OF: Readonly<Record<UrlState, VisitRecord['state'] | null>> = {
  waiting: null,
  fetched: 'page',
  duplicate: 'page',
  redirect: 'redirect',
  failed: 'none',
  skipped: 'none',
  gone: 'none',
};

export class Visits {
  readonly #set: WorkingSet;

  constructor(set: WorkingSet) {
    this.#set = set;
  }

  /** The first answer. */
  begin({ id, url, hostId, page, capture }: UrlResult, state: UrlState, depth: number, nowMs: number): void {
    const kind = KIND_OF[state];
    if (kind === null || state === 'skipped') return;
    this.#set.visits.put({
      part: this.#set.parts.ofHost(hostId),
      url_id: id,
      host_id: hostId,
      pattern: patternOf(url),
      depth,
      kind: VISIT_KINDS.indexOf(kind),
      is_source: page?.isSource ?? false,
      checked_at: capture?.fetchedAtMs ?? nowMs,
      checks: 0,
      streak: 0,
      changes: 0,
      changed_log: 0,
      quiet_ms: 0,
      interval_ms: 0,
      failures: 0,
      not_before: 0,
      claimed_at: 0,
      claim_seen: 0,
      orphaned_at: null,
      trouble: null,
    });
  }
}
