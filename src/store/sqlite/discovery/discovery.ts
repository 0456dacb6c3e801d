/**
 * The URL-seen test (E7) and its consequences: a found URL is looked up by host and key. A new URL gets a row
 * and a place in the queue of its host, and counts against the budget of its path pattern, if the pattern has
 * one. Runs inside the caller's transaction.
 *
 * The partner for PostgreSQL is store/postgres/discovery/discovery.ts;
 * the shared contract test is test/store/contract/seen.ts.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Reason } from '../../../core/reasons.ts';
import { asGuess, asTrial, isGuess, isTrial } from '../../../url/traps/sitemap-chain.ts';
import {
  type Counts,
  type FoundUrl,
  type PatternUse,
  URL_STATES,
  type UrlResult,
  type UrlState,
} from '../../contract.ts';
import {
  ABANDONED,
  type AbandonedGuess,
  abandonsGuesses,
  confirms,
  countAbandoned,
  GUESSES_ASKED,
  GUESSES_FAILED,
  type GuessCounts,
  isRevivedBy,
} from '../../rules/guess-rule.ts';
import { countReleased, REVIVED } from '../../rules/left-out.ts';
import { AnswersByPattern, isNew, OVER_BUDGET, patternKey } from '../../rules/pattern-budget-rule.ts';
import type { Tally } from '../../rules/tally.ts';
import type { ParameterLearner } from '../learning/parameters.ts';
import { TableAccess } from '../table-access.ts';
import { PatternBudgets } from './pattern-budgets.ts';

const SKIPPED = URL_STATES.indexOf('skipped');
const WAITING_GUESSES = `host_id = ? AND state = 0 AND hops >= ${asGuess(0)}`;
/**
 * Keys per call. One call for 16 keys costs a quarter of 16 calls, because most of a lookup is the call into SQLite.
 */
const KEYS_AT_ONCE = 16;
/** Number of cached host ids; other hosts are read from the database again. */
const MAX_CACHED_HOSTS = 20_000;

/** Where URLs were found. */
interface Finding {
  /** The id of the page that led to them. */
  readonly via: number | null;
  readonly patternBudget: number;
  readonly tally: Tally;
}

