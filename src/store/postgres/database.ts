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
  /** All statements find their rows by an index, a few at a time, and are the same again and again. */
  readonly isByIndex?: boolean;
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
    return this.#steadily(() => this.#connections.lend((sql) => this.#transaction(sql, work, rules)));
  }

  async #transaction<T>(
    client: postgres.Sql,
    work: (session: Session) => Promise<T>,
    rules: TransactionRules,
  ): Promise<T> {
    const mode = rules.isSnapshot ? 'isolation level repeatable read' : '';
    const state = { isOver: false };
    const running = client.begin(mode, async (sql) => {
      const session = whileOpen(sessionOver(sql, this.address), state);
      try {
        // Nobody waits for the answer; if it fails, so does all that follows it.
        if (rules.isByIndex) session.run(BY_INDEX, ['off']).catch(() => {});
        return { value: await work(session) };
      } catch (error) {
        // The client would send a rollback where nothing can be sent any more, and fail over that; it rejects by itself.
        if (state.isOver || isCut(error)) return new Promise<never>(() => {});
        throw error;
      }
    });
    try {
      return ((await running) as { value: T }).value;
    } finally {
      state.isOver = true;
    }
  }

  /** Calls back whenever somebody notifies the channel. A pooler may keep that from us: nobody may rely on it. */
  async listen(channel: string, onNotify: () => void): Promise<void> {
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

/**
 * Of a transaction whose connection was cut, `work` may still go on for a while: what it sends then has no way to go, and the client would
 * bring the process down over it.
 */
function whileOpen(session: Session, state: { readonly isOver: boolean }): Session {
  const check = (): void => {
    if (state.isOver) throw Object.assign(new Error('the transaction is over'), { code: 'CONNECTION_CLOSED' });
  };
  return {
    all: async (text, values) => {
      check();
      return session.all(text, values);
    },
    run: async (text, values) => {
      check();
      return session.run(text, values);
    },
  };
}

/** PostgreSQL's texts hold every character but one, and pages hold that one too. */
function clean(value: Value): Value {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}
