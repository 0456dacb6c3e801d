/** Runs as a thread: claims a few hosts at a time over its own connection, and begins when all threads are ready. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { Claims } from '../../../src/store/sqlite/leases/claim.ts';
import { LEASE_MS } from '../rows.ts';

const { path, owner, gate, threads, nowMs } = workerData as {
  path: string;
  owner: string;
  gate: Int32Array;
  threads: number;
  nowMs: number;
};
const claims = new Claims(new DatabaseSync(path, { timeout: 20_000 }));
Atomics.add(gate, 0, 1);
Atomics.notify(gate, 0);
for (let there = Atomics.load(gate, 0); there < threads; there = Atomics.load(gate, 0)) Atomics.wait(gate, 0, there);

const taken: number[] = [];
for (;;) {
  const leases = claims.claim({ owner, hosts: 3, urlsPerHost: 1, nowMs, leaseMs: LEASE_MS });
  if (leases.length === 0) break;
  taken.push(...leases.map(({ hostId }) => hostId));
}
parentPort!.postMessage(taken);
