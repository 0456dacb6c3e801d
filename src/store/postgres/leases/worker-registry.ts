/**
 * The workers of a crawl in PostgreSQL: which ones are alive, which hosts they hold, and the messages between them. All
 * times are the server's: a worker that was silent for longer than its lease is dead by that clock alone.
 *
 * What always holds: joining, coming back from the dead and drawing pages happen one after another, under the lock on
 * the one row of `cluster_state`. Heartbeats take no such lock: they only touch rows of their own worker.
 */
import { randomUUID } from 'node:crypto';
import { OrbweaverError } from '../../../core/errors.ts';
import { CALLS, type Call, type Cluster, type ClusterView, type WorkerNews, type WorkerRecord } from '../../cluster.ts';
import type { Database, Session, TransactionRules } from '../connection/database.ts';
import { IS_ALIVE, NOW } from './lease-conditions.ts';
import { freeLeases, isAnyLeased, renewLeases } from './worker-leases.ts';
import { NO_NEWS, toWorker, WORKER_COLUMNS, type WorkerRow } from './worker-rows.ts';

type Joining = Parameters<Cluster['join']>[0];

/** Dead workers stay in the list for this long. */
const REMEMBERED_MS = 86_400_000;
/**
 * A share of the lease time. If a heartbeat gets no answer for this long, it is retried on another connection as soon
 * as the server says that it does not work on the statement.
 */
const QUIET_SHARE = 1 / 6;

export class PostgresCluster implements Cluster {
  readonly #db: Database;
  readonly #channel: string;
  /** Owners that have left. A late heartbeat of such an owner must not revive it. */
  readonly #left = new Set<string>();
  #joined: { readonly worker: Joining; readonly record: WorkerRecord } | null = null;

  constructor(db: Database) {
    this.#db = db;
    this.#channel = `${db.schema}_wake`;
  }

  async nowMs(): Promise<number> {
    const [row] = await this.#db.all<{ now: number }>(`SELECT ${NOW} AS now`);
    return row!.now;
  }

