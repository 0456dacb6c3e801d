/**
 * The way to PostgreSQL: statements in, rows out, over a few connections that are opened again when they break.
 *
 * What always holds: what belongs together runs in one transaction; a transaction that the server gave up for a reason that
 * passes (a restart, a failover, a deadlock, a connection that was cut) is run again from its beginning, for as long as
 * `patienceMs`. So `work` may run more than once, and the last run may follow one whose end was not heard: whatever it does has to
 * be harmless when it is done twice. No statement's text ever holds a value.
 */
import postgres from 'postgres';
import type { StoreAddress } from './address.ts';
import { Connections } from './connections.ts';
import { asStoreError, isCut, isPassing } from './store-errors.ts';

/** What a statement can be given: a list goes as one text (arrays.ts). */
export type Value = string | number | boolean | null | Uint8Array;
// biome-ignore lint/suspicious/noExplicitAny: the columns of a row are what its statement says.
export type Row = Record<string, any>;

/** Where statements can be run: a connection of the pool, or the one of a transaction. Statements are sent without waiting. */
export interface Session {
  all<T extends Row = Row>(text: string, values?: readonly Value[]): Promise<readonly T[]>;
  /** Returns how many rows it touched. */
  run(text: string, values?: readonly Value[]): Promise<number>;
}

export interface TransactionRules {
  /** All statements see the same moment. */
  readonly isSnapshot?: boolean;
  /** What `work` returned counts although its end was not heard, if it did end: a second run would find it done, and tell another story. */
  readonly isToldOnce?: boolean;
  /** All statements find their rows by an index, a few at a time, and are the same again and again. */
  readonly isByIndex?: boolean;
}

/** A run of a transaction, when all that is left is its end. */
interface Attempt<T> {
  /** As the server counts transactions. */
  readonly number: string;
  readonly value: T;
}

/**
 * The server plans a statement once, whatever the table has then: one of a few rows it would read as a whole, and go on to do so when
 * there are thousands. And it would plan most again each time, for a list that is shorter than it guesses. Plans stay as they are
 * made, so what counts is how this is set when a statement is sent for the first time on a connection.
 */
const BY_INDEX = `SELECT ${['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_material']
  .map((name) => `set_config('${name}', $1, true)`)
  .join()}, set_config('plan_cache_mode', 'force_generic_plan', true)`;

const CONNECTIONS = 4;
const MOST_SENT = 100_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
const PATIENCE_MS = 300_000;
/** States of the server. */
const UNKNOWN_NUMBER = '22023';
const LOCK_NOT_AVAILABLE = '55P03';
/**
 * A machine that lost its power or its way to the server in the middle of a transaction says nothing, and the server would keep what it
 * had locked, hosts among it, until TCP gives up after hours. Set within the transaction: a pooler lets nothing else through.
 */
const END_SILENT = 'SET LOCAL idle_in_transaction_session_timeout = 15000';

export class Database implements Session {
  /** In front of a table's name. */
  readonly schema: string;
  readonly address: StoreAddress;
  readonly #connections: Connections;
  readonly #patienceMs: number;
  #isClosed = false;
  /** Told when the server cannot be reached, and when it can again. */
  onTrouble: (error: Error | null) => void = () => {};

  constructor(address: StoreAddress, schema: string, patienceMs = PATIENCE_MS) {
    this.address = address;
    this.schema = schema;
    this.#patienceMs = patienceMs;
    const options = {
      ...address.options,
      max: 1,
      // The client's own statements, such as the one that ends a transaction, would otherwise be prepared all the same.
      prepare: address.isPreparing,
      // Arrays are written by ourselves, so the server's list of types is not needed.
      fetch_types: false,
      // Its limit is only needed where one connection serves many askers: here a transaction waits for its own statements.
      max_pipeline: MOST_SENT,
      onnotice: () => {},
      types: {
        bigint: { to: 20, from: [20], parse: Number, serialize: String },
        uuid: { to: 2950, from: [2950], parse: (text: string) => text.replaceAll('-', ''), serialize: String },
      },
      // The pauses between tries are ours.
      backoff: () => 0,
    } as postgres.Options<Record<string, postgres.PostgresType>>;
    this.#connections = new Connections(CONNECTIONS, () => postgres(options));
  }

  all<T extends Row = Row>(text: string, values: readonly Value[] = []): Promise<readonly T[]> {
    return this.#steadily(() => this.#connections.lend((sql) => sessionOver(sql, this.address).all<T>(text, values)));
  }

  run(text: string, values: readonly Value[] = []): Promise<number> {
    return this.#steadily(() => this.#connections.lend((sql) => sessionOver(sql, this.address).run(text, values)));
  }

  transaction<T>(work: (session: Session) => Promise<T>, rules: TransactionRules = {}): Promise<T> {
    const run = rules.isToldOnce
      ? numbered(work)
      : async (session: Session) => ({ number: '', value: await work(session) });
    let last: Attempt<T> | null = null;
    const attempt = async (client: postgres.Sql): Promise<T> => {
      if (last !== null && (await this.#hasEnded(client, last.number))) return last.value;
      last = null;
      const ended = await this.#begin(client, rules, async (session) => {
        const done = await run(session);
        if (rules.isToldOnce) last = done;
        return done;
      });
      return ended.value;
    };
    return this.#steadily(() => this.#connections.lend(attempt));
  }

