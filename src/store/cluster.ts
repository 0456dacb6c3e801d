/**
 * The cluster: what workers on several machines have in common beside the store itself. Only an engine that many processes can
 * open at once has one (src/store/postgres).
 *
 * What always holds:
 * - Time is the server's. A worker's own clock may be wrong: whatever is written has the server's time, which `beat` tells.
 * - A worker is alive until `leaseMs` after its last beat. One that was silent for longer is dead: its name and its hosts are free,
 *   and what it still sends is refused.
 */

import type { HostLease } from './contract.ts';

export interface WorkerNews {
  /** Pages committed since it joined, and a second of late. */
  readonly pages: number;
  readonly pagesPerSecond: number;
  readonly failures: number;
  readonly rssMb: number;
  readonly liveHosts: number;
  readonly underWay: number;
  /** Threads and requests it allows itself now. */
  readonly units: number;
  readonly window: number;
  /** Nothing to do: others may wake it when they find work. */
  readonly isIdle: boolean;
  readonly isDraining: boolean;
  /**
   * Hosts that it could serve besides those it has, and finds none of: others may hand some over. None of a refresh, which has hosts of
   * its own plan, nor of one that has reached the limit.
   */
  readonly hostsWanted: number;
  readonly lastError: string | null;
}

export interface WorkerRecord extends WorkerNews {
  readonly name: string;
  /** As it stands on its leases: the name and a number that no other run of it has. */
  readonly owner: string;
  /** Another, and higher, each time it lives again after it was taken for dead. */
  readonly life: number;
  readonly machine: string;
  readonly pid: number;
  readonly archiveDir: string;
  readonly joinedAtMs: number;
  readonly beatAtMs: number;
  readonly isAlive: boolean;
}

export interface ClusterView {
  /** The server's. */
  readonly nowMs: number;
  /** Alive, by name; the asking one among them. */
  readonly workers: readonly WorkerRecord[];
  /** Hosts among `held` that are no longer the asker's. */
  readonly lost: readonly number[];
  /** The hosts that are the asker's, with their slots on the ring; null for one that it has a share of. */
  readonly slots: ReadonlyMap<number, number | null>;
  /** Hosts that are leased to the asker and not among `held`: just claimed, or claimed by an answer that never arrived. */
  readonly strays: readonly number[];
  /** Where it is not the one the asker knows, it had been silent for too long: all it held is lost, and so are its rights to pages. */
  readonly life: number;
  /** Rises with each note that all workers go by: seeds that have moved, what was learned of parameters. */
  readonly notesVersion: number;
  /** Somebody asked this worker to drain. */
  readonly isAskedToDrain: boolean;
}

/** There is something to do for whoever is idle; or somebody is short of hosts, and the others are to look who that is. */
export const CALLS = ['work', 'look'] as const;
export type Call = (typeof CALLS)[number];

export interface Cluster {
  /** The server's time. */
  nowMs(): Promise<number>;
  /** Becomes a worker; where a live one has the name, `name-2` and so on is taken. Returns the record with its owner. */
  join(
    worker: { readonly name: string; readonly machine: string; readonly pid: number; readonly archiveDir: string },
    leaseMs: number,
  ): Promise<WorkerRecord>;
  /**
   * Keeps the worker and its leases alive, in one round trip; tells how the cluster is. One that was dead lives again, under another
   * name if its own was taken, and has lost all it held.
   */
  beat(owner: string, news: WorkerNews, held: readonly number[], leaseMs: number): Promise<ClusterView>;
  /** Gives back what is left and is forgotten. */
  leave(owner: string): Promise<void>;
  /** All that have not been forgotten, the dead ones of the last day included. */
  workers(): Promise<readonly WorkerRecord[]>;
  /** Asks a worker, by name, to drain. Returns whether there is such a one. */
  askToDrain(name: string): Promise<boolean>;
  /** Whether anybody holds a host now: then more may come to be known. */
  isAnyHeld(): Promise<boolean>;
  /** The version of the notes that all go by, as it is now. */
  notesVersion(): Promise<number>;
  /** A seed was found to lead there: noted, once, for all workers and for later runs. */
  addMovedSeed(url: string): Promise<void>;
  /** Something else that all go by has changed: each worker reads it anew. */
  noteChanged(): Promise<void>;
  /** Calls all other workers. */
  wakeOthers(call: Call): Promise<void>;
  /** Calls back when another worker called. It may never come: waiting only becomes shorter by it. */
  onWake(wake: (call: Call) => void): Promise<void>;
  /**
   * With `--limit`: takes the right to add up to `pages` pages to the copy, of which all workers together have `limit`; what
   * was not used is given back by a negative number. Returns how many were given. A dead worker's are free again.
   */
  drawPages(owner: string, pages: number, limit: number): Promise<number>;
}

/** A large host that several workers crawl at once, in fixed shares (M5). */
export interface HostSharing {
  /** Hosts of the owner at which enough waits for so many shares, and that ask for no delay; those with most first. */
  crowdedHosts(owner: string, shares: number): Promise<readonly number[]>;
  /**
   * Divides a host into shares, of which the owner keeps the first and others may claim the rest. To be called by a holder that has
   * nothing of it out, and that from then on sends it no more than its part of the requests. Returns the lease of its share,
   * without URLs; null where the host stays whole, or is not the owner's.
   */
  offerShares(hostId: number, owner: string, shares: number, nowMs: number, leaseMs: number): Promise<HostLease | null>;
}
