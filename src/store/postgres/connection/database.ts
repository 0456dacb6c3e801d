/**
 * The connection to PostgreSQL: statements in, rows out, over a few connections that are opened again when they break.
 *
 * What always holds: statements that belong together run in one transaction. If the server ends a transaction for a
 * temporary reason (a restart, a failover, a deadlock, a broken connection), the transaction is retried from its
 * beginning until the retry time is over. So `work` may run more than once, and a retry may follow a run that was
 * committed although its answer was lost: everything that `work` does must be harmless when it is done twice. An error
 * that `work` itself throws is thrown at once, whatever its code is. A connection that falls silent is closed and
 * counts as broken (silent-connections.ts). No statement text ever contains a value.
 */
import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import type { StoreAddress } from './address.ts';
import { plainTexts } from './arrays.ts';
import { Connections, type Line } from './connections.ts';
import { type Row, type Session, sessionOver, type Value, WorkError, whileOpen } from './session.ts';
import { SILENCE_RULES, Silence, type SilenceRules } from './silent-connections.ts';
import { asFailedWork, asStoreError, isTransient } from './store-errors.ts';

export interface TransactionRules {
  /** All statements see the same snapshot. */
  readonly isSnapshot?: boolean;
  /**
   * If the transaction was committed but the answer was lost, the first return value of `work` counts. A second
   * run would find the work done and return another result.
   */
  readonly isToldOnce?: boolean;
  /** All statements find their rows by an index, a few at a time, and the same statements are sent again and again. */
  readonly isByIndex?: boolean;
  /**
   * For urgent work: if the connection is quiet for this long, and the server does not work on the
   * statement, the transaction is retried on another connection.
   */
  readonly quietMs?: number;
}

/** How long retries may go on after an error, counted from the first try. The longest of several values counts. */
export type Patience = (error: unknown) => number;

/**
 * The server plans a statement once, for the current size of its tables. It would read a table of a
 * few rows as a whole, and still do so when there are thousands. It would also plan most statements
 * again each time, because the lists are shorter than it guesses. Plans are kept, so these settings
 * matter when a statement is first sent on a connection.
 */
const BY_INDEX = `SELECT ${['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_material']
  .map((name) => `set_config('${name}', $1, true)`)
  .join()}, set_config('plan_cache_mode', 'force_generic_plan', true)`;

const CONNECTIONS = 4;
const MOST_SENT = 100_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
const PATIENCE_MS = 300_000;
/**
 * A suspended process has not really retried. So this many tries may begin after the
 * retry time, if there is any, as long as they fail quickly.
 */
const LATE_TRIES = 3;
const QUICK_MS = 1_000;
/**
 * A machine that loses its power or its network during a transaction sends nothing. The server would
 * keep its locks, also on hosts, until TCP gives up after hours. The timeout is set within the
 * transaction, because a pooler passes nothing else on.
 */
const END_SILENT = 'SET LOCAL idle_in_transaction_session_timeout = 15000';

export class Database implements Session {
  /** The schema name, which precedes the name of a table. */
  readonly schema: string;
  readonly address: StoreAddress;
  readonly #connections: Connections;
  readonly #silence: Silence;
  /** Makes the client for notifications when it is needed. */
  readonly #listener: () => postgres.Sql;
  #listening: postgres.Sql | null = null;
  readonly #patience: Patience;
  #isClosed = false;
  readonly #oldMarks: string[] = [];
  /** Called when the server cannot be reached, and again, with null, when it can. */
  onTrouble: (error: Error | null) => void = () => {};

  constructor(
    address: StoreAddress,
    schema: string,
    patience: number | Patience = PATIENCE_MS,
    silence: SilenceRules = SILENCE_RULES,
  ) {
    this.address = address;
    this.schema = schema;
    this.#patience = typeof patience === 'number' ? () => patience : patience;
    const options = {
      ...address.options,
      max: 1,
      // Without this the client would still prepare its own statements, such as the one that ends a transaction.
      prepare: address.isPreparing,
      // Arrays are written by arrays.ts, so the server's list of types is not needed.
      fetch_types: false,
      // The client's limit is only needed where one connection serves many
      // callers. Here a transaction waits for its own statements.
      max_pipeline: MOST_SENT,
      onnotice: () => {},
      types: {
        bigint: { to: 20, from: [20], parse: Number, serialize: String },
        uuid: { to: 2950, from: [2950], parse: (text: string) => text.replaceAll('-', ''), serialize: String },
      },
      // `#steadily` makes the pauses between tries.
      backoff: () => 0,
    } as postgres.Options<Record<string, postgres.PostgresType>>;
    this.#silence = new Silence(address, silence);
    const line = (): Line => {
      const watch = this.#silence.watch();
      return { client: postgres({ ...options, socket: watch.socket } as typeof options), watch };
    };
    this.#connections = new Connections(CONNECTIONS, line);
    this.#listener = () => line().client;
  }

  all<T extends Row = Row>(text: string, values: readonly Value[] = []): Promise<readonly T[]> {
    return this.#steadily(() => this.#connections.lend((line) => this.#over(line).all<T>(text, values)));
  }