export class Discovery extends TableAccess {
  readonly #hostIds = new Map<string, number>();
  readonly #parameters: ParameterLearner;
  /** The reasons in `REVIVED` for which there are, or may be, skipped URLs. */
  readonly #leftOut = new Set<Reason>();
  readonly #selectHost = this.db.prepare('SELECT id FROM hosts WHERE host = ?');
  readonly #insertHost = this.db.prepare('INSERT INTO hosts (host) VALUES (?)');
  readonly #selectUrl = this.db.prepare('SELECT id FROM urls WHERE host_id = ? AND key = ?');
  readonly #selectUrls = this.db.prepare(
    `SELECT ${new Array(KEYS_AT_ONCE).fill('(SELECT id FROM urls WHERE host_id = ? AND key = ?)').join()}`,
  );
  readonly #insertUrl = this.db.prepare(
    `INSERT INTO urls (host_id, key, state, depth, rank, relevance, inherited, steps_off, hops, via, reason, url, original,
       stand_in, pattern)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  readonly #unskip = this.db.prepare(
    `UPDATE urls SET state = 0, reason = NULL, stand_in = NULL WHERE id = ? AND reason = 'ignored-parameter' RETURNING host_id`,
  );
  readonly #reviveUrl = this.db.prepare(
    `UPDATE urls SET state = 0, reason = NULL, depth = min(depth, ?), hops = ?, rank = ?, relevance = ?, inherited = ?,
       steps_off = ? WHERE id = ? AND reason = ?`,
  );
  /** A URL that was a guess or a trial is now found as a link. */
  readonly #confirm = this.db.prepare(`UPDATE urls SET hops = ? WHERE id = ? AND hops >= ${asTrial(0)}`);
  readonly #waitingGuesses = this.db.prepare(`SELECT failures, reason FROM urls WHERE ${WAITING_GUESSES}`);
  readonly #abandon = this.db.prepare(
    `UPDATE urls SET state = ${SKIPPED}, reason = '${ABANDONED}', failures = 0 WHERE ${WAITING_GUESSES}`,
  );
  readonly #patterns = new PatternBudgets(this.db);
  /** The answers of this commit. */
  #answers = new AnswersByPattern();
  /** Whether the crawl may have guesses. Most crawls have none, and then links cost nothing more. */
  #hasGuesses: boolean;
  /** Hosts with a wrong guess since the last commit. */
  readonly #doubted = new Set<number>();

  constructor(db: DatabaseSync, parameters: ParameterLearner) {
    super(db);
    this.#parameters = parameters;
    this.#selectUrls.setReturnArrays(true);
    const any = db.prepare('SELECT 1 FROM totals WHERE name = ? AND value > 0');
    for (const reason of REVIVED) if (any.get(`reason/${reason}`) !== undefined) this.#leftOut.add(reason);
    this.#hasGuesses = any.get('guesses/known') !== undefined;
  }

  /** Returns the id of a found URL. An unknown URL becomes known. */
  idOf(found: FoundUrl, via: number | null, patternBudget: number, tally: Tally): number {
    const hostId = this.hostIdOf(found.host, tally);
    const key = Buffer.from(found.key, 'hex');
    const known = this.#selectUrl.get(hostId, key) as { id: number } | undefined;
    return known
      ? this.#met(known.id, hostId, found, tally)
      : this.#insert(found, hostId, key, { via, patternBudget, tally });
  }

  /** The same for all links of a page. */
  idsOf(links: readonly FoundUrl[], via: number, patternBudget: number, tally: Tally): number[] {
    const ids: number[] = [];
    const fresh = new Map<string, number>();
    const finding = { via, patternBudget, tally };
    for (let from = 0; from < links.length; from += KEYS_AT_ONCE) {
      const asked: (number | Buffer | null)[] = [];
      for (const { host, key } of links.slice(from, from + KEYS_AT_ONCE)) {
        asked.push(this.hostIdOf(host, tally), Buffer.from(key, 'hex'));
      }
      const known = this.#idsOf(asked);
      for (let i = 0; i < known.length; i++) {
        const link = links[from + i]!;
        const hostId = asked[2 * i] as number;
        // A page may contain a new link twice: the second one is no longer new.
        const id = known[i] ?? fresh.get(link.url);
        if (id === undefined) {
          const key = asked[2 * i + 1] as Buffer;
          ids.push(this.#insert(link, hostId, key, finding));
          fresh.set(link.url, ids.at(-1)!);
        } else ids.push(this.#met(id, hostId, link, tally));
      }
    }
    return ids;
  }

  /** In: host id, key, host id, key … Out: one id for each pair; null if there is none. */
  #idsOf(asked: readonly (number | Buffer | null)[]): (number | null)[] {
    const count = asked.length / 2;
    if (count === 1) return [(this.#selectUrl.get(...asked) as { id: number } | undefined)?.id ?? null];
    const padding = new Array(2 * (KEYS_AT_ONCE - count)).fill(null);
    return (this.#selectUrls.get(...asked, ...padding) as unknown as (number | null)[]).slice(0, count);
  }

  #met(id: number, hostId: number, found: FoundUrl, tally: Tally): number {
    if (found.skip === null) {
      for (const reason of this.#leftOut) {
        if (isRevivedBy(found, reason)) this.#revive(id, hostId, found, reason, tally);
      }
      if (confirms(found, this.#hasGuesses)) this.#confirm.run(found.hops, id);
    }
    return id;
  }

  #insert(found: FoundUrl, hostId: number, key: Buffer, { via, patternBudget, tally }: Finding): number {
    // A lesson may have been refuted since the unit judged the link.
    const stand = found.skip === 'ignored-parameter' ? this.#parameters.standInOf(hostId, found.url) : null;
    const judged = found.skip === 'ignored-parameter' && !stand?.isFit ? null : found.skip;
    const skip = judged ?? this.#overBudget(hostId, found, patternBudget);
    const { lastInsertRowid } = this.#insertUrl.run(
      hostId,
      key,
      skip === null ? 0 : SKIPPED,
      found.depth,
      found.rank,
      found.relevance,
      found.trail?.inherited ?? null,
      found.trail?.stepsOff ?? null,
      found.hops,
      via,
      skip,
      found.url,
      found.original,
      stand?.id ?? null,
      skip === OVER_BUDGET ? Buffer.from(patternKey(found.pattern!), 'hex') : null,
    );
    tally.enters(hostId, skip === null ? 'waiting' : 'skipped', skip);
    tally.discovered++;
    if (isGuess(found.hops)) {
      tally.add('guesses/known', 1);
      this.#hasGuesses = true;
    }
    if (isTrial(found.hops)) this.noteLeftOut('no-sitemap');
    this.noteLeftOut(skip);
    return Number(lastInsertRowid);
  }

  /** A URL is left out for this reason. If it may end, URLs that are found again are compared with it. */
  noteLeftOut(reason: Reason | null): void {
    if (reason !== null && REVIVED.includes(reason)) this.#leftOut.add(reason);
  }

  /** A URL that the user named is fetched as it is, even if another URL stands for it. */
  fetchAsNamed(id: number, tally: Tally): void {
    const row = this.#unskip.get(id) as { host_id: number } | undefined;
    if (row !== undefined) countReleased(row.host_id, 'ignored-parameter', tally);
  }

  hostIdOf(host: string, tally: Tally): number {
    const cached = this.#hostIds.get(host);
    if (cached !== undefined) return cached;
    const known = this.#selectHost.get(host) as { id: number } | undefined;
    const id = known?.id ?? Number(this.#insertHost.run(host).lastInsertRowid);
    if (!known) tally.add('hosts', 1);
    if (this.#hostIds.size >= MAX_CACHED_HOSTS) this.#hostIds.clear();
    this.#hostIds.set(host, id);
    return id;
  }

  /** Called before the end of the transaction: counts of many URLs are written once. */
  write(): void {
    this.#patterns.write();
  }

  /** Called after a rollback: the ids of the transaction are invalid. */
  forget(): void {
    this.#hostIds.clear();
    this.#patterns.forget();
    this.#answers = new AnswersByPattern();
    this.#doubted.clear();
  }

  /**
   * Lets a skipped URL wait after it was found where the reason does not apply: nearer to the seeds or to the topic.
   */
  #revive(id: number, hostId: number, found: FoundUrl, reason: Reason, tally: Tally): void {
    const { depth, hops, rank, relevance, trail } = found;
    const way = [trail?.inherited ?? null, trail?.stepsOff ?? null];
    const { changes } = this.#reviveUrl.run(depth, hops, rank, relevance, ...way, id, reason);
    if (changes > 0) countReleased(hostId, reason, tally);
  }

  /** Counts an answer for the budgets of path patterns. `via`: the page on which the URL was found. */
  countAnswer(result: UrlResult, state: UrlState, via: number | null): void {
    this.#answers.add(result, state);
    if (via !== null && isNew(result.page, state)) this.#answers.addTo(this.#patterns.finderOf(via), result.url);
  }

  /**
   * Lets URLs wait whose patterns have room after the answers of this commit. Returns their number by host. Called
   * after all results of a batch, so that the order of the results does not matter.
   */
  admitLeftOut(patternBudget: number, tally: Tally): ReadonlyMap<string, number> {
    const answers = this.#answers;
    this.#answers = new AnswersByPattern();
    return this.#patterns.answer(answers, patternBudget, tally);
  }

  /** The same for all patterns, and without answers. Returns their number. */
  fillBudgets(patternBudget: number, tally: Tally): number {
    return this.#patterns.fill(patternBudget, tally);
  }

  patternUse(host: string, pattern: string): PatternUse | null {
    const row = this.#selectHost.get(host) as { id: number } | undefined;
    return row === undefined ? null : this.#patterns.useOf(row.id, pattern);
  }

  countGuess(hostId: number, isWrong: boolean, tally: Tally): void {
    tally.add('guesses', 1);
    tally.add('guesses/wrong', isWrong ? 1 : 0);
    this.#patterns.count(hostId, GUESSES_ASKED, 1);
    this.#patterns.count(hostId, GUESSES_FAILED, isWrong ? 1 : 0);
    if (isWrong) this.#doubted.add(hostId);
  }

  /**
   * Leaves the waiting guesses out where most guesses were wrong, and counts them. Called after all results of a batch:
   * guesses that were already fetched keep their pages.
   */
  abandonGuesses(tally: Tally, abandoned: Map<number, number>): void {
    for (const hostId of this.#doubted) {
      if (!abandonsGuesses(this.#guessesOf(hostId))) continue;
      const waiting = this.#waitingGuesses.all(hostId) as unknown as AbandonedGuess[];
      this.#abandon.run(hostId);
      for (const guess of waiting) countAbandoned(hostId, guess, tally, abandoned);
      this.#leftOut.add(ABANDONED);
    }
    this.#doubted.clear();
  }

  #guessesOf(hostId: number): GuessCounts {
    return {
      asked: this.#patterns.count(hostId, GUESSES_ASKED, 0),
      failed: this.#patterns.count(hostId, GUESSES_FAILED, 0),
    };
  }

  #overBudget(hostId: number, found: FoundUrl, patternBudget: number): Reason | null {
    if (isGuess(found.hops) && abandonsGuesses(this.#guessesOf(hostId))) return ABANDONED;
    return found.pattern === null ? null : this.#patterns.judge(hostId, found, patternBudget);
  }
}

/**
 * Lets skipped URLs wait when their reason no longer applies: the depth limit was raised, private addresses were
 * allowed, or the topic has changed.
 *
 * The partner for PostgreSQL is store/postgres/discovery/release-skipped.ts;
 * the shared contract test is test/store/contract/seen.ts.
 */
export const ANY_DEPTH = Number.MAX_SAFE_INTEGER;

/** Lets URLs wait that were skipped for this reason, up to a depth. Returns their number. */
export function letWait(db: DatabaseSync, reason: Reason, depth: number, tally: Tally): number {
  const rows = db
    .prepare('UPDATE urls SET state = 0, reason = NULL WHERE reason = ? AND depth <= ? RETURNING host_id')
    .all(reason, depth) as { host_id: number }[];
  for (const { host_id } of rows) countReleased(host_id, reason, tally);
  return rows.length;
}

/** Deletes every judgement by the former topic. Returns the number of URLs that wait again. */
export function forgetTopic(db: DatabaseSync, { judged, onTopic }: Counts, tally: Tally): number {
  tally.add('judged', -judged);
  tally.add('on-topic', -onTopic);
  db.exec('UPDATE pages SET relevance = NULL WHERE relevance IS NOT NULL');
  const released = letWait(db, 'off-topic', ANY_DEPTH, tally);
  db.exec('UPDATE urls SET relevance = NULL, inherited = NULL, steps_off = NULL WHERE relevance IS NOT NULL');
  return released;
}
