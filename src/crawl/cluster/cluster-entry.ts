/** Where a cluster meets, and who joins it there: what the command line knows and a worker has to. */
import type { Cluster } from '../../store/cluster.ts';
import type { Store } from '../../store/contract.ts';

export interface OpenCluster {
  readonly store: Store;
  /** Over connections of its own: a beat must not wait behind commits. */
  readonly cluster: Cluster;
}

export interface WorkerSettings {
  /** As others see it; by default the machine's. */
  readonly name: string;
  /** Of its own WARC files. */
  readonly archiveDir: string;
  /** How long it may be silent before it counts as dead, and its hosts are others'. */
  readonly leaseMs: number;
  /** Waits for more when the crawl is done. */
  readonly stays: boolean;
}

export interface ClusterEntry {
  /** Opens the crawl; `close` of its store closes both. */
  open(): Promise<OpenCluster>;
  readonly worker: WorkerSettings;
  /** The crawl is planned and left to others. */
  readonly plansOnly?: boolean;
}
