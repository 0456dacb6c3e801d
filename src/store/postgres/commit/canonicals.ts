/**
 * Canonical links (C7): judges the link of a page when the page is written, and again when the URL changes that the
 * link leads to (store/rules/canonical-rule.ts has the rule). The code runs inside the commit's transaction.
 *
 * What always holds: the pages that name a changed URL are judged in the same commit, up to `MOST_JUDGED` of them. If
 * there are more, the table `canonical_tasks` has the URL and the last page that was judged.
 *
 * Two transactions never miss each other: the one that judges a page has a shared lock on every URL that its link leads
 * to, and the one that changes such a URL has an exclusive lock on it. So either the first sees the changed URL, or the
 * second sees the page that names it. A commit judges pages of other workers only while no other commit runs
 * (commits-across-hosts.ts).
 *
 * The partner for SQLite is store/sqlite/commit/canonicals.ts; the
 * shared contract test is test/store/contract/canonicals.ts.
 */
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
import { numbers } from '../connection/arrays.ts';
import type { Engine } from '../engine.ts';
import { writeTally } from '../leases/tally-writer.ts';
import type { PageRow } from '../rows/table-rows.ts';
import { WorkingSet } from '../rows/working-set.ts';
import { Crossing } from './commits-across-hosts.ts';
import { Copies } from './copies.ts';

/** A URL whose pages must be judged, and the last of them that was. */
interface Task {
  readonly target: number;
  readonly after: number;
}

const REDIRECT = URL_STATES.indexOf('redirect');

export class Canonicals {
  readonly #set: WorkingSet;
  readonly #copies: Copies;
  /** URLs that this commit has changed. */
  readonly #changed = new Set<number>();

  constructor(set: WorkingSet, copies: Copies) {
    this.#set = set;
    this.#copies = copies;
  }

  async judge(id: number, page: ComparedPage, named: number): Promise<CanonicalJudgement> {
    const judging = judgeCanonical(id, page, named);
    let step = judging.next();
    while (!step.done) step = judging.next(await this.#pointAt(step.value));
    return step.value;
  }

  /** Reads what judging these canonical links needs at least. */
  async prepare(named: readonly number[]): Promise<void> {
    await this.#set.urls.load(named, 'shared');
    await this.#set.pages.load(named, 'free');
  }

  /** Called when a URL got its first answer, when its page changed, and when its page left. */
  changes(id: number): void {
    this.#changed.add(id);
  }

  /** Called when a URL no longer redirects to `target`: pages that named it were led to the end of the chain. */
  async leavesRedirect(target: number): Promise<void> {
    const { urls } = this.#set;
    let end = target;
    for (let step = 0; step < MOST_STEPS; step++) {
      await urls.load([end], 'free');
      const url = urls.get(end);
      if (url === null || url.state !== REDIRECT || url.redirect_to === null) break;
      end = url.redirect_to;
    }
    this.changes(end);
  }

  /** Called when all pages are put. Judges the pages that name the changed URLs. Returns whether some are left. */
  async settle(): Promise<boolean> {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed.length > 0 && this.#work(await this.#tasksOf(changed));
  }

  /** Judges pages that earlier commits left. */
  async settleLeft(): Promise<void> {
    const { schema } = this.#set;
    const tasks = await this.#set.query<Task & Record<string, unknown>>(
      `DELETE FROM ${schema}.canonical_tasks WHERE target IN (SELECT target FROM ${schema}.canonical_tasks LIMIT $1)
       RETURNING target, after`,
      [MOST_JUDGED],
    );
    await this.#work(tasks);
  }

