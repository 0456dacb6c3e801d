/**
 * Canonical links (C7): judges the link of a page when the page is written, and again when the URL changes that the
 * link leads to (store/rules/canonical-rule.ts has the rule). Runs inside the caller's transaction.
 *
 * What always holds: the pages that name a changed URL are judged in the same commit, up to `MOST_JUDGED` of them. If
 * there are more, the table `canonical_tasks` has the URL and the last page that was judged, so nothing is lost when
 * the process is killed. A URL that no page names costs one look-up, or none while no page names another URL.
 *
 * The partner for PostgreSQL is store/postgres/commit/canonicals.ts;
 * the shared contract test is test/store/contract/canonicals.ts.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Reason } from '../../../core/reasons.ts';
import { URL_STATES, VERDICT_NAMES } from '../../contract.ts';
import { sketchIn } from '../../records/record-rows.ts';
import {
  type CanonicalJudgement,
  type ComparedPage,
  judgeCanonical,
  MOST_JUDGED,
  MOST_STEPS,
  type WayPoint,
} from '../../rules/canonical-rule.ts';
import type { Tally } from '../../rules/tally.ts';
import { TableAccess } from '../table-access.ts';
import { Copies } from './copies.ts';
import type { NearDuplicates } from './near-duplicates.ts';

interface PageColumns {
  readonly bytes: number;
  readonly digest: Uint8Array;
  readonly noindex: number;
  readonly title: string;
  readonly sketch: Uint8Array | null;
  readonly word_counts: Uint8Array | null;
  readonly canonical_end: number | null;
  readonly duplicate_of: number | null;
}

interface NamingRow extends PageColumns {
  readonly id: number;
  readonly canonical: number;
  readonly canonical_verdict: number | null;
}

interface PointRow extends PageColumns {
  readonly state: number;
  readonly reason: Reason | null;
  readonly redirect_to: number | null;
  /** Null if there is no page; the other columns of the page are null then. */
  readonly page: number | null;
}

/** A URL whose pages must be judged, and the last of them that was. */
interface Task {
  readonly target: number;
  readonly after: number;
}

const PAGE = 'p.bytes, p.digest, p.noindex, p.title, p.sketch, p.word_counts, p.canonical_end, p.duplicate_of';

