/**
 * Runs statements over one connection: it returns rows, cleans
 * values, and tells failures of statements from other errors.
 */
import type postgres from 'postgres';
import type { StoreAddress } from './address.ts';
import type { ConnectionMonitor } from './connection-monitor.ts';
import { isCut } from './store-errors.ts';

/** The value of a statement's parameter. A list is passed as one text (arrays.ts). */
export type Value = string | number | boolean | null | Uint8Array;
// biome-ignore lint/suspicious/noExplicitAny: the columns of a row are what its statement says.
export type Row = Record<string, any>;

/** A connection of the pool, or the one of a transaction. Statements are sent without waiting for earlier answers. */
export interface Session {
  all<T extends Row = Row>(text: string, values?: readonly Value[]): Promise<readonly T[]>;
  /** Returns the number of rows that the statement touched. */
  run(text: string, values?: readonly Value[]): Promise<number>;
}

/** An error that the work of a transaction threw itself. Whatever its code is, it does not come from the connection. */
export class WorkError extends Error {
  constructor(cause: unknown) {
    super('the work of a transaction failed', { cause });
  }
}

/** The state of a transaction. */
export interface TransactionState {
  readonly isOver: boolean;
  /** A statement found the connection broken. */
  isCut: boolean;
  /** Errors of its statements. */
  readonly failures: WeakSet<object>;
}

export function sessionOver(
  sql: postgres.Sql | postgres.TransactionSql,
  { isPreparing }: StoreAddress,
  watch: ConnectionMonitor,
): Session {
  const query = (text: string, values: readonly Value[]) =>
    watch.until(sql.unsafe(text, values.map(clean) as never[], { prepare: isPreparing }));
  return {
    all: async <T extends Row>(text: string, values: readonly Value[] = []) =>
      [...(await query(text, values))] as unknown as readonly T[],
    run: async (text, values = []) => (await query(text, values)).count,
  };
}

/**
 * After the connection of a transaction broke, `work` may go on for a while. Its statements cannot be sent any more,
 * and the client would end the process because of them, so they are rejected here.
 */
export function whileOpen(session: Session, state: TransactionState): Session {
  const send = <T>(statement: () => Promise<T>): Promise<T> => {
    const sent = state.isOver ? Promise.reject(over()) : statement();
    // If statements are sent together, the caller may only wait for the first failure. The handler keeps other
    // failures from ending the process as unhandled rejections.
    sent.catch((error: object) => {
      state.failures.add(error);
      state.isCut ||= isCut(error);
    });
    return sent;
  };
  return {
    all: (text, values) => send(() => session.all(text, values)),
    run: (text, values) => send(() => session.run(text, values)),
  };
}

function over(): Error {
  return Object.assign(new Error('the transaction is over'), { code: 'CONNECTION_CLOSED' });
}

/** A text in PostgreSQL cannot contain the character NUL, but pages can. */
function clean(value: Value): Value {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}
