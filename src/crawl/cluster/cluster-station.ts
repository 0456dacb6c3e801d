/**
 * Joins the workers of a cluster. In: the open store of the crawl and the settings of this worker. Out: a station (see
 * ../station.ts) with leases that are renewed, the clock of the server, and an archive folder that agrees with the
 * store. A worker that crawls and a worker that refreshes join in the same way.
 */
import { availableParallelism, hostname } from 'node:os';
import { shareArchive } from '../../archive/archive-file.ts';
import { LeaseGuard } from '../../core/lease-expiry.ts';
import type { CrawlOptions } from '../../core/options/options.ts';
import type { WorkerRecord } from '../../store/cluster.ts';
import type { ArchivePlace } from '../../store/contract.ts';
import type { Controller } from '../controller.ts';
import { isSurelyOver, mendSharedArchive } from '../mending/mend-shared-archive.ts';
import type { Station } from '../station.ts';
import { ClusterClock } from '../unit/cluster-clock.ts';
import type { OpenCluster, WorkerSettings } from './cluster-entry.ts';
import { type ClaimingWork, ClusterMember, type MemberParts } from './cluster-member.ts';
import { LeaseTaker } from './lease-taker.ts';
import { Membership } from './membership.ts';
import { PageTickets } from './page-tickets.ts';
import { SharedNotes } from './shared-notes.ts';

export interface ClusterStation extends Station {
  readonly role: ClusterMember;
  readonly clock: ClusterClock;
  /** The parts of the membership that the work of a crawling worker needs. */
  readonly parts: MemberParts;
  /** Without `work`, hosts are leased by a plan: no other hosts are claimed, and none are handed over. */
  attach(controller: Controller, work?: ClaimingWork): void;
}

export interface JoiningWorker extends Pick<WorkerSettings, 'name' | 'leaseMs' | 'archiveDir'> {
  /** Where it serves its archive files, as `host:port`. */
  readonly serves?: string | null;
  /** New pages count towards the limit of the crawl, which all workers share. */
  readonly drawsTickets: boolean;
}

/** `leave` leaves the store open. */
export async function joinCluster(
  { store, cluster }: OpenCluster,
  { name, leaseMs, archiveDir, drawsTickets, serves = null }: JoiningWorker,
  options: CrawlOptions,
): Promise<ClusterStation> {
  const [clock, guard] = [new ClusterClock(), new LeaseGuard()];
  const machine = hostname();
  const worker = { name, machine, pid: process.pid, archiveDir };
  const membership = await Membership.join(worker, { cluster, clock, guard, leaseMs });
  const leave = () => membership.leave();
  try {
    const notes = new SharedNotes(store, cluster, await cluster.notesVersion());
    const leases = new LeaseTaker({ store, membership, guard, clock, notes });
    const isLimited = drawsTickets && options.limit > 0;
    const tickets = isLimited ? new PageTickets(cluster, membership.owner, options.limit) : null;
    const maxUnits = options.units || availableParallelism();
    const parts = { store, cluster, membership, clock, notes, leases, tickets, options, maxUnits, serves };
    const member = new ClusterMember(parts);
    // The heartbeat begins before the archive is mended, which may take longer than a lease.
    membership.begin(member);
    shareArchive(archiveDir, options.share);
    await mendSharedArchive(store, cluster, { machine, folder: archiveDir, nowMs: clock.now() });
    const writer: ArchivePlace = { owner: membership.owner, machine, folder: archiveDir };
    const isNoOther = (one: WorkerRecord) => one.owner === writer.owner || isSurelyOver(one, machine);
    const plannedWork: ClaimingWork = {
      get isClaiming() {
        return leases.isTaking;
      },
      hostsWanted: 0,
      expect: () => {},
    };
    return {
      store,
      role: member,
      clock,
      parts,
      unitSetup: { writer, shared: { time: clock.memory, leases: guard.memory } },
      archive: { writer, isAlone: async () => (await cluster.workers()).every(isNoOther) },
      attach: (controller, work = plannedWork) => member.attach(controller, work),
      announceRules: () => cluster.noteChanged(),
      // A run that fails may be leasing hosts. A lease that begins after the others were released would block its host
      // until it expires. If leaving fails, the other workers count this worker as dead after one lease.
      leave: () => {
        membership.stop();
        return leases.exclusively(leave).catch(() => {});
      },
    };
  } catch (error) {
    await leave().catch(() => {});
    throw error;
  }
}