  async #tasksOf(ids: readonly number[]): Promise<Task[]> {
    const rows = await this.#set.query<{ id: number }>(
      `SELECT c.id FROM unnest($1::bigint[]) AS c(id)
       WHERE (SELECT p.url_id FROM ${this.#set.schema}.pages p WHERE p.canonical_end = c.id LIMIT 1) IS NOT NULL`,
      [numbers(ids)],
    );
    return rows.map(({ id }) => ({ target: id, after: 0 }));
  }

  async #work(tasks: readonly Task[]): Promise<boolean> {
    const queue = [...tasks];
    let budget = MOST_JUDGED;
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
      if (budget === 0) {
        await this.#leave([task, ...queue]);
        return true;
      }
      const ids = await this.#naming(task, budget);
      // Other pages may have been led on to a page that is judged differently now.
      const moved = await this.#judgeAgain(ids, task.target);
      if (ids.length === budget) queue.unshift({ target: task.target, after: ids.at(-1)! });
      if (moved.length > 0) queue.push(...(await this.#tasksOf(moved)));
      budget -= ids.length;
    }
    return false;
  }

  async #naming({ target, after }: Task, limit: number): Promise<number[]> {
    const rows = await this.#set.query<{ id: number }>(
      `SELECT url_id AS id FROM ${this.#set.schema}.pages WHERE canonical_end = $1 AND url_id > $2
       ORDER BY url_id LIMIT $3`,
      [target, after, limit],
    );
    return rows.map(({ id }) => id);
  }

  async #leave(tasks: readonly Task[]): Promise<void> {
    const after = new Map(tasks.map((task) => [task.target, task.after]));
    await this.#set.query(
      `INSERT INTO ${this.#set.schema}.canonical_tasks (target, after)
       SELECT * FROM unnest($1::bigint[], $2::bigint[]) AS t(target, after) ORDER BY target
       ON CONFLICT (target) DO UPDATE SET after = excluded.after`,
      [numbers(after.keys()), numbers(after.values())],
    );
  }

  /** Returns the pages whose judgement is another one than before. */
  async #judgeAgain(ids: readonly number[], target: number): Promise<number[]> {
    const { pages } = this.#set;
    await this.#copies.hold(ids);
    const rows = ids.flatMap((id) => pages.get(id) ?? []).filter((row) => row.canonical_end === target);
    await this.prepare(rows.map(({ canonical }) => canonical!));
    const moved: number[] = [];
    const alone: PageRow[] = [];
    const following = new Map<PageRow, number>();
    for (const row of rows) {
      const { url_id: id, canonical } = row;
      const { verdict, canonicalEnd, duplicateOf } = await this.judge(id, comparedIn(row), canonical!);
      const code = VERDICT_NAMES.indexOf(verdict);
      const before = followedIn(row);
      if (code === row.canonical_verdict && canonicalEnd === row.canonical_end && duplicateOf === before) continue;
      moved.push(id);
      pages.change(id, { canonical_verdict: code, canonical_end: canonicalEnd });
      if (duplicateOf === before) continue;
      if (duplicateOf === null) alone.push(row);
      else following.set(row, duplicateOf);
    }
    await this.#copies.prepare([...following.keys()].filter((row) => row.duplicate_of === null));
    for (const [{ url_id: id }, of] of following) await this.#copies.follow(id, of);
    await this.#copies.standAlone(alone);
    return moved;
  }

  async #pointAt(id: number): Promise<WayPoint | null> {
    await this.prepare([id]);
    const url = this.#set.urls.get(id);
    if (url === null) return null;
    const page = this.#set.pages.get(id);
    return {
      state: URL_STATES[url.state]!,
      reason: url.reason,
      redirectTo: url.redirect_to,
      page: page && { ...comparedIn(page), canonicalEnd: page.canonical_end, duplicateOf: followedIn(page) },
    };
  }
}

/** Judges pages that commits left, while no other commit runs. Returns whether more are left. */
export async function settleCanonicals({ db, slot }: Engine, nowMs: number): Promise<boolean> {
  const isAnyLeft = async () => (await db.all(`SELECT target FROM ${db.schema}.canonical_tasks LIMIT 1`)).length > 0;
  if (!(await isAnyLeft())) return false;
  await db.transaction(async (session) => {
    const alone = await Crossing.alone(session, db.schema);
    const set = new WorkingSet(session, db.schema);
    await new Canonicals(set, new Copies(set, alone)).settleLeft();
    await set.flush();
    await writeTally(session, { schema: db.schema, slot }, set.tally, nowMs);
  });
  return isAnyLeft();
}

function comparedIn({ bytes, digest, noindex, title, sketch, word_counts }: PageRow): ComparedPage {
  return { bytes, digest, noindex, title, sketch: sketch && sketchIn(sketch), wordCounts: word_counts };
}

/** The page that this page duplicates by its canonical link. */
function followedIn({ duplicate_of }: PageRow): number | null {
  return duplicate_of === null || duplicate_of === 0 ? null : duplicate_of;
}