  async #begin<T>(
    client: postgres.Sql,
    rules: TransactionRules,
    work: (session: Session) => Promise<Attempt<T>>,
  ): Promise<Attempt<T>> {
    const mode = rules.isSnapshot ? 'isolation level repeatable read' : '';
    const state = { isOver: false };
    const running = client.begin(mode, async (sql) => {
      const session = whileOpen(sessionOver(sql, this.address), state);
      try {
        // Nobody waits for the answers; where one fails, so does all that follows it. Who reads a snapshot locks nothing, and may take its time.
        if (!rules.isSnapshot) session.run(END_SILENT).catch(() => {});
        if (rules.isByIndex) session.run(BY_INDEX, ['off']).catch(() => {});
        return await work(session);
      } catch (error) {
        // The client would send a rollback where nothing can be sent any more, and fail over that; it rejects by itself.
        if (state.isOver || isCut(error)) return new Promise<never>(() => {});
        throw error;
      }
    });
    try {
      return (await running) as Attempt<T>;
    } finally {
      state.isOver = true;
    }
  }

  /** Whether a transaction was committed. One that is under way is waited for: its connection is gone, and the server will see it. */
  async #hasEnded(client: postgres.Sql, number: string): Promise<boolean> {
    const asked = sessionOver(client, this.address).all('SELECT pg_xact_status($1::xid8) AS status', [number]);
    const rows = await asked.catch((error: { code?: string }) => {
      // Another server took over, which has not heard of it.
      if (error.code === UNKNOWN_NUMBER) return [];
      throw error;
    });
    const status = rows[0]?.status;
    if (status !== 'in progress') return status === 'committed';
    throw Object.assign(new Error('the end of a transaction is not known yet'), { code: LOCK_NOT_AVAILABLE });
  }

  /** Whether somebody stands between us and the server: it greets with another number of a process than the one that answers. */
  isPooled(): Promise<boolean> {
    return this.#steadily(() =>
      this.#connections.lend(async (sql) => {
        const answer = await sql.unsafe('SELECT pg_backend_pid() AS pid');
        return answer.state.pid !== answer[0]!.pid;
      }),
    );
  }

  /** Calls back whenever somebody notifies the channel. A pooler may keep that from us: nobody may rely on it. */
  async listen(channel: string, onNotify: (word: string) => void): Promise<void> {
    await this.#connections.first.listen(channel, onNotify);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connections.end();
  }

  async #steadily<T>(work: () => Promise<T>): Promise<T> {
    const untilMs = performance.now() + this.#patienceMs;
    let inTrouble = false;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        const result = await work();
        if (inTrouble) this.onTrouble(null);
        return result;
      } catch (error) {
        if (this.#isClosed || !isPassing(error) || performance.now() >= untilMs) {
          throw asStoreError(error, this.address.name);
        }
        if (!inTrouble && pauseMs > FIRST_PAUSE_MS) {
          inTrouble = true;
          this.onTrouble(error as Error);
        }
        // Those that met in a deadlock must not meet again.
        const { promise, resolve } = Promise.withResolvers<void>();
        setTimeout(resolve, pauseMs * (0.5 + Math.random()));
        await promise;
      }
    }
  }
}

function sessionOver(sql: postgres.Sql | postgres.TransactionSql, { isPreparing }: StoreAddress): Session {
  const query = (text: string, values: readonly Value[]) =>
    sql.unsafe(text, values.map(clean) as never[], { prepare: isPreparing });
  return {
    all: async <T extends Row>(text: string, values: readonly Value[] = []) =>
      [...(await query(text, values))] as unknown as readonly T[],
    run: async (text, values = []) => (await query(text, values)).count,
  };
}

/** With the number of the transaction, which is asked for besides. */
function numbered<T>(work: (session: Session) => Promise<T>): (session: Session) => Promise<Attempt<T>> {
  return async (session) => {
    const [rows, value] = await Promise.all([
      session.all('SELECT pg_current_xact_id()::text AS number'),
      work(session),
    ]);
    return { number: rows[0]!.number, value };
  };
}

/**
 * Of a transaction whose connection was cut, `work` may still go on for a while: what it sends then has no way to go, and the client would
 * bring the process down over it.
 */
function whileOpen(session: Session, state: { readonly isOver: boolean }): Session {
  const check = (): void => {
    if (state.isOver) throw Object.assign(new Error('the transaction is over'), { code: 'CONNECTION_CLOSED' });
  };
  return {
    all: (text, values) =>
      heard(async () => {
        check();
        return session.all(text, values);
      }),
    run: (text, values) =>
      heard(async () => {
        check();
        return session.run(text, values);
      }),
  };
}

/** Of statements sent together the first failure may be all that is waited for; any other ends the transaction as well, not the process. */
function heard<T>(send: () => Promise<T>): Promise<T> {
  const sent = send();
  sent.catch(() => {});
  return sent;
}

/** PostgreSQL's texts hold every character but one, and pages hold that one too. */
function clean(value: Value): Value {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}
