/**
 * The use of each path pattern, for the budget of endless URL spaces (rules/pattern-budget-rule.ts), and the URLs that
 * are left out for it. New URLs come by the thousand, but most patterns by the dozen, so the uses are cached and
 * written once per commit. On sites whose paths have titles and numbers, nearly every URL has a pattern of its own. So
 * a pattern is written from its second URL on: a single URL is no endless space, and writing these took a seventh of
 * the commit.
 *
 * The partner for PostgreSQL is store/postgres/discovery/pattern-budgets.ts;
 * the shared contract test is test/store/contract/budgets.ts.
 */
import type { Reason } from '../../../core/reasons.ts';
import { pathPattern } from '../../../url/traps/path-pattern.ts';
import type { FoundUrl, PatternUse } from '../../contract.ts';
import { countReleased } from '../../rules/left-out.ts';
import {
  type AnswersByPattern,
  afterAnswers,
  countByHost,
  type Finder,
  finderOf,
  judgeBudget,
  OVER_BUDGET,
  patternKey,
  roomFor,
} from '../../rules/pattern-budget-rule.ts';
import type { Tally } from '../../rules/tally.ts';
import { TableAccess } from '../table-access.ts';

/** Number of cached uses; others are read from the database again. */
const MAX_CACHED = 20_000;
/** URLs of older versions that get their pattern at once. */
const AT_ONCE = 10_000;

interface CachedUse {
  readonly hostId: number;
  readonly key: Buffer;
  use: PatternUse;
}

const UNUSED: PatternUse = { known: 0, leftOut: 0, answered: 0, productive: 0, barren: 0 };
const USE = 'count AS known, left_out AS leftOut, answered, productive, barren';

