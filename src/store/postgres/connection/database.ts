/**
 * The way to PostgreSQL: statements in, rows out, over a few connections that are opened again when they break.
 *
 * What always holds: what belongs together runs in one transaction; a transaction that the server gave up for a reason that
 * passes (a restart, a failover, a deadlock, a connection that was cut) is run again from its beginning, for as long as its
 * patience lasts. So `work` may run more than once, and the last run may follow one whose end was not heard: whatever it does has to
 * be harmless when it is done twice. What `work` throws of its own is thrown at once, whatever its code is. A connection that falls silent is given up and
 * counts as cut (silence.ts). No statement's text ever holds a value.
 */
import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import type { StoreAddress } from './address.ts';
import { plainTexts } from './arrays.ts';
import { Connections, type Line } from './connections.ts';
import { type Row, type Session, sessionOver, type Value, WorkError, whileOpen } from './session.ts';
import { SILENCE_RULES, Silence, type SilenceRules } from './silence.ts';
import { asFailedWork, asStoreError, isPassing } from './store-errors.ts';

export interface TransactionRules {
  /** All statements see the same moment. */
  readonly isSnapshot?: boolean;
  /** What `work` returned counts although its end was not heard, if it did end: a second run would find it done, and tell another story. */
  readonly isToldOnce?: boolean;
  /** All statements find their rows by an index, a few at a time, and are the same again and again. */
  readonly isByIndex?: boolean;
  /** It is in a hurry: where the connection is quiet for so long, and the server is not at it, it is tried on another. */
  readonly quietMs?: number;
}

/** How long tries may go on after an error, counted from the first; of several the longest counts. */
export type Patience = (error: unknown) => number;

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
/** A process that stood still has not been patient: so many tries begin after that time, where there is any, as long as they fail quickly. */
const LATE_TRIES = 3;
const QUICK_MS = 1_000;
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
  readonly #silence: Silence;
  /** It is made when it is needed. */
  readonly #listener: () => postgres.Sql;
  #listening: postgres.Sql | null = null;
  readonly #patience: Patience;
  #isClosed = false;
  readonly #oldMarks: string[] = [];
  /** Told when the server cannot be reached, and when it can again. */
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
   * Leaves a mark with what is done. Where its end was not heard, the next run finds the mark, having waited for that end if need be; or
   * there is none. The number that the server gave the transaction would not do: after a crash it may give it to another.
   */
  #marked<T>(work: (session: Session) => Promise<T>, mark: string): (session: Session) => Promise<T> {
    let done: { readonly value: T } | null = null;
    return async (session) => {
      // Those of earlier ones, whose ends were heard, are of no use any more.
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
        // Nobody waits for the answers; where one fails, so does all that follows it. Who reads a snapshot locks nothing, and may take its time.
        if (!rules.isSnapshot) session.run(END_SILENT).catch(() => {});
        if (rules.isByIndex) session.run(BY_INDEX, ['off']).catch(() => {});
        return await work(session);
      } catch (error) {
        // The client would send a rollback where nothing can be sent any more, and fail over that; it rejects by itself.
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

  /** Whether somebody stands between us and the server: it greets with another number of a process than the one that answers. */
  isPooled(): Promise<boolean> {
    return this.#steadily(() =>
      this.#connections.lend(async ({ client, watch }) => {
        const answer = await watch.until(client.unsafe('SELECT pg_backend_pid() AS pid'));
        return answer.state.pid !== answer[0]!.pid;
      }),
    );
  }

  /** Calls back whenever somebody notifies the channel. A pooler may keep that from us: nobody may rely on it. */
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
        if (this.#isClosed || !isPassing(error) || isEnough) {
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

export type { Row, Session, Value };
