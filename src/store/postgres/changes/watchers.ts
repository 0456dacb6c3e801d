/**
 * Watchers of hosts: the URL of the report, the cursor of the last read, the counts for trust, and the
 * pages that a report named and that were not visited since.
 *
 * What always holds: the marks from a report and the cursor after it are written in one transaction, so a crash
 * loses neither. The URLs of the report are made known before that transaction; this is harmless if the transaction
 * fails. Counts fade like the counts of change sources.
 *
 * The partner for SQLite is store/sqlite/changes/watchers.ts; the
 * shared contract test is test/store/contract/watchers.ts.
 */
import {
  type KnownPage,
  type MarkedUrl,
  MOST_JUDGED_SILENT,
  type Store,
  URL_STATES,
  WATCH_MARKS,
  type WatcherNews,
  type WatcherRecord,
} from '../../contract.ts';
import { numbers, plainTexts } from '../connection/arrays.ts';
import type { Row, Session } from '../connection/database.ts';
import type { Engine } from '../engine.ts';
import { lockHosts } from '../leases/lock-hosts.ts';
import { writeMarks } from './watcher-marks.ts';

const NOTHING = { confirmed: 0, falseAlarms: 0, missed: 0, quiet: 0 };
const CHANGED = WATCH_MARKS.indexOf('changed');
const UNSEEN = WATCH_MARKS.indexOf('unseen');
const SMALLEST_KEY = '0'.repeat(32);

export class WatcherCalls implements Pick<Store, 'watchers' | 'noteWatcher' | 'marks' | 'knownPages' | 'hostPages'> {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async watchers(): Promise<readonly WatcherRecord[]> {
    const { db } = this.#engine;
    const rows = await db.all(
      `SELECT w.host_id AS "hostId", h.host, w.url, w.cursor, w.asked_at AS "askedAtMs", w.read_at AS "readAtMs", w.confirmed,
         w.false_alarms AS "falseAlarms", w.missed, w.quiet
       FROM ${db.schema}.watchers w JOIN ${db.schema}.hosts h ON h.id = w.host_id ORDER BY w.host_id`,
    );
    return rows.map((row) => ({ ...row }) as unknown as WatcherRecord);
  }

  async noteWatcher(hostId: number, news: WatcherNews, nowMs: number): Promise<readonly number[]> {
    const { db, discovery } = this.#engine;
    const { found = [], marks = [], patternBudget = Infinity } = news;
    const finds = found.map((each) => ({ found: each, via: null }));
    const { ids } = await discovery.makeKnown(finds, { patternBudget, nowMs });
    await db.transaction(async (session) => {
      await lockHosts(session, db.schema, [hostId]);
      if (news.owner !== undefined && !(await this.#isHeldBy(session, hostId, news.owner))) return;
      await this.#writeRecord(session, hostId, news);
      if (news.areOwed) {
        const owed = found.filter(({ skip }) => skip === null).map((each) => ids.get(each)!);
        await this.#markWaiting(session, hostId, owed);
      }
      if (news.unseenBeforeMs !== undefined) await this.#markUnseen(session, hostId, news.unseenBeforeMs);
      const updates = marks.map((mark) => ({ ...mark, hostId }));
      await writeMarks(session, db.schema, updates);
    });
    return found.map((each) => ids.get(each)!);
  }

  async #isHeldBy(session: Session, hostId: number, owner: string): Promise<boolean> {
    const sql = `SELECT 1 FROM ${this.#engine.db.schema}.hosts WHERE id = $1 AND lease_owner = $2`;
    return (await session.all(sql, [hostId, owner])).length > 0;
  }

  async marks(hostId: number, after: number, limit: number): Promise<readonly MarkedUrl[]> {
    const { db } = this.#engine;
    const rows = await db.all(
      `SELECT url_id AS id, mark FROM ${db.schema}.watch_marks WHERE host_id = $1 AND url_id > $2
       ORDER BY url_id LIMIT $3`,
      [hostId, after, limit],
    );
    return rows.map(({ id, mark }) => ({ id, mark: WATCH_MARKS[mark]! }));
  }

  async knownPages(hostId: number, keys: readonly string[]): Promise<readonly (KnownPage | null)[]> {
    const sql = `${this.#known} AND u.key = ANY($2::uuid[])`;
    const rows = await this.#engine.db.all(sql, [hostId, plainTexts(keys)]);
    const known = new Map(rows.map((row) => [row.key, toKnown(row)]));
    return keys.map((key) => known.get(key) ?? null);
  }

  async hostPages(hostId: number, afterKey: string, limit: number): Promise<readonly KnownPage[]> {
    const { db } = this.#engine;
    // Only URLs that were answered once: other URLs have never been part of the copy.
    const rows = await db.all(
      `${this.#known} AND ${afterKey === '' ? 'u.key >= $2::uuid' : 'u.key > $2::uuid'}
       AND EXISTS (SELECT 1 FROM ${db.schema}.visits v WHERE v.url_id = u.id) ORDER BY u.key LIMIT $3`,
      [hostId, afterKey === '' ? SMALLEST_KEY : afterKey, limit],
    );
    return rows.map(toKnown);
  }

  get #known(): string {
    const { schema } = this.#engine.db;
    return `SELECT u.id, u.key, u.state, encode(p.digest, 'hex') AS digest
      FROM ${schema}.urls u LEFT JOIN ${schema}.pages p ON p.url_id = u.id
      WHERE u.host_id = $1`;
  }

