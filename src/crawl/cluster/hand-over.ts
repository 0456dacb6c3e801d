/**
 * Which hosts a worker hands over to other workers (W12). In: the state of the cluster from the
 * last heartbeat, and the ring. Out: hosts.
 *
 * A worker that wants hosts gets some from workers that have more: first the hosts that the ring assigns to
 * it, which were already taken if it joined late, then any. The giver keeps as many hosts as the average,
 * so that hosts do not move back and forth.
 */
import type { ClusterView } from '../../store/cluster.ts';
import type { Ring } from './ring.ts';

export function hostsToHandOver({ slots, workers }: ClusterView, ring: Ring, owner: string): number[] {
  const wanting = new Map<string, number>();
  for (const worker of workers) {
    const fewer = Math.floor((slots.size - worker.liveHosts) / 2);
    const wanted = Math.min(worker.hostsWanted, fewer);
    if (worker.owner !== owner && wanted > 0) wanting.set(worker.name, wanted);
  }
  if (wanting.size === 0) return [];
  const mean = workers.reduce((sum, { liveHosts }) => sum + liveHosts, 0) / workers.length;
  const wanted = wanting.values().reduce((sum, one) => sum + one, 0);
  const spare = Math.max(0, Math.min(Math.floor(slots.size - mean), wanted));
  const ownName = workers.find((worker) => worker.owner === owner)?.name;
  const place = (slot: number): number => {
    const name = ring.ownerOf(slot);
    return name !== null && wanting.has(name) ? 0 : name === ownName ? 2 : 1;
  };
  // A host that several workers share cannot be handed over.
  const whole = [...slots].flatMap(([hostId, slot]) => (slot === null ? [] : [{ hostId, place: place(slot) }]));
  return whole
    .sort((left, right) => left.place - right.place)
    .slice(0, spare)
    .map(({ hostId }) => hostId);
}