export class Canonicals extends TableAccess {
  readonly #near: NearDuplicates;
  readonly #copies = new Copies(this.db);
  /** Whether any page names another URL. Null until the table was read. */
  #hasAny: boolean | null = null;
  /** URLs that this commit has changed. */
  readonly #changed = new Set<number>();
  readonly #any = this.db.prepare('SELECT 1 FROM pages WHERE canonical_end IS NOT NULL LIMIT 1');
  readonly #named = this.db.prepare(
    'SELECT value AS id FROM json_each(?) WHERE EXISTS (SELECT 1 FROM pages WHERE canonical_end = value)',
  );
  readonly #naming = this.db.prepare(
    `SELECT p.url_id AS id, p.canonical, p.canonical_verdict, ${PAGE} FROM pages p
     WHERE p.canonical_end = ? AND p.url_id > ? ORDER BY p.url_id LIMIT ?`,
  );
  readonly #point = this.db.prepare(
    `SELECT u.state, u.reason, u.redirect_to, p.url_id AS page, ${PAGE} FROM urls u LEFT JOIN pages p ON p.url_id = u.id
     WHERE u.id = ?`,
  );
  readonly #redirectOf = this.db.prepare(
    `SELECT redirect_to AS next FROM urls WHERE id = ? AND state = ${URL_STATES.indexOf('redirect')}`,
  );
  readonly #setVerdict = this.db.prepare('UPDATE pages SET canonical_verdict = ?, canonical_end = ? WHERE url_id = ?');
  readonly #takeTasks = this.db.prepare(
    'DELETE FROM canonical_tasks WHERE target IN (SELECT target FROM canonical_tasks LIMIT ?) RETURNING target, after',
  );
  readonly #addTask = this.db.prepare('INSERT OR REPLACE INTO canonical_tasks (target, after) VALUES (?, ?)');
  readonly #anyTask = this.db.prepare('SELECT 1 FROM canonical_tasks LIMIT 1');

  constructor(db: DatabaseSync, near: NearDuplicates) {
    super(db);
    this.#near = near;
  }

  judge(id: number, page: ComparedPage, named: number): CanonicalJudgement {
    const judging = judgeCanonical(id, page, named);
    let step = judging.next();
    while (!step.done) step = judging.next(this.#pointAt(step.value));
    this.#hasAny = true;
    return step.value;
  }

  /** Called when a URL got its first answer, when its page changed, and when its page left. */
  changes(id: number): void {
    this.#changed.add(id);
  }

  /** Called when a URL no longer redirects to `target`: pages that named it were led to the end of the chain. */
  leavesRedirect(target: number): void {
    let end = target;
    for (let step = 0; step < MOST_STEPS; step++) {
      const next = (this.#redirectOf.get(end) as { next: number | null } | undefined)?.next ?? null;
      if (next === null) break;
      end = next;
    }
    this.changes(end);
  }

  /** Called when all pages are written. Judges the pages that name the changed URLs. Returns whether some are left. */
  settle(tally: Tally): boolean {
    const changed = [...this.#changed];
    this.#changed.clear();
    this.#hasAny ??= this.#any.get() !== undefined;
    return this.#hasAny && changed.length > 0 && this.#work(this.#tasksOf(changed), tally);
  }

  /** Judges pages that earlier commits left. Returns whether more are left. */
  settleLeft(tally: Tally): boolean {
    this.#work(this.#takeTasks.all(MOST_JUDGED) as unknown as Task[], tally);
    return this.#anyTask.get() !== undefined;
  }

  /** Called after a rollback. */
  forget(): void {
    this.#changed.clear();
    this.#hasAny = null;
  }

  #tasksOf(ids: readonly number[]): Task[] {
    return (this.#named.all(JSON.stringify(ids)) as { id: number }[]).map(({ id }) => ({ target: id, after: 0 }));
  }

  #work(tasks: readonly Task[], tally: Tally): boolean {
    const queue = [...tasks];
    let budget = MOST_JUDGED;
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
      if (budget === 0) {
        this.#addTask.run(task.target, task.after);
        for (const { target, after } of queue) this.#addTask.run(target, after);
        return true;
      }
      const rows = this.#naming.all(task.target, task.after, budget) as unknown as NamingRow[];
      // Other pages may have been led on to a page that is judged differently now.
      const moved = rows.filter((row) => this.#judgeAgain(row, tally)).map(({ id }) => id);
      if (rows.length === budget) queue.unshift({ target: task.target, after: rows.at(-1)!.id });
      if (moved.length > 0) queue.push(...this.#tasksOf(moved));
      budget -= rows.length;
    }
    return false;
  }

  /** Returns whether the judgement is another one than before. */
  #judgeAgain(row: NamingRow, tally: Tally): boolean {
    const { id, canonical } = row;
    const { verdict, canonicalEnd, duplicateOf } = this.judge(id, comparedIn(row), canonical);
    const code = VERDICT_NAMES.indexOf(verdict);
    const before = followedIn(row);
    if (code === row.canonical_verdict && canonicalEnd === row.canonical_end && duplicateOf === before) return false;
    this.#setVerdict.run(code, canonicalEnd, id);
    if (duplicateOf === before) return true;
    this.#near.leave(id);
    if (duplicateOf === null) this.#copies.standAlone(id, row, tally);
    else this.#copies.follow(id, row, duplicateOf, tally);
    return true;
  }

  #pointAt(id: number): WayPoint | null {
    const row = this.#point.get(id) as unknown as PointRow | undefined;
    if (row === undefined) return null;
    const { state, reason, redirect_to, page } = row;
    const canonical = { canonicalEnd: row.canonical_end, duplicateOf: followedIn(row) };
    return {
      state: URL_STATES[state]!,
      reason,
      redirectTo: redirect_to,
      page: page === null ? null : { ...comparedIn(row), ...canonical },
    };
  }
}

function comparedIn({ bytes, digest, noindex, title, sketch, word_counts }: PageColumns): ComparedPage {
  return {
    bytes,
    digest,
    noindex: noindex === 1,
    title,
    sketch: sketch && sketchIn(sketch),
    wordCounts: word_counts,
  };
}

/** The page that this page duplicates by its canonical link. */
function followedIn({ duplicate_of }: PageColumns): number | null {
  return duplicate_of === null || duplicate_of === 0 ? null : duplicate_of;
}
