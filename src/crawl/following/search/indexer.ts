/**
 * The entry point of the thread that writes the search index. In: the ids of touched pages, in batches. Out: the
 * figures of the index after each batch. Beside a crawl it has the lowest priority, so it takes only the CPU time that
 * the crawl leaves.
 */
import { enableCompileCache } from 'node:module';
import { availableParallelism, constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { type FromIndexer, HURRY, type IndexerSetup, type IndexFigures, type ToIndexer } from './indexer-messages.ts';

enableCompileCache();
const setup = workerData as IndexerSetup;
// On Linux a priority belongs to a thread. Elsewhere this call would slow down the whole process.
if (!setup.isAwaited && process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_LOW);
const [
  { IndexWriter },
  { IndexNotes },
  { PageIndexer },
  { BatchIndexer },
  { EarlyPages },
  { MakerThread },
  { VersionIndexer },
  { readStoreAt },
  { asStoreError },
  { changeMode, FILE_MODES },
] = await Promise.all([
  import('../../../search/index/index-writer.ts'),
  import('./index-notes.ts'),
  import('./page-indexer.ts'),
  import('./index-batch.ts'),
  import('./early-pages.ts'),
  import('./maker-thread.ts'),
  import('./versions/version-indexer.ts'),
  import('../../place/open-store.ts'),
  import('../../../store/sqlite/open.ts'),
  import('../../../core/file-modes.ts'),
]);

const { place, indexId, options, share } = setup;
const { kind, dir } = setup.index;
const port = parentPort!;
const current = new Float64Array(setup.current);
const stop = new Int32Array(setup.stop);
const signals = {
  begin(urlId: number): void {
    current[0] = urlId;
  },
  end(): void {
    current[0] = 0;
  },
  isSharing: false,
  get isStopping(): boolean {
    return Atomics.load(stop, 0) !== 0;
  },
};
const INDEX_FILES = ['search.db', 'search.db-wal', 'search.db-shm', 'search-notes.db', 'search.lock'];
const RETRIED_AT_ONCE = 500;
/** A merge of large segments takes minutes. It is interrupted, so that a message waits for about a second at most. */
const MERGE_MS = 1_000;

/** The number of the last message. Merging ends when another one arrives. */
let messages = 0;

try {
  const store = await readStoreAt(place);
  const notes = IndexNotes.open(dir);
  const writer = IndexWriter.open(dir, indexId);
  if (share !== null) {
    for (const file of INDEX_FILES) changeMode(join(dir, file), FILE_MODES[share]);
  }
  if (writer.position === null) notes.clear();
  const early = new EarlyPages();
  for (const page of setup.early) early.note(page);
  const parts = { store, place, writer, options, signals };
  const versions = kind === 'versions' ? new VersionIndexer({ ...parts, notes }, indexId) : null;
  const isShared = versions === null && setup.isAwaited && availableParallelism() > 1;
  const maker = isShared ? new MakerThread({ place, options, stop: setup.stop }) : null;
  signals.isSharing = isShared;
  const batch = new BatchIndexer({ indexer: new PageIndexer(parts), writer, notes, early, maker });

  const commit = (position: string | null): void => {
    if (versions !== null) versions.commit(position);
    else writer.commit(position);
    notes.setState({ indexId, position, pages: writer.pages, atMs: Date.now() });
  };
  /** The next pages to read again without a new commit. */
  const idsToRetry = async (after: number): Promise<readonly number[]> => {
    const unread = notes.unreadAfter(after, RETRIED_AT_ONCE);
    if (versions === null) return unread;
    const others = await versions.urlsToCompare(after, RETRIED_AT_ONCE);
    return [...new Set([...unread, ...others])].sort((a, b) => a - b).slice(0, RETRIED_AT_ONCE);
  };
  const figures = (): IndexFigures => ({ position: writer.position, pages: writer.pages, unread: notes.unread() });
  const mergeWhileIdle = async (): Promise<void> => {
    for (const mine = messages; mine === messages && writer.merge(MERGE_MS); ) await setImmediate();
  };

  /** Returns false if it was stopped. What is done then is durable if another thread continues. */
  const index = async (ids: readonly number[], skip: ReadonlySet<number>): Promise<boolean> => {
    if (versions !== null) return versions.index(ids, skip);
    const done = await batch.index(ids, skip);
    if (done < ids.length && Atomics.load(stop, 0) !== HURRY) return false;
    const again = done < ids.length ? [] : batch.dueAgain;
    if (again.length === 0 && done === ids.length) return true;
    commit(writer.position);
    current[1]! += done;
    return done === ids.length && (await batch.index(again, skip)) === again.length;
  };

  const work = async (message: ToIndexer): Promise<FromIndexer> => {
    switch (message.task) {
      case 'index': {
        const { ids, position, heavy } = message;
        const skip = new Set(heavy.skip);
        const suspectAt = Math.max(0, ids.indexOf(heavy.suspect));
        if (suspectAt > 0) {
          if (!(await index(ids.slice(0, suspectAt), skip))) return { stopped: early.all };
          commit(writer.position);
          current[1] = suspectAt;
        }
        if (!(await index(ids.slice(suspectAt), skip))) return { stopped: early.all };
        commit(position);
        return { done: figures() };
      }
      case 'retry': {
        for (let after = 0; ; ) {
          const ids = await idsToRetry(after);
          if (ids.length === 0) return { done: figures() };
          if (!(await index(ids, new Set()))) return { stopped: [] };
          commit(writer.position);
          after = ids.at(-1)!;
        }
      }
      case 'clear':
        writer.clear();
        versions?.clear(indexId);
        notes.clear();
        commit(null);
        return { done: figures() };
      case 'settle':
        await mergeWhileIdle();
        return { done: figures() };
      case 'close':
        throw new Error('the thread has ended');
    }
  };

  port.on('message', async (message: ToIndexer) => {
    messages++;
    if (message.task === 'close') {
      await end();
      return;
    }
    const answer = await work(message).catch(asFailure);
    port.postMessage(answer);
    // What a failed or stopped batch has added is not committed. The next thread begins at the last commit.
    if (!('done' in answer)) await end();
    else await mergeWhileIdle();
  });
  const end = async (): Promise<void> => {
    port.removeAllListeners('message');
    await maker?.end();
    writer.close();
    notes.close();
    await store.close();
    port.close();
  };
  port.postMessage({ done: figures() } satisfies FromIndexer);
} catch (error) {
  port.postMessage(asFailure(error));
  port.close();
}

function asFailure(error: unknown): FromIndexer {
  const { message, code } = asStoreError(error, join(dir, 'search.db'));
  const advice = code === 'ERR_STORE' ? '; if this happens again, orbweaver index --rebuild makes a new index' : '';
  return { failure: message + advice, code };
}
