/**
 * The place from which a process works on a crawl. In: where the crawl is. Out: the open store, an archive folder that
 * agrees with the store, the clock that counts, and the relation to other workers. This file serves a process that is
 * alone on its data folder; cluster/cluster-station.ts joins a cluster.
 */
import { shareArchive } from '../archive/archive-file.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import type { CrawlOptions } from '../core/options/options.ts';
import type { Store } from '../store/contract.ts';
import type { Controller } from './controller.ts';
import { mendArchive } from './mending/mend-archive.ts';
import type { CrawlPlace } from './place/crawl-place.ts';
import { noteConcurrency } from './place/data-folder.ts';
import { type ProcessRole, SoleProcess } from './process-role.ts';
import type { SharedArchive } from './retention/version-keeper.ts';
import type { UnitSetup } from './unit/messages.ts';

export interface Station {
  readonly store: Store;
  readonly role: ProcessRole;
  readonly clock: Clock;
  /** The part of a unit's setup that depends on whether there are other workers. */
  readonly unitSetup: Pick<UnitSetup, 'writer' | 'shared'>;
  /** Null for a process that is alone. */
  readonly archive: SharedArchive | null;
  attach(controller: Controller): void;
  /** The rules of the crawl have changed, so the other workers must read them again. */
  announceRules(): Promise<void>;
  leave(): Promise<void>;
}

/** Takes ownership of an open store. `leave` closes the store, and so does a failure. */
export async function stationAlone(store: Store, place: CrawlPlace, options: CrawlOptions): Promise<Station> {
  try {
    shareArchive(place.archives[0]!, options.share);
    await mendArchive(store, place.archives[0]!);
    await noteConcurrency(store, options.concurrency);
  } catch (error) {
    await store.close();
    throw error;
  }
  return {
    store,
    role: new SoleProcess(store, systemClock),
    clock: systemClock,
    unitSetup: {},
    archive: null,
    attach: () => {},
    announceRules: async () => {},
    leave: () => store.close(),
  };
}
