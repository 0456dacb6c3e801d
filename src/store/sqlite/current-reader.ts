/**
 * A store that always reads the current state, even after a writer has started or finished work on the database. In: a
 * function that opens a store for reading. Out: a store with the same methods.
 *
 * What always holds: no result is returned that was read while the connection no longer showed the state of the files.
 * The call is then repeated over a new connection. Every call only reads, so it can be repeated.
 */
import { OrbweaverError } from '../../core/errors.ts';
import { isTransient } from '../../core/sqlite-reading.ts';
import type { CaptureRecord, Store } from '../contract.ts';

export interface OpenedReader {
  readonly store: Store;
  isCurrent(): boolean;
}

type CaptureOfUrl = CaptureRecord & { readonly url: string };

/** A starting writer is noticed once. More than a few repetitions mean that a process writes without SQLite's locks. */
const MOST_READINGS = 20;

export function currentReader(open: () => OpenedReader): Store {
  let reader = open();
  /** Replaced readers that an iteration still uses. */
  const replaced = new Set<Store>();
  let iterations = 0;

  async function reopen(old: OpenedReader): Promise<void> {
    // Another call may have replaced the reader meanwhile.
    if (reader !== old) return;
    reader = open();
    replaced.add(old.store);
    await closeReplaced();
  }

  async function closeReplaced(): Promise<void> {
    if (iterations > 0) return;
    for (const store of replaced) await store.close();
    replaced.clear();
  }

  async function read<T>(call: (store: Store) => Promise<T>): Promise<T> {
    for (let readings = 1; readings <= MOST_READINGS; readings++) {
      const used = reader;
      try {
        const result = await call(used.store);
        if (used.isCurrent()) return result;
      } catch (error) {
        if ((used.isCurrent() && !isTransient(error)) || readings === MOST_READINGS) throw error;
      }
      await reopen(used);
    }
    throw new OrbweaverError(
      'ERR_STORE',
      'another program changes the database without a lock while it is read; copy the folder and read the copy',
    );
  }

  async function* captures(sortKey: (url: string) => string): AsyncGenerator<CaptureOfUrl> {
    iterations++;
    // SQLite sorts, so it has read everything before it returns the first row.
    const { rows, first } = await read(async (store) => {
      const rows = store.captures(sortKey)[Symbol.asyncIterator]();
      return { rows, first: await rows.next() };
    });
    try {
      for (let next = first; !next.done; next = await rows.next()) yield next.value;
    } finally {
      await rows.return?.();
      iterations--;
      await closeReplaced();
    }
  }

  async function close(): Promise<void> {
    iterations = 0;
    await closeReplaced();
    await reader.store.close();
  }

  const own: Partial<Store> = { captures, close };
  return new Proxy(reader.store, {
    get(_, name) {
      if (Object.hasOwn(own, name)) return own[name as keyof Store];
      const value: unknown = Reflect.get(reader.store, name, reader.store);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) =>
        read((store) =>
          (Reflect.get(store, name, store) as (...given: unknown[]) => Promise<unknown>).apply(store, given),
        );
    },
  });
}
