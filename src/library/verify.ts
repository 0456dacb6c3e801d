/**
 * Runs `verify` for a program: compares the archive and the database of a copy. In: the data folder. Out: the findings
 * as plain data. Without `repair` it only reads, and it can run beside a crawl.
 */

import { systemClock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import { sizeBytes } from '../core/options/option-values.ts';
import { type CrawlPlace, placeAt } from '../crawl/place/crawl-place.ts';
import { readStoreAt } from '../crawl/place/open-store.ts';
import { type Stoppable, stoppable } from '../crawl/stoppable.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { type VerifyOutcome, type VerifyStore, verifyArchive } from '../verify/verify.ts';

export interface VerifySettings {
  /** The data folder of the crawl. */
  readonly dir: string;
  /** Marks damaged captures and lets their pages wait to be fetched again. No other process may use the folder then. */
  readonly repair?: boolean;
  /** Starts from the beginning even if an earlier run was stopped. */
  readonly restart?: boolean;
  /** Bytes per second, as a number or as `50mb`. `none` means no limit. */
  readonly rate?: number | string;
  /** Ends the check early. Everything done so far is saved. */
  readonly signal?: AbortSignal;
}

export const DEFAULT_RATE = '50mb';

export interface VerifyRun {
  readonly place: CrawlPlace;
  readonly repair: boolean;
  readonly restart: boolean;
  readonly bytesPerSecond: number | null;
}

/**
 * Resolves when everything is checked or the signal has ended the check. Throws an OrbweaverError for invalid settings.
 */
export async function verify(settings: VerifySettings): Promise<VerifyOutcome> {
  const { dir, repair = false, restart = false, rate = DEFAULT_RATE, signal } = settings;
  signal?.throwIfAborted();
  const run = startVerify({
    place: placeAt(dir),
    repair,
    restart,
    bytesPerSecond: rateOf(rate, 'option rate of verify()'),
  });
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

/** Returns null for `none`. `option` names the option in an error message. */
export function rateOf(rate: number | string, option = '--rate'): number | null {
  if (rate === 'none') return null;
  try {
    // People also write "50MB/s".
    return sizeBytes(typeof rate === 'string' ? rate.replace(/\/s$/i, '') : rate);
  } catch (error) {
    throw new OrbweaverError('ERR_BAD_OPTION', `${option} ${(error as Error).message}`);
  }
}

async function openStore(
  place: CrawlPlace,
  repair: boolean,
): Promise<VerifyStore & { readonly close: () => Promise<void> }> {
  if (!repair) return readStoreAt(place);
  // The store is first opened for reading, so that a folder without a crawl is refused and no crawl is created in it.
  await (await readStoreAt(place)).close();
  if (place.cluster === null) return openSqliteStore(place.dir, systemClock.now());
  return (await (await import('../crawl/place/cluster-store.ts')).openCluster(place.cluster, 'work')).store;
}
