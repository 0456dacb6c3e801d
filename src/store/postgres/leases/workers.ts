/**
 * The workers of a crawl in PostgreSQL: who is alive, what they hold, and what they have to tell each other. All times are the
 * server's; whoever was silent for longer than its lease is dead by that clock alone.
 *
 * What always holds: who joins, who comes back from the dead and who draws pages does so one after the other, under the lock of the
 * one row of `cluster_state`. Beats take no such lock: they touch rows of their own worker only.
 */
import { randomUUID } from 'node:crypto';
import { OrbweaverError } from '../../core/errors.ts';
import { CALLS, type Call, type Cluster, type ClusterView, type WorkerNews, type WorkerRecord } from '../cluster.ts';
import type { Database, Session, TransactionRules } from './database.ts';
import { freeLeases, isAnyLeased, NOW, renewLeases } from './worker-leases.ts';
import { NO_NEWS, toWorker, WORKER_COLUMNS, type WorkerRow } from './worker-rows.ts';

type Joining = Parameters<Cluster['join']>[0];

/** Dead workers are told of for so long. */
const REMEMBERED_MS = 86_400_000;
/** Of a lease: a beat that hears nothing for so long is tried on another connection, as soon as the server says that it is not at it. */
const QUIET_SHARE = 1 / 6;

export class PostgresCluster implements Cluster {
  readonly #db: Database;
  readonly #channel: string;
  /** Owners that have: a beat of theirs that comes later revives nobody. */
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
      // Of those who died before they could.
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
    // Sent together: the server is asked once. A worker that is dead is not touched, nor are its hosts.
    const [[own], leases, workers, [state]] = await this.#db.transaction(
      (session) =>
        Promise.all([
          session.all(
            `UPDATE ${schema}.workers SET beat_at = ${NOW}, lease_ms = $2::bigint, news = $3::text::jsonb
           WHERE owner = $1 AND beat_at + lease_ms > ${NOW} RETURNING life, beat_at, is_asked_to_drain`,
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
   * It was silent for too long: what it held is given up, whether anybody took it or not, so that nothing is held by halves. Null where
   * another of its beats was quicker: it lives, and what it has claimed since is its own.
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
      // Forgotten as a whole, after a day.
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
      `UPDATE ${this.#db.schema}.workers SET is_asked_to_drain = true WHERE name = $1 AND beat_at + lease_ms > ${NOW}`,
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

  /** Once: pages that are given back twice would be drawn by others besides. */
  drawPages(owner: string, pages: number, limit: number): Promise<number> {
    const { schema } = this.#db;
    const draw = async (session: Session): Promise<number> => {
      let given = Math.round(pages);
      if (given > 0) {
        const inCopy = await this.#pagesInCopy(session);
        const [row] = await session.all<{ drawn: number }>(
          `SELECT coalesce(sum(tickets), 0)::bigint AS drawn FROM ${schema}.workers WHERE beat_at + lease_ms > ${NOW}`,
        );
        given = Math.max(0, Math.min(given, limit - inCopy - row!.drawn));
      }
      const [own] = await session.all<{ before: number; tickets: number }>(
        `UPDATE ${schema}.workers w SET tickets = greatest(0, w.tickets + $2::bigint)
         FROM (SELECT owner, tickets FROM ${schema}.workers WHERE owner = $1) o
         WHERE w.owner = o.owner AND w.beat_at + w.lease_ms > ${NOW} RETURNING o.tickets AS before, w.tickets`,
        [owner, given],
      );
      return own ? own.tickets - own.before : 0;
    };
    return this.#oneByOne(draw, { isToldOnce: true });
  }

  /** Duplicates included, as `--limit` counts them. */
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

  /** The name itself, or with a number where a live worker, but for `besides`, has it. */
  async #freeName(name: string, besides: string, session: Session): Promise<string> {
    const rows = await session.all<{ name: string }>(
      `SELECT name FROM ${this.#db.schema}.workers WHERE beat_at + lease_ms > ${NOW} AND owner <> $1`,
      [besides],
    );
    const taken = new Set(rows.map((row) => row.name));
    if (!taken.has(name)) return name;
    for (let number = 2; ; number++) if (!taken.has(`${name}-${number}`)) return `${name}-${number}`;
  }
}

/** Of owner, name, life, token, machine, pid, folder, lease and news. */
function insertWorker(schema: string): string {
  return `INSERT INTO ${schema}.workers (owner, name, life, token, machine, pid, archive_dir, lease_ms, news, joined_at, beat_at)
    SELECT $1, $2, $3::bigint, $4, $5, $6::integer, $7, $8::bigint, $9::text::jsonb, t.now, t.now FROM (SELECT ${NOW} AS now) t`;
}
