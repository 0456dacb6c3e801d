/**
 * Visit rows: one row for each URL that was answered once, written with the first answer and at every visit since.
 *
 * What always holds: a URL that waits, or that was left out from the start, has no row. The row agrees with the copy
 * about the URL. The code runs inside the commit's transaction.
 *
 * The partner for SQLite is store/sqlite/changes/visits.ts; the shared contract test is test/store/contract/visits.ts.
 */
import { patternOf } from '../../../url/path-shape.ts';
import { URL_STATES, type UrlResult, type UrlState, type VisitUpdate } from '../../contract.ts';
import type { Claimed } from '../../rules/source-claims.ts';
import { type Look, visitKind } from '../../rules/visit-rules.ts';
import { numbers } from '../connection/arrays.ts';
import type { WorkingSet } from '../rows/working-set.ts';

/** A visit that found the page unchanged and has nothing to store except its time. */
export interface PlainLook {
  readonly id: number;
  readonly hostId: number;
  readonly sinceMs: number;
  readonly checkedAtMs: number;
  readonly update: VisitUpdate | undefined;
}

/** A plain visit that counted: the state of the URL, and its visit row as it was before. */
export interface SeenSame extends Claimed {
  readonly id: number;
  readonly host_id: number;
  readonly state: UrlState;
  readonly copy_of: number | null;
}

export class Visits {
  readonly #set: WorkingSet;

  constructor(set: WorkingSet) {
    this.#set = set;
  }

  /** Opens the row with the first answer of the URL. `copyOf`: the page of which the page is a copy. */
  begin(result: UrlResult, state: UrlState, depth: number, nowMs: number, copyOf: number | null): void {
    const { id, url, hostId, page, capture } = result;
    const kind = visitKind(state);
    if (kind === null || state === 'skipped') return;
    this.#set.visits.put({
      url_id: id,
      host_id: hostId,
      pattern: patternOf(url),
      depth,
      kind,
      is_source: page?.isSource ?? false,
      checked_at: Math.ceil(capture?.fetchedAtMs ?? nowMs),
      checks: 0,
      streak: 0,
      changes: 0,
      changed_log: 0,
      quiet_ms: 0,
      interval_ms: 0,
      rhythm: 0,
      failures: 0,
      not_before: 0,
      claimed_at: 0,
      claim_seen: 0,
      orphaned_at: null,
      copy_of: copyOf,
      trouble: null,
    });
  }

  /**
   * Writes the plain visits in one statement, because most visits are plain. The statement checks the last
   * visit time of each row, so visits that do not count are left out. The old values are read by a second statement:
   * one statement for both would take longer to plan than to run.
   */
  async sawSame(looks: readonly PlainLook[]): Promise<readonly SeenSame[]> {
    const { session, schema } = this.#set;
    const sorted = looks.toSorted((a, b) => a.id - b.id);
    const ids = numbers(sorted.map(({ id }) => id));
    const [before, written] = await Promise.all([
      session.all(
        `SELECT u.id, u.state, v.host_id, v.checked_at, v.claim_seen, v.copy_of
         FROM ${schema}.urls u JOIN ${schema}.visits v ON v.url_id = u.id
         WHERE u.id = ANY($1::bigint[])`,
        [ids],
      ),
      session.all(
        `UPDATE ${schema}.visits v SET checked_at = n.checked_at, checks = v.checks + 1, streak = 0, failures = 0, not_before = 0,
           trouble = NULL, claim_seen = v.claimed_at, changes = coalesce(n.changes, v.changes),
           changed_log = coalesce(n.changed_log, v.changed_log), quiet_ms = coalesce(n.quiet_ms, v.quiet_ms),
           interval_ms = coalesce(n.interval_ms, v.interval_ms), rhythm = coalesce(n.rhythm, v.rhythm)
         FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::double precision[], $6::double precision[],
           $7::double precision[], $8::double precision[], $9::bigint[])
           AS n(id, host_id, since, checked_at, changes, changed_log, quiet_ms, interval_ms, rhythm)
         WHERE v.url_id = n.id AND v.host_id = n.host_id AND v.checked_at = n.since
         RETURNING v.url_id AS id, v.claimed_at`,
        [
          ids,
          numbers(sorted.map(({ hostId }) => hostId)),
          numbers(sorted.map(({ sinceMs }) => sinceMs)),
          numbers(sorted.map(({ checkedAtMs }) => checkedAtMs)),
          numbers(sorted.map(({ update }) => update?.changes ?? null)),
          numbers(sorted.map(({ update }) => update?.changedLogMs ?? null)),
          numbers(sorted.map(({ update }) => update?.quietMs ?? null)),
          numbers(sorted.map(({ update }) => update?.intervalMs ?? null)),
          numbers(sorted.map(({ update }) => update?.rhythm ?? null)),
        ],
      ),
    ]);
    const counting = new Map(written.map((row) => [row.id, row.claimed_at]));
    return before
      .filter(({ id }) => counting.has(id))
      .map((row) => ({
        ...(row as SeenSame),
        claimed_at: counting.get(row.id)!,
        state: URL_STATES[row.state as number]!,
      }));
  }

  look({ id, update, ...look }: Look): void {
    const kind = visitKind(look.state);
    if (kind === null) {
      this.remove(id);
      return;
    }
    const before = this.#set.visits.get(id)!;
    // The columns are always the same, because rows that differ in the same columns are written together.
    this.#set.visits.change(id, {
      checked_at: look.checkedAtMs,
      kind,
      is_source: look.isSource,
      failures: look.failures,
      not_before: Math.ceil(look.notBeforeMs),
      trouble: look.trouble,
      claim_seen: look.sawClaim ? before.claimed_at : before.claim_seen,
      checks: before.checks + (look.failures === 0 ? 1 : 0),
      streak: look.isOtherContent ? before.streak + 1 : look.failures > 0 ? before.streak : 0,
      changes: update?.changes ?? before.changes,
      changed_log: update?.changedLogMs ?? before.changed_log,
      quiet_ms: update?.quietMs ?? before.quiet_ms,
      interval_ms: update?.intervalMs ?? before.interval_ms,
      rhythm: update?.rhythm ?? before.rhythm,
    });
  }

  remove(id: number): void {
    this.#set.visits.remove(id);
  }
}