  async join(worker: Joining, leaseMs: number): Promise<WorkerRecord> {
    const { schema } = this.#db;
    const token = randomUUID();
    const record = await this.#oneByOne(async (session) => {
      await session.run(`DELETE FROM ${schema}.workers WHERE beat_at + greatest(lease_ms, ${REMEMBERED_MS}) < ${NOW}`);
      // Deletes marks of processes that died before they could delete them.
      await session.run(`DELETE FROM ${schema}.marks WHERE made_at < now() - interval '1 day'`);
      const earlier = await this.#workerBy('token', token, session);
      if (earlier) return earlier;
      const life = await this.#newLife(session);
      const name = await this.#freeName(worker.name, '', session);
      const { machine, pid, archiveDir } = worker;
      const values = [`${name}#${life}`, name, life, token, machine, pid, archiveDir, leaseMs];
      await session.run(insertWorker(schema), [...values, JSON.stringify(NO_NEWS)]);
      return (await this.#workerBy('token', token, session))!;
    });
    this.#joined = { worker, record };
    return record;
  }

  async beat(owner: string, news: WorkerNews, held: readonly number[], leaseMs: number): Promise<ClusterView> {
    const { schema } = this.#db;
    // All statements are sent together, in one round trip. A dead worker is not changed, and neither are its hosts.
    const [[own], leases, workers, [state]] = await this.#db.transaction(
      (session) =>
        Promise.all([
          session.all(
            `UPDATE ${schema}.workers SET beat_at = ${NOW}, lease_ms = $2::bigint, news = $3::text::jsonb
           WHERE owner = $1 AND ${IS_ALIVE} RETURNING life, beat_at, is_asked_to_drain`,
            [owner, leaseMs, JSON.stringify(news)],
          ),
          renewLeases(session, schema, owner, leaseMs),
          this.#list(session),
          session.all(`SELECT notes_version FROM ${schema}.cluster_state`),
        ]),
      { quietMs: leaseMs * QUIET_SHARE },
    );
    if (!own) return (await this.#revive(owner, news, held, leaseMs)) ?? this.beat(owner, news, held, leaseMs);
    const before = new Set(held);
    return {
      nowMs: own.beat_at,
      workers: workers.filter(({ isAlive }) => isAlive),
      lost: held.filter((id) => !leases.has(id)),
      slots: leases,
      strays: [...leases.keys()].filter((id) => !before.has(id)),
      life: own.life,
      notesVersion: state!.notes_version,
      isAskedToDrain: own.is_asked_to_drain,
    };
  }

  /**
   * Revives a worker that was silent for too long. All its leases are given up, whether another worker took
   * the hosts or not, so that no state is half valid. Returns null if another heartbeat of the worker was
   * quicker: then it is alive, and its new leases are its own.
   */
  async #revive(
    owner: string,
    news: WorkerNews,
    held: readonly number[],
    leaseMs: number,
  ): Promise<ClusterView | null> {
    const { schema } = this.#db;
    return this.#oneByOne(async (session) => {
      if (this.#left.has(owner)) throw new OrbweaverError('ERR_STORE', `${owner} has left`);
      const before = await this.#workerBy('owner', owner, session);
      if (before?.isAlive) return null;
      const life = await this.#newLife(session);
      // After a day the row of a dead worker is deleted.
      const known = before ?? this.#joined?.record;
      const name = await this.#freeName(known?.name ?? owner.replace(/#\d+$/, ''), owner, session);
      if (before) {
        await session.run(
          `UPDATE ${schema}.workers SET name = $2, life = $3, beat_at = ${NOW}, lease_ms = $4, tickets = 0, news = $5::text::jsonb
           WHERE owner = $1`,
          [owner, name, life, leaseMs, JSON.stringify(news)],
        );
      } else {
        const { machine = '', pid = 0, archiveDir = '' } = known ?? {};
        const values = [owner, name, life, randomUUID(), machine, pid, archiveDir, leaseMs, JSON.stringify(news)];
        await session.run(insertWorker(schema), values);
      }
      await freeLeases(session, schema, owner);
      const [state] = await session.all<{ notes_version: number; now: number }>(
        `SELECT notes_version, ${NOW} AS now FROM ${schema}.cluster_state`,
      );
      return {
        nowMs: state!.now,
        workers: (await this.#list(session)).filter(({ isAlive }) => isAlive),
        lost: held,
        slots: new Map(),
        strays: [],
        life,
        notesVersion: state!.notes_version,
        isAskedToDrain: false,
      };
    });
  }

  async leave(owner: string): Promise<void> {
    const { schema } = this.#db;
    this.#left.add(owner);
    await this.#db.transaction(async (session) => {
      await freeLeases(session, schema, owner);
      await session.run(`DELETE FROM ${schema}.workers WHERE owner = $1`, [owner]);
    });
  }

  workers(): Promise<readonly WorkerRecord[]> {
    return this.#list(this.#db);
  }

  async #list(session: Session): Promise<readonly WorkerRecord[]> {
    const rows = await session.all<WorkerRow>(
      `SELECT ${WORKER_COLUMNS} FROM ${this.#db.schema}.workers w, (SELECT ${NOW} AS now) t ORDER BY w.name, w.joined_at`,
    );
    return rows.map(toWorker);
  }

  async askToDrain(name: string): Promise<boolean> {
    const asked = await this.#db.run(
      `UPDATE ${this.#db.schema}.workers SET is_asked_to_drain = true WHERE name = $1 AND ${IS_ALIVE}`,
      [name],
    );
    return asked > 0;
  }

  isAnyHeld(): Promise<boolean> {
    return isAnyLeased(this.#db, this.#db.schema);
  }

  async notesVersion(): Promise<number> {
    const [row] = await this.#db.all<{ notes_version: number }>(
      `SELECT notes_version FROM ${this.#db.schema}.cluster_state`,
    );
    return row!.notes_version;
  }

  async addMovedSeed(url: string): Promise<void> {
    const { schema } = this.#db;
    await this.#oneByOne(async (session) => {
      const [note] = await session.all<{ value: string }>(
        `SELECT value FROM ${schema}.notes WHERE name = 'moved-seeds'`,
      );
      const seeds = JSON.parse(note?.value ?? '[]') as string[];
      if (seeds.includes(url)) return;
      await session.run(
        `INSERT INTO ${schema}.notes (name, value) VALUES ('moved-seeds', $1)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        [JSON.stringify([...seeds, url])],
      );
      await session.run(`UPDATE ${schema}.cluster_state SET notes_version = notes_version + 1`);
    });
  }

  async noteChanged(): Promise<void> {
    await this.#db.run(`UPDATE ${this.#db.schema}.cluster_state SET notes_version = notes_version + 1`);
  }

  async wakeOthers(call: Call): Promise<void> {
    await this.#db.all('SELECT pg_notify($1, $2)', [this.#channel, call]);
  }

  onWake(wake: (call: Call) => void): Promise<void> {
    return this.#db.listen(this.#channel, (word) => {
      const call = CALLS.find((each) => each === word);
      if (call) wake(call);
    });
  }

  /** Must take effect once: if pages were given back twice, other workers would draw too many. */
  drawPages(owner: string, pages: number, limit: number): Promise<number> {
    const { schema } = this.#db;
    const draw = async (session: Session): Promise<number> => {
      let given = Math.round(pages);
      if (given > 0) {
        const inCopy = await this.#pagesInCopy(session);
        const [row] = await session.all<{ drawn: number }>(
          `SELECT coalesce(sum(tickets), 0)::bigint AS drawn FROM ${schema}.workers WHERE ${IS_ALIVE}`,
        );
        given = Math.max(0, Math.min(given, limit - inCopy - row!.drawn));
      }
      const [own] = await session.all<{ before: number; tickets: number }>(
        `UPDATE ${schema}.workers w SET tickets = greatest(0, w.tickets + $2::bigint)
         FROM (SELECT owner, tickets FROM ${schema}.workers WHERE owner = $1) o
         WHERE w.owner = o.owner AND ${IS_ALIVE} RETURNING o.tickets AS before, w.tickets`,
        [owner, given],
      );
      return own ? own.tickets - own.before : 0;
    };
    return this.#oneByOne(draw, { isToldOnce: true });
  }

  /** Duplicates are included, as `--limit` counts them. */
  async #pagesInCopy(session: Session): Promise<number> {
    const [row] = await session.all<{ pages: number }>(
      `SELECT coalesce(sum(value), 0)::bigint AS pages FROM ${this.#db.schema}.totals
       WHERE name IN ('state/fetched', 'state/duplicate')`,
    );
    return row!.pages;
  }

  #oneByOne<T>(work: (session: Session) => Promise<T>, rules?: TransactionRules): Promise<T> {
    return this.#db.transaction(async (session) => {
      await session.all(`SELECT 1 FROM ${this.#db.schema}.cluster_state FOR UPDATE`);
      return work(session);
    }, rules);
  }

  async #newLife(session: Session): Promise<number> {
    const [state] = await session.all<{ last_run: number }>(
      `UPDATE ${this.#db.schema}.cluster_state SET last_run = last_run + 1 RETURNING last_run`,
    );
    return state!.last_run;
  }

  async #workerBy(column: 'token' | 'owner', value: string, session: Session): Promise<WorkerRecord | null> {
    const [row] = await session.all<WorkerRow>(
      `SELECT ${WORKER_COLUMNS} FROM ${this.#db.schema}.workers w, (SELECT ${NOW} AS now) t WHERE w.${column} = $1`,
      [value],
    );
    return row ? toWorker(row) : null;
  }

  /** The name itself, or the name with a number if a live worker other than `besides` has it. */
  async #freeName(name: string, besides: string, session: Session): Promise<string> {
    const rows = await session.all<{ name: string }>(
      `SELECT name FROM ${this.#db.schema}.workers WHERE ${IS_ALIVE} AND owner <> $1`,
      [besides],
    );
    const taken = new Set(rows.map((row) => row.name));
    if (!taken.has(name)) return name;
    for (let number = 2; ; number++) if (!taken.has(`${name}-${number}`)) return `${name}-${number}`;
  }
}

/** The values are owner, name, life, token, machine, pid, folder, lease and news. */
function insertWorker(schema: string): string {
  return `INSERT INTO ${schema}.workers (owner, name, life, token, machine, pid, archive_dir, lease_ms, news, joined_at, beat_at)
    SELECT $1, $2, $3::bigint, $4, $5, $6::integer, $7, $8::bigint, $9::text::jsonb, t.now, t.now FROM (SELECT ${NOW} AS now) t`;
}
