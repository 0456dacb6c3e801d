/** The workers of a cluster (store/cluster.ts). */
export const WORKER_TABLES = '';
