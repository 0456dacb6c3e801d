/**
 * Watchers of hosts: the address of their reports, the position up to which they were read, how far they
 * are trusted, and the reported pages that have not been visited since. The content of a report and its
 * cursor are written in one transaction, so a crash loses neither. Counts fade like those of change
 * sources. Runs inside the caller's transaction.
 *
 * The partner for PostgreSQL is store/postgres/changes/watchers.ts;
 * the shared contract test is test/store/contract/watchers.ts.
 */
import {
  type KnownPage,
  type MarkedUrl,
  type MarkUpdate,
  MOST_JUDGED_SILENT,
  URL_STATES,
  WATCH_MARKS,
  type WatcherNews,
  type WatcherRecord,
} from '../../contract.ts';
import type { Tally } from '../../rules/tally.ts';
import type { Discovery } from '../discovery/discovery.ts';
import { TableAccess } from '../table-access.ts';

const NOTHING = { confirmed: 0, falseAlarms: 0, missed: 0, quiet: 0 };

interface KnownRow {
  readonly id: number;
  readonly key: string;
  readonly state: number;
  readonly digest: string | null;
}

const faded = (count: string, value: string) =>
  `${count} = (${count} + ${value}) / CASE WHEN missed + ?9 + quiet + ?10 > ${MOST_JUDGED_SILENT} THEN 2 ELSE 1 END`;
const MARK = 'INSERT INTO watch_marks (host_id, url_id, mark)';
const KNOWN = `SELECT u.id, lower(hex(u.key)) AS key, u.state, lower(hex(p.digest)) AS digest
       FROM urls u LEFT JOIN pages p ON p.url_id = u.id WHERE u.host_id = ?`;

export class WatcherTable extends TableAccess {
  readonly #all = this.db.prepare(
    `SELECT w.host_id AS hostId, h.host, w.url, w.cursor, w.asked_at AS askedAtMs, w.read_at AS readAtMs, w.confirmed,
       w.false_alarms AS falseAlarms, w.missed, w.quiet
     FROM watchers w JOIN hosts h ON h.id = w.host_id ORDER BY w.host_id`,
  );
  readonly #isHeldBy = this.db.prepare('SELECT 1 FROM hosts WHERE id = ? AND lease_owner = ?');
  readonly #write = this.db.prepare(
    `INSERT INTO watchers (host_id, url, cursor, asked_at, read_at, confirmed, false_alarms, missed, quiet)
     VALUES (?1, coalesce(?2, ''), ?4, coalesce(?5, 0), coalesce(?6, 0), ?7, ?8, ?9, ?10)
     ON CONFLICT DO UPDATE SET url = coalesce(?2, url), cursor = CASE WHEN ?3 THEN ?4 ELSE cursor END,
       asked_at = coalesce(?5, asked_at), read_at = coalesce(?6, read_at),
       ${faded('confirmed', '?7')}, ${faded('false_alarms', '?8')}, ${faded('missed', '?9')}, ${faded('quiet', '?10')}`,
  );
  // A new address is worth a request at once, so `asked_at` is reset.
  readonly #hint = this.db.prepare(
    `INSERT INTO watchers (host_id, url) VALUES (?1, ?2)
     ON CONFLICT DO UPDATE SET url = ?2, asked_at = 0 WHERE read_at = 0 AND url <> ?2`,
  );
  readonly #mark = this.db.prepare(`${MARK} VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET mark = excluded.mark`);
  readonly #markWaiting = this.db.prepare(
    `${MARK} SELECT ?1, id, ?3 FROM urls WHERE id = ?2 AND state = 0 ON CONFLICT DO UPDATE SET mark = excluded.mark`,
  );
  readonly #markUnseen = this.db.prepare(
    `${MARK} SELECT host_id, url_id, ?3 FROM visits WHERE host_id = ?1 AND checked_at < ?2 ON CONFLICT DO NOTHING`,
  );
  readonly #unmark = this.db.prepare('DELETE FROM watch_marks WHERE host_id = ? AND url_id = ?');
  readonly #marks = this.db.prepare(
    'SELECT url_id AS id, mark FROM watch_marks WHERE host_id = ? AND url_id > ? ORDER BY url_id LIMIT ?',
  );
  readonly #byKey = this.db.prepare(`${KNOWN} AND u.key = ?`);
  // Only URLs that have answered: the others were never part of the copy.
  readonly #fromKey = this.db.prepare(
    `${KNOWN} AND u.key > ? AND EXISTS (SELECT 1 FROM visits WHERE url_id = u.id) ORDER BY u.key LIMIT ?`,
  );

  all(): WatcherRecord[] {
    return (this.#all.all() as unknown as WatcherRecord[]).map((row) => ({ ...row }));
  }

  /** Returns the ids of `found`, in order. */
  write(hostId: number, news: WatcherNews, discovery: Discovery, tally: Tally): number[] {
    const { url = null, cursor, askedAtMs = null, readAtMs = null, outcomes = NOTHING, found = [], marks = [] } = news;
    const { confirmed, falseAlarms, missed, quiet } = outcomes;
    const isMoved = cursor === undefined ? 0 : 1;
    const counts = [confirmed, falseAlarms, missed, quiet];
    const ids = found.map((link) => discovery.idOf(link, null, news.patternBudget ?? Infinity, tally));
    if (news.owner !== undefined && !this.#isHeldBy.get(hostId, news.owner)) return ids;
    this.#write.run(hostId, url, isMoved, cursor ?? null, askedAtMs, readAtMs, ...counts);
    if (news.areOwed) {
      for (const [i, id] of ids.entries()) {
        if (found[i]!.skip === null) this.#markWaiting.run(hostId, id, WATCH_MARKS.indexOf('changed'));
      }
    }
    if (news.unseenBeforeMs !== undefined) {
      this.#markUnseen.run(hostId, news.unseenBeforeMs, WATCH_MARKS.indexOf('unseen'));
    }
    for (const { id, mark } of marks) this.mark({ id, hostId, mark });
    return ids;
  }

  /** Called when a page or robots.txt names the address of the report. */
  hint(hostId: number, url: string): void {
    this.#hint.run(hostId, url);
  }

  mark({ id, hostId, mark }: MarkUpdate): void {
    if (mark === null) this.#unmark.run(hostId, id);
    else this.#mark.run(hostId, id, WATCH_MARKS.indexOf(mark));
  }

  marks(hostId: number, after: number, limit: number): MarkedUrl[] {
    const rows = this.#marks.all(hostId, after, limit) as unknown as { id: number; mark: number }[];
    return rows.map(({ id, mark }) => ({ id, mark: WATCH_MARKS[mark]! }));
  }

  known(hostId: number, keys: readonly string[]): (KnownPage | null)[] {
    return keys.map((key) => {
      const row = this.#byKey.get(hostId, Buffer.from(key, 'hex')) as unknown as KnownRow | undefined;
      return row === undefined ? null : toKnown(row);
    });
  }

  pagesOf(hostId: number, afterKey: string, limit: number): KnownPage[] {
    return (this.#fromKey.all(hostId, Buffer.from(afterKey, 'hex'), limit) as unknown as KnownRow[]).map(toKnown);
  }
}

function toKnown({ id, key, state, digest }: KnownRow): KnownPage {
  return { id, key, state: URL_STATES[state]!, digest: digest ?? '' };
}