export class PatternBudgets extends TableAccess {
  /** The uses by host and pattern, and their number. */
  readonly #uses = new Map<number, Map<string, CachedUse>>();
  #cached = 0;
  /** Uses that are not written yet. */
  readonly #changed = new Set<CachedUse>();
  readonly #finders = new Map<number, Finder>();
  readonly #select = this.db.prepare(`SELECT ${USE} FROM patterns WHERE host_id = ? AND pattern = ?`);
  readonly #selectFinder = this.db.prepare('SELECT host_id AS hostId, url FROM urls WHERE id = ?');
  readonly #write = this.db.prepare('INSERT OR REPLACE INTO patterns VALUES (?, ?, ?, ?, ?, ?, ?)');
  readonly #letWait = this.db.prepare(
    `UPDATE urls SET state = 0, reason = NULL WHERE id IN (SELECT id FROM urls
       WHERE host_id = ? AND pattern = ? AND reason = '${OVER_BUDGET}' ORDER BY id LIMIT ?)`,
  );

  /** Adds to a count of a host that is stored as a pattern, and returns the new count. */
  count(hostId: number, name: string, by: 0 | 1): number {
    const cached = this.#of(hostId, name);
    if (by > 0) {
      cached.use = { ...cached.use, known: cached.use.known + by };
      this.#changed.add(cached);
    }
    return cached.use.known;
  }

  /** Counts a new URL. Returns the reason to leave it out if it exceeds the budget. */
  judge(hostId: number, found: FoundUrl, patternBudget: number): Reason | null {
    const cached = this.#of(hostId, found.pattern!);
    const skip = judgeBudget(found, cached.use, patternBudget);
    const { known, leftOut } = cached.use;
    this.#change(cached, { ...cached.use, known: known + 1, leftOut: leftOut + (skip === OVER_BUDGET ? 1 : 0) });
    return skip;
  }

  /** Counts the answers of a batch, and lets URLs wait that have room now. Returns their number by host. */
  answer(answers: AnswersByPattern, patternBudget: number, tally: Tally): ReadonlyMap<string, number> {
    const released = new Map<string, number>();
    for (const each of answers.all) {
      const cached = this.#of(each.hostId, each.pattern);
      this.#change(cached, afterAnswers(cached.use, each));
      countByHost(released, each.pattern, this.#release(cached, patternBudget, tally));
    }
    return released;
  }

  /** Lets left-out URLs of all patterns wait that have room. Returns their number. */
  fill(patternBudget: number, tally: Tally): number {
    this.#adopt();
    const rows = this.db
      .prepare(`SELECT host_id AS hostId, pattern, ${USE} FROM patterns WHERE left_out > 0`)
      .all() as unknown as (PatternUse & { hostId: number; pattern: Uint8Array })[];
    let count = 0;
    for (const { hostId, pattern, ...use } of rows) {
      count += this.#release({ hostId, key: Buffer.from(pattern), use }, patternBudget, tally);
    }
    this.write();
    this.#forgetUses();
    return count;
  }

  useOf(hostId: number, pattern: string): PatternUse {
    return this.#read(hostId, Buffer.from(patternKey(pattern), 'hex'));
  }

  /** The page on which a URL was found. A page with many links is the finder of many URLs, so it is cached. */
  finderOf(via: number): Finder {
    let finder = this.#finders.get(via);
    if (finder === undefined) {
      finder = finderOf(this.#selectFinder.get(via) as { hostId: number; url: string });
      if (this.#finders.size >= MAX_CACHED) this.#finders.clear();
      this.#finders.set(via, finder);
    }
    return finder;
  }

  /** Called inside the transaction that made the URLs known. */
  write(): void {
    for (const { hostId, key, use } of this.#changed) {
      const { known, leftOut, answered, productive, barren } = use;
      this.#write.run(hostId, key, known, leftOut, answered, productive, barren);
    }
    this.#changed.clear();
    if (this.#cached > MAX_CACHED) this.#forgetUses();
  }

  /** Called after a rollback. */
  forget(): void {
    this.#changed.clear();
    this.#forgetUses();
    this.#finders.clear();
  }

  #release(cached: CachedUse, patternBudget: number, tally: Tally): number {
    const { hostId, key, use } = cached;
    const room = Math.min(use.leftOut, roomFor(use, patternBudget));
    if (room === 0) return 0;
    const count = Number(this.#letWait.run(hostId, key, room).changes);
    countReleased(hostId, OVER_BUDGET, tally, count);
    // If there are fewer than the count says, the others wait already: a recovery admits URLs one by one.
    this.#change(cached, { ...use, leftOut: count < room ? 0 : use.leftOut - count });
    return count;
  }

  /** Earlier versions left URLs out for good, and did not store their patterns. They counted them as answered. */
  #adopt(): void {
    const unnamed = this.db.prepare(
      `SELECT id, host_id AS hostId, url FROM urls WHERE reason = '${OVER_BUDGET}' AND pattern IS NULL LIMIT ${AT_ONCE}`,
    );
    const name = this.db.prepare('UPDATE urls SET pattern = ? WHERE id = ?');
    for (;;) {
      const rows = unnamed.all() as { id: number; hostId: number; url: string }[];
      for (const { id, hostId, url } of rows) {
        const cached = this.#of(hostId, pathPattern(url) ?? '');
        const { use } = cached;
        this.#change(cached, { ...use, leftOut: use.leftOut + 1, answered: use.answered - 1 });
        name.run(cached.key, id);
      }
      this.write();
      if (rows.length < AT_ONCE) return;
    }
  }

  #change(cached: CachedUse, use: PatternUse): void {
    cached.use = use;
    if (use.known > 1 || use.leftOut > 0) this.#changed.add(cached);
  }

  #of(hostId: number, pattern: string): CachedUse {
    let ofHost = this.#uses.get(hostId);
    if (ofHost === undefined) {
      ofHost = new Map();
      this.#uses.set(hostId, ofHost);
    }
    let cached = ofHost.get(pattern);
    if (cached === undefined) {
      const key = Buffer.from(patternKey(pattern), 'hex');
      cached = { hostId, key, use: this.#read(hostId, key) };
      ofHost.set(pattern, cached);
      this.#cached++;
    }
    return cached;
  }

  #forgetUses(): void {
    this.#uses.clear();
    this.#cached = 0;
  }

  #read(hostId: number, key: Buffer): PatternUse {
    const row = this.#select.get(hostId, key) as unknown as PatternUse | undefined;
    return row === undefined ? UNUSED : { ...row };
  }
}
