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
       FROM ${db.schema}.watchers w JOIN ${db.schema}.hosts h ON h.part = w.part AND h.id = w.host_id ORDER BY w.host_id`,
    );
    return rows.map((row) => ({ ...row }) as unknown as WatcherRecord);
  }

  async noteWatcher(hostId: number, news: WatcherNews, nowMs: number): Promise<readonly number[]> {
    const { db, parts, discovery } = this.#engine;
    const { found = [], marks = [], patternBudget = Infinity } = news;
    const finds = found.map((each) => ({ found: each, via: null }));
    const { ids } = await discovery.makeKnown(finds, { patternBudget, nowMs });
    await db.transaction(async (session) => {
      await lockHosts(session, db.schema, parts.ofHost(hostId), [hostId]);
      if (news.owner !== undefined && !(await this.#isHeldBy(session, hostId, news.owner))) return;
      await this.#writeRecord(session, hostId, news);
      if (news.areOwed) {
        const owed = found.filter(({ skip }) => skip === null).map((each) => ids.get(each)!);
        await this.#markWaiting(session, hostId, owed);
      }
      if (news.unseenBeforeMs !== undefined) await this.#markUnseen(session, hostId, news.unseenBeforeMs);
      await writeMarks(
        session,
        db.schema,
        parts,
        marks.map((mark) => ({ ...mark, hostId })),
      );
    });
    return found.map((each) => ids.get(each)!);
  }

  async #isHeldBy(session: Session, hostId: number, owner: string): Promise<boolean> {
    const { db, parts } = this.#engine;
    const rows = await session.all(
      `SELECT 1 FROM ${db.schema}.hosts WHERE part = $1 AND id = $2 AND lease_owner = $3`,
      [parts.ofHost(hostId), hostId, owner],
    );
    return rows.length > 0;
  }

  async marks(hostId: number, after: number, limit: number): Promise<readonly MarkedUrl[]> {
    const { db, parts } = this.#engine;
    const rows = await db.all(
      `SELECT url_id AS id, mark FROM ${db.schema}.watch_marks WHERE part = $1 AND host_id = $2 AND url_id > $3
       ORDER BY url_id LIMIT $4`,
      [parts.ofHost(hostId), hostId, after, limit],
    );
    return rows.map(({ id, mark }) => ({ id, mark: WATCH_MARKS[mark]! }));
  }

  async knownPages(hostId: number, keys: readonly string[]): Promise<readonly (KnownPage | null)[]> {
    const { db, parts } = this.#engine;
    const rows = await db.all(`${this.#known} AND u.key = ANY($3::uuid[])`, [
      parts.ofHost(hostId),
      hostId,
      plainTexts(keys),
    ]);
    const known = new Map(rows.map((row) => [row.key, toKnown(row)]));
    return keys.map((key) => known.get(key) ?? null);
  }

  async hostPages(hostId: number, afterKey: string, limit: number): Promise<readonly KnownPage[]> {
    const { db, parts } = this.#engine;
    // Only URLs that were answered once: other URLs have never been part of the copy.
    const rows = await db.all(
      `${this.#known} AND ${afterKey === '' ? 'u.key >= $3::uuid' : 'u.key > $3::uuid'}
       AND EXISTS (SELECT 1 FROM ${db.schema}.visits v WHERE v.part = $1 AND v.url_id = u.id) ORDER BY u.key LIMIT $4`,
      [parts.ofHost(hostId), hostId, afterKey === '' ? SMALLEST_KEY : afterKey, limit],
    );
    return rows.map(toKnown);
  }

  get #known(): string {
    const { schema } = this.#engine.db;
    return `SELECT u.id, u.key, u.state, encode(p.digest, 'hex') AS digest
      FROM ${schema}.urls u LEFT JOIN ${schema}.pages p ON p.part = $1 AND p.url_id = u.id
      WHERE u.part = $1 AND u.host_id = $2`;
  }

  async #writeRecord(session: Session, hostId: number, news: WatcherNews): Promise<void> {
    const { db, parts } = this.#engine;
    const { url = null, cursor, askedAtMs = null, readAtMs = null, outcomes = NOTHING } = news;
    const { confirmed, falseAlarms, missed, quiet } = outcomes;
    const faded = (count: string) =>
      `${count} = (w.${count} + excluded.${count})
         / CASE WHEN w.missed + excluded.missed + w.quiet + excluded.quiet > ${MOST_JUDGED_SILENT} THEN 2 ELSE 1 END`;
    await session.run(
      `INSERT INTO ${db.schema}.watchers AS w (part, host_id, url, cursor, asked_at, read_at, confirmed, false_alarms, missed, quiet)
       VALUES ($1, $2, coalesce($3::text, ''), $5, coalesce($6::bigint, 0), coalesce($7::bigint, 0), $8, $9, $10, $11)
       ON CONFLICT (part, host_id) DO UPDATE SET url = coalesce($3::text, w.url),
         cursor = CASE WHEN $4::boolean THEN excluded.cursor ELSE w.cursor END,
         asked_at = coalesce($6::bigint, w.asked_at), read_at = coalesce($7::bigint, w.read_at),
         ${['confirmed', 'false_alarms', 'missed', 'quiet'].map(faded).join()}`,
      [
        ...[
          parts.ofHost(hostId),
          hostId,
          url,
          cursor !== undefined,
          cursor ?? null,
          wholeMs(askedAtMs),
          wholeMs(readAtMs),
        ],
        ...[confirmed, falseAlarms, missed, quiet],
      ],
    );
  }

  async #markWaiting(session: Session, hostId: number, ids: readonly number[]): Promise<void> {
    const { db, parts } = this.#engine;
    if (ids.length === 0) return;
    // The URLs may belong to other hosts, and a watcher cannot speak for other hosts.
    await session.run(
      `INSERT INTO ${db.schema}.watch_marks (part, host_id, url_id, mark)
       SELECT $1, $2, u.id, ${CHANGED} FROM ${db.schema}.urls u
       WHERE u.part = $1 AND u.host_id = $2 AND u.id = ANY($3::bigint[]) AND u.state = 0
       ON CONFLICT (part, host_id, url_id) DO UPDATE SET mark = excluded.mark`,
      [parts.ofHost(hostId), hostId, numbers(ids)],
    );
  }

  async #markUnseen(session: Session, hostId: number, beforeMs: number): Promise<void> {
    const { db, parts } = this.#engine;
    await session.run(
      `INSERT INTO ${db.schema}.watch_marks (part, host_id, url_id, mark)
       SELECT $1, v.host_id, v.url_id, ${UNSEEN} FROM ${db.schema}.visits v
       WHERE v.part = $1 AND v.host_id = $2 AND v.checked_at < $3 ON CONFLICT (part, host_id, url_id) DO NOTHING`,
      [parts.ofHost(hostId), hostId, Math.ceil(beforeMs)],
    );
  }
}

function wholeMs(timeMs: number | null): number | null {
  return timeMs === null ? null : Math.ceil(timeMs);
}

function toKnown({ id, key, state, digest }: Row): KnownPage {
  return { id, key, state: URL_STATES[state]!, digest: digest ?? '' };
}
