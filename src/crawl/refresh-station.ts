/**
 * Where a refresh works: alone on its folder, or as one of the workers of a cluster. Out: the store, how it stands to others, the clock that
 * counts there, and what its units need to know of both.
 */

import { availableParallelism, hostname } from 'node:os';
import { shareArchive } from '../archive/share-archive.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { LeaseGuard } from '../core/lease-guard.ts';
import type { CrawlOptions } from '../core/options.ts';
import type { WorkerRecord } from '../store/cluster.ts';
import type { ArchivePlace, Store } from '../store/contract.ts';
import type { ClaimingWork } from './cluster/cluster-member.ts';
import type { Controller } from './controller.ts';
import type { CrawlPlace, DatabasePlace } from './crawl-place.ts';
import { mendArchive } from './mend-archive.ts';
import type { UnitSetup } from './messages.ts';
import { openStoreAt } from './open-store.ts';
import { Alone, type Standing } from './standing.ts';
import type { SharedArchive } from './version-keeper.ts';

/** Of a worker of a cluster. */
export interface RefreshWorker {
  readonly name: string;
  readonly leaseMs: number;
}

export interface RefreshStation {
  readonly store: Store;
  readonly standing: Standing;
  readonly clock: Clock;
  readonly unitSetup: Pick<UnitSetup, 'writer' | 'shared'>;
  readonly archive: SharedArchive | null;
  attach(controller: Controller): void;
  /** The rules of the crawl have changed: other workers read them again. */
  announceRules(): Promise<void>;
  leave(): Promise<void>;
}

export async function takeStation(
  place: CrawlPlace,
  options: CrawlOptions,
  worker: RefreshWorker | undefined,
): Promise<RefreshStation> {
  if (place.cluster !== null) return joinCluster(place, place.cluster, options, worker!);
  const store = await openStoreAt(place.dir, options.share);
  try {
    shareArchive(place.archives[0]!, options.share);
    await mendArchive(store, place.archives[0]!);
  } catch (error) {
    await store.close();
    throw error;
  }
  return {
    store,
    standing: new Alone(store, systemClock),
    clock: systemClock,
    unitSetup: {},
    archive: null,
    attach: () => {},
    announceRules: async () => {},
    leave: () => store.close(),
  };
}

/** Hosts are leased by the plan: none is wanted besides, and none is of use to others, who have what waits and not what is to be looked at again. */
const NO_CLAIMS: Omit<ClaimingWork, 'isClaiming'> = { hostsWanted: 0, expect: () => {} };

async function joinCluster(
  { archives }: CrawlPlace,
  database: DatabasePlace,
  options: CrawlOptions,
  { name, leaseMs }: RefreshWorker,
): Promise<RefreshStation> {
  // Loaded only here: most copies are in a folder.
  const [
    { openCluster },
    { ClusterClock },
    { Membership },
    { ClusterMember },
    { SharedNotes },
    { SureLeases },
    { mendSharedArchive, isSurelyOver },
  ] = await Promise.all([
    import('./cluster-store.ts'),
    import('./cluster/cluster-clock.ts'),
    import('./cluster/membership.ts'),
    import('./cluster/cluster-member.ts'),
    import('./cluster/shared-notes.ts'),
    import('./cluster/sure-leases.ts'),
    import('./mend-shared-archive.ts'),
  ]);
  const { store, cluster } = await openCluster(database, 'work');
  try {
    const [clock, guard] = [new ClusterClock(), new LeaseGuard()];
    const [folder] = archives;
    const machine = hostname();
    const joining = { name, machine, pid: process.pid, archiveDir: folder! };
    const membership = await Membership.join(cluster, joining, leaseMs, clock, guard);
    const notes = new SharedNotes(store, cluster, await cluster.notesVersion());
    const leases = new SureLeases({ store, membership, guard, clock, notes });
    const mostUnits = options.units || availableParallelism();
    const parts = { store, cluster, membership, clock, notes, leases, tickets: null, options, mostUnits };
    const member = new ClusterMember(parts);
    membership.begin(member);
    shareArchive(folder!, options.share);
    await mendSharedArchive(store, cluster, { machine, folder: folder!, nowMs: clock.now() });
    const writer: ArchivePlace = { owner: membership.owner, machine, folder: folder! };
    const isNoOther = (one: WorkerRecord) => one.owner === writer.owner || isSurelyOver(one, machine);
    const isAlone = async () => (await cluster.workers()).every(isNoOther);
    return {
      store,
      standing: member,
      clock,
      unitSetup: { writer, shared: { time: clock.memory, leases: guard.memory } },
      archive: { writer, isAlone },
      attach: (controller) =>
        member.attach(controller, {
          get isClaiming() {
            return leases.isTaking;
          },
          ...NO_CLAIMS,
        }),
      announceRules: () => cluster.noteChanged(),
      leave: async () => {
        await membership.leave().catch(() => {});
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
