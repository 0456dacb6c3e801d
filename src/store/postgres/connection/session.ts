/** Where statements are run, over one connection: rows out, values cleaned, and every failure told apart from those of other making. */
import type postgres from 'postgres';
import type { StoreAddress } from './address.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import { isCut } from './store-errors.ts';

/** What a statement can be given: a list goes as one text (arrays.ts). */
export type Value = string | number | boolean | null | Uint8Array;
// biome-ignore lint/suspicious/noExplicitAny: the columns of a row are what its statement says.
export type Row = Record<string, any>;

/** A connection of the pool, or the one of a transaction. Statements are sent without waiting. */
export interface Session {
  all<T extends Row = Row>(text: string, values?: readonly Value[]): Promise<readonly T[]>;
  /** Returns how many rows it touched. */
  run(text: string, values?: readonly Value[]): Promise<number>;
}

/** What the work of a transaction threw of its own: whatever its code is, it is none of the connection. */
export class WorkError extends Error {
  constructor(cause: unknown) {
    super('the work of a transaction failed', { cause });
  }
}

/** How a transaction stands. */
export interface TransactionState {
  readonly isOver: boolean;
  /** A statement found the connection gone. */
  isCut: boolean;
  /** What its statements failed with. */
  readonly failures: WeakSet<object>;
}

export function sessionOver(
  sql: postgres.Sql | postgres.TransactionSql,
  { isPreparing }: StoreAddress,
  watch: ConnectionWatch,
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
 * Of a transaction whose connection was cut, `work` may still go on for a while: what it sends then has no way to go, and the client would
 * bring the process down over it.
 */
export function whileOpen(session: Session, state: TransactionState): Session {
  const send = <T>(statement: () => Promise<T>): Promise<T> => {
    const sent = state.isOver ? Promise.reject(over()) : statement();
    // Of statements sent together the first failure may be all that is waited for; any other ends the transaction as well, not the process.
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

/** PostgreSQL's texts hold every character but one, and pages hold that one too. */
function clean(value: Value): Value {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}