  run(text: string, values: readonly Value[] = []): Promise<number> {
    return this.#steadily(() => this.#connections.lend((line) => this.#over(line).run(text, values)));
  }

  async transaction<T>(work: (session: Session) => Promise<T>, rules: TransactionRules = {}): Promise<T> {
    const run = (each: (session: Session) => Promise<T>): Promise<T> =>
      this.#steadily(() => this.#connections.lend((line) => this.#begin(line, rules, each)));
    if (!rules.isToldOnce) return run(work);
    const mark = randomUUID();
    const value = await run(this.#marked(work, mark));
    this.#oldMarks.push(mark);
    return value;
  }

  /**
   * Writes a mark in the same transaction as the work. If the answer was lost, the retry finds the mark, after waiting
   * for the first transaction to end if needed; or there is no mark. The transaction id of the server cannot be used:
   * after a crash the server may give the same id to another transaction.
   */
  #marked<T>(work: (session: Session) => Promise<T>, mark: string): (session: Session) => Promise<T> {
    let done: { readonly value: T } | null = null;
    return async (session) => {
      // Marks of earlier transactions whose answers arrived are not needed any more.
      const isNew = session.all(
        `WITH gone AS (DELETE FROM ${this.schema}.marks WHERE mark = ANY($2::uuid[]))
         INSERT INTO ${this.schema}.marks (mark) VALUES ($1::uuid) ON CONFLICT DO NOTHING RETURNING true`,
        [mark, plainTexts(this.#oldMarks.splice(0))],
      );
      if (done !== null && (await isNew).length === 0) return done.value;
      const [value] = await Promise.all([work(session), isNew]);
      done = { value };
      return value;
    };
  }

  async #begin<T>(
    { client, watch }: Line,
    rules: TransactionRules,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const mode = rules.isSnapshot ? 'isolation level repeatable read' : '';
    const state = { isOver: false, isCut: false, failures: new WeakSet<object>() };
    const watched = watch.begin(rules.quietMs);
    const running = client.begin(mode, async (sql) => {
      watched.phase = 'open';
      const session = whileOpen(sessionOver(sql, this.address, watch), state);
      try {
        // Nothing waits for these answers: if one fails, all later statements fail, too. A snapshot
        // transaction holds no locks, so it needs no timeout.
        if (!rules.isSnapshot) session.run(END_SILENT).catch(() => {});
        if (rules.isByIndex) session.run(BY_INDEX, ['off']).catch(() => {});
        return await work(session);
      } catch (error) {
        // The client would send a rollback over the broken connection and fail because
        // of that. The promise of `begin` rejects by itself.
        if (state.isOver || state.isCut) return new Promise<never>(() => {});
        throw state.failures.has(error as object) ? error : new WorkError(error);
      } finally {
        watched.phase = 'ending';
      }
    });
    try {
      return (await running) as T;
    } finally {
      state.isOver = true;
      watch.end(watched);
    }
  }

  /**
   * Whether a pooler is between the client and the server: then the process
   * id of the greeting differs from the one that answers.
   */
  isPooled(): Promise<boolean> {
    return this.#steadily(() =>
      this.#connections.lend(async ({ client, watch }) => {
        const answer = await watch.until(client.unsafe('SELECT pg_backend_pid() AS pid'));
        return answer.state.pid !== answer[0]!.pid;
      }),
    );
  }

  /** Calls back for each notification on the channel. A pooler may block notifications, so no code may rely on them. */
  async listen(channel: string, onNotify: (word: string) => void): Promise<void> {
    this.#listening ??= this.#listener();
    await this.#listening.listen(channel, onNotify);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#connections.end(), this.#listening?.end({ timeout: 0 })]);
    this.#silence.end();
  }

  #over({ client, watch }: Line): Session {
    return sessionOver(client, this.address, watch);
  }

  async #steadily<T>(work: () => Promise<T>): Promise<T> {
    const beganAtMs = performance.now();
    let [patienceMs, lateTries] = [0, 0];
    let inTrouble = false;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const triedAtMs = performance.now();
      try {
        const result = await work();
        if (inTrouble) this.onTrouble(null);
        return result;
      } catch (error) {
        if (error instanceof WorkError) throw asFailedWork(error.cause, this.address.name);
        patienceMs = Math.max(patienceMs, this.#patience(error));
        const isLate = triedAtMs - beganAtMs >= patienceMs;
        const isSlow = performance.now() - triedAtMs > QUICK_MS;
        const isEnough = isLate && (patienceMs === 0 || isSlow || ++lateTries >= LATE_TRIES);
        if (isLate) pauseMs = FIRST_PAUSE_MS;
        if (this.#isClosed || !isTransient(error) || isEnough) {
          throw asStoreError(error, this.address.name);
        }
        if (!inTrouble && pauseMs > FIRST_PAUSE_MS) {
          inTrouble = true;
          this.onTrouble(error as Error);
        }
        // The random pause keeps transactions that met in a deadlock from meeting again.
        const { promise, resolve } = Promise.withResolvers<void>();
        setTimeout(resolve, pauseMs * (0.5 + Math.random()));
        await promise;
      }
    }
  }
}

export type { Row, Session, Value };
