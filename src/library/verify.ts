/**
 * `verify` as a program runs it: the archive and the database of a copy held against each other. In: the data folder.
 * Out: what was
 * found, as plain data. Without `repair` it only reads, and works beside a running crawl.
 */

import { systemClock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import { sizeBytes } from '../core/option-values.ts';
import { type CrawlPlace, placeAt } from '../crawl/crawl-place.ts';
import { readStoreAt } from '../crawl/open-store.ts';
import { type Stoppable, stoppable } from '../crawl/stoppable.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { type VerifyOutcome, type VerifyStore, verifyArchive } from '../verify/verify.ts';

export interface VerifySettings {
  /** The data folder of the crawl. */
  readonly dir: string;
  /** Marks what is damaged, and lets pages wait to be fetched again. Needs the folder for itself. */
  readonly repair?: boolean;
  /** Begins anew though an earlier run was stopped. */
  readonly restart?: boolean;
  /** Bytes a second, as a number or as `50mb`; `none` is as fast as it goes. */
  readonly rate?: number | string;
  /** Ends the check early, with all that is done saved. */
  readonly signal?: AbortSignal;
}

export const DEFAULT_RATE = '50mb';

export interface VerifyRun {
  readonly place: CrawlPlace;
  readonly repair: boolean;
  readonly restart: boolean;
  readonly bytesPerSecond: number | null;
}

/** Resolves when all is checked, or the signal has ended it. Throws an OrbweaverError for settings that cannot be. */
export async function verify(settings: VerifySettings): Promise<VerifyOutcome> {
  const { dir, repair = false, restart = false, rate = DEFAULT_RATE, signal } = settings;
  signal?.throwIfAborted();
  const run = startVerify({ place: placeAt(dir), repair, restart, bytesPerSecond: rateOf(rate) });
  const stop = (): void => run.stop();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await run.summary;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

export function startVerify({ place, ...wanted }: VerifyRun): Stoppable<VerifyOutcome> {
  return stoppable(async (onStart) => {
    let isStopped = false;
    const stop = (): void => {
      isStopped = true;
    };
    onStart({ drain: stop, abort: stop });
    const store = await openStore(place, wanted.repair);
    try {
      const { dir, archives } = place;
      return await verifyArchive({
        store,
        dir,
        archives,
        clock: systemClock,
        isStopped: () => isStopped,
        ...wanted,
      });
    } finally {
      await store.close();
    }
  });
}

/** `none` is null. */
export function rateOf(rate: number | string): number | null {
  if (rate === 'none') return null;
  try {
    // "50MB/s" is how people write it.
    return sizeBytes(typeof rate === 'string' ? rate.replace(/\/s$/i, '') : rate);
  } catch (error) {
    throw new OrbweaverError('ERR_BAD_OPTION', `--rate ${(error as Error).message}`);
  }
}

async function openStore(
  place: CrawlPlace,
  repair: boolean,
): Promise<VerifyStore & { readonly close: () => Promise<void> }> {
  if (!repair) return readStoreAt(place);
  // Opened for reading first: a folder without a crawl is refused before one is made there.
  await (await readStoreAt(place)).close();
  if (place.cluster === null) return openSqliteStore(place.dir, systemClock.now());
  return (await (await import('../crawl/cluster-store.ts')).openCluster(place.cluster, 'work')).store;
}
