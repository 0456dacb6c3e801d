/** How to reach a cluster and who joins it: the settings that the command line passes to a worker. */
import type { Cluster } from '../../store/cluster.ts';
import type { Store } from '../../store/contract.ts';

export interface OpenCluster {
  readonly store: Store;
  /** The cluster has its own connections: a heartbeat must not wait behind commits. */
  readonly cluster: Cluster;
}

export interface WorkerSettings {
  /** The name that others see. Default: the name of the machine. */
  readonly name: string;
  /** The folder of its own WARC files. */
  readonly archiveDir: string;
  /** How long the worker may be silent before it counts as dead and loses its hosts. */
  readonly leaseMs: number;
  /** Whether the worker waits for more work when the crawl is done. */
  readonly stays: boolean;
  /** Where it serves its archive files to other machines; absent: it does not. */
  readonly serving?: ArchiveServing | null;
}

export interface ArchiveServing {
  readonly host: string;
  readonly port: number;
  readonly secret: string;
}

export interface ClusterEntry {
  /** Opens the crawl. `close` of its store closes both. */
  open(): Promise<OpenCluster>;
  readonly worker: WorkerSettings;
  /** The crawl is only planned, and other workers do the work. */
  readonly plansOnly?: boolean;
}
