/**
 * The cluster: the state that workers on several machines share besides the store. Only an engine that many processes
 * can open at once has it (src/store/postgres).
 *
 * What always holds:
 * - The server's clock counts. The clock of a worker may be wrong, so all stored times are times of the server; `beat`
 *   returns the current one.
 * - A worker is alive until `leaseMs` after its last heartbeat. A worker that was silent for longer is dead: its name
 *   and its hosts are free, and its later commits are refused.
 */

import type { HostLease } from './contract.ts';

export interface WorkerNews {
  /** Pages committed since the worker joined, and the current rate. */
  readonly pages: number;
  readonly pagesPerSecond: number;
  readonly failures: number;
  readonly rssMb: number;
  readonly liveHosts: number;
  readonly underWay: number;
  /** The current limits of threads and of requests per unit. */
  readonly units: number;
  readonly window: number;
  /** The worker has nothing to do. Other workers wake it when they find work. */
  readonly isIdle: boolean;
  readonly isDraining: boolean;
  /**
   * The number of additional hosts that the worker could serve and does not find. Other workers may hand some over. It
   * is 0 for a refresh, which has the hosts of its own plan, and for a worker that has reached the limit.
   */
  readonly hostsWanted: number;
  readonly lastError: string | null;
  /** Where other machines can read its archive files, as `host:port`. */
  readonly serves?: string | null;
}

export interface WorkerRecord extends WorkerNews {
  readonly name: string;
  /** The owner of its leases: its name and a number that no other run has. */
  readonly owner: string;
  /** Grows each time the worker returns after it was declared dead. */
  readonly life: number;
  readonly machine: string;
  readonly pid: number;
  readonly archiveDir: string;
  readonly joinedAtMs: number;
  readonly beatAtMs: number;
  readonly isAlive: boolean;
}

export interface ClusterView {
  /** The time of the server. */
  readonly nowMs: number;
  /** The live workers by name, including the caller. */
  readonly workers: readonly WorkerRecord[];
  /** Hosts of `held` whose leases the caller has lost. */
  readonly lost: readonly number[];
  /** The hosts of the caller with their slots on the ring; null for a host of which it has a share. */
  readonly slots: ReadonlyMap<number, number | null>;
  /**
   * Hosts that are leased to the caller and not in `held`: they were claimed a moment ago, or the response to the claim
   * was lost.
   */
  readonly strays: readonly number[];
  /**
   * If this differs from the number that the caller knows, the caller was silent for too long: it has lost all its
   * hosts and page tickets.
   */
  readonly life: number;
  /** Grows with each change of the notes that all workers follow: moved seeds, lessons about parameters, rules. */
  readonly notesVersion: number;
  /** A user asked this worker to drain. */
  readonly isAskedToDrain: boolean;
}

/** `work`: there is work for idle workers. `look`: a worker is short of hosts, and the others check which one. */
export const CALLS = ['work', 'look'] as const;
export type Call = (typeof CALLS)[number];

export interface Cluster {
  /** The time of the server. */
  nowMs(): Promise<number>;
  /**
   * Registers a worker. If a live worker has the name, `name-2` and so on is used. Returns the record with its owner.
   */
  join(
    worker: { readonly name: string; readonly machine: string; readonly pid: number; readonly archiveDir: string },
    leaseMs: number,
  ): Promise<WorkerRecord>;
  /**
   * The heartbeat: extends the worker and its leases in one round trip and returns the state of the cluster. A worker
   * that was declared dead returns, under another name if its own was taken, and has lost all its hosts.
   */
  beat(owner: string, news: WorkerNews, held: readonly number[], leaseMs: number): Promise<ClusterView>;
  /** Releases the leases and deletes the worker's row. */
  leave(owner: string): Promise<void>;
  /** All registered workers, including those that died within the last day. */
  workers(): Promise<readonly WorkerRecord[]>;
  /** Asks a worker to drain. Returns false if there is no worker with this name. */
  askToDrain(name: string): Promise<boolean>;
  /** Whether any worker holds a host. While one does, more URLs may become known. */
  isAnyHeld(): Promise<boolean>;
  /** The current version of the shared notes. */
  notesVersion(): Promise<number>;
  /** Stores the target of a seed's redirect once, for all workers and for later runs. */
  addMovedSeed(url: string): Promise<void>;
  /** Another shared note has changed: each worker reads the notes again. */
  noteChanged(): Promise<void>;
  /** Sends a call to all other workers. */
  wakeOthers(call: Call): Promise<void>;
  /** Registers a callback for calls of other workers. A call may get lost: calls only shorten waiting times. */
  onWake(wake: (call: Call) => void): Promise<void>;
  /**
   * With `--limit`: draws up to `pages` tickets, each for one page of the copy. All workers together have `limit`
   * tickets. A negative number returns unused tickets. Returns the number of drawn tickets. The tickets of a dead
   * worker are free again.
   */
  drawPages(owner: string, pages: number, limit: number): Promise<number>;
}

/** A large host that several workers crawl at the same time, in fixed shares (M5). */
export interface HostSharing {
  /** Hosts of the owner that have enough waiting URLs for so many shares and no delay; the largest first. */
  crowdedHosts(owner: string, shares: number): Promise<readonly number[]>;
  /**
   * Divides a host into shares. The owner keeps the first share, and other workers may claim the rest. The caller has
   * no URL of the host handed out, and from now on sends it only its part of the requests. Returns the lease of the
   * first share without URLs; null if the host stays whole or does not belong to the owner.
   */
  offerShares(hostId: number, owner: string, shares: number, nowMs: number, leaseMs: number): Promise<HostLease | null>;
}