  async #writeRecord(session: Session, hostId: number, news: WatcherNews): Promise<void> {
    const { db } = this.#engine;
    const { url = null, cursor, askedAtMs = null, readAtMs = null, outcomes = NOTHING } = news;
    const { confirmed, falseAlarms, missed, quiet } = outcomes;
    const faded = (count: string) =>
      `${count} = (w.${count} + excluded.${count})
         / CASE WHEN w.missed + excluded.missed + w.quiet + excluded.quiet > ${MOST_JUDGED_SILENT} THEN 2 ELSE 1 END`;
    await session.run(
      `INSERT INTO ${db.schema}.watchers AS w (host_id, url, cursor, asked_at, read_at, confirmed, false_alarms, missed, quiet)
       VALUES ($1, coalesce($2::text, ''), $4, coalesce($5::bigint, 0), coalesce($6::bigint, 0), $7, $8, $9, $10)
       ON CONFLICT (host_id) DO UPDATE SET url = coalesce($2::text, w.url),
         cursor = CASE WHEN $3::boolean THEN excluded.cursor ELSE w.cursor END,
         asked_at = coalesce($5::bigint, w.asked_at), read_at = coalesce($6::bigint, w.read_at),
         ${['confirmed', 'false_alarms', 'missed', 'quiet'].map(faded).join()}`,
      [
        ...[hostId, url, cursor !== undefined, cursor ?? null, wholeMs(askedAtMs), wholeMs(readAtMs)],
        ...[confirmed, falseAlarms, missed, quiet],
      ],
    );
  }

  async #markWaiting(session: Session, hostId: number, ids: readonly number[]): Promise<void> {
    const { db } = this.#engine;
    if (ids.length === 0) return;
    // The URLs may belong to other hosts, and a watcher cannot speak for other hosts.
    await session.run(
      `INSERT INTO ${db.schema}.watch_marks (host_id, url_id, mark)
       SELECT u.host_id, u.id, ${CHANGED} FROM ${db.schema}.urls u
       WHERE u.host_id = $1 AND u.id = ANY($2::bigint[]) AND u.state = 0
       ON CONFLICT (host_id, url_id) DO UPDATE SET mark = excluded.mark`,
      [hostId, numbers(ids)],
    );
  }

  async #markUnseen(session: Session, hostId: number, beforeMs: number): Promise<void> {
    const { db } = this.#engine;
    await session.run(
      `INSERT INTO ${db.schema}.watch_marks (host_id, url_id, mark)
       SELECT v.host_id, v.url_id, ${UNSEEN} FROM ${db.schema}.visits v
       WHERE v.host_id = $1 AND v.checked_at < $2 ON CONFLICT (host_id, url_id) DO NOTHING`,
      [hostId, Math.ceil(beforeMs)],
    );
  }
}

function wholeMs(timeMs: number | null): number | null {
  return timeMs === null ? null : Math.ceil(timeMs);
}

function toKnown({ id, key, state, digest }: Row): KnownPage {
  return { id, key, state: URL_STATES[state]!, digest: digest ?? '' };
}
