/**
 * The hosts a crawler unit works on now, each with its gate and a bounded batch of its URLs; all else of the frontier is in
 * the store (decision 3). Bounded buffers, drained longest first (M3): of the hosts that may be asked now, the one with the
 * most URLs at hand comes first, so that no batch stays behind.
 */
import type { HostGate } from './host-gate.ts';

export interface LiveHost<Url> {
  readonly hostId: number;
  readonly host: string;
  readonly gate: HostGate;
  /** URLs at hand, in order. */
  readonly queue: Url[];
  /** Nothing may be taken from it just now: its robots.txt is being read. */
  paused: boolean;
}

export class LiveHosts<Url, Host extends LiveHost<Url>> {
  readonly #hosts = new Map<number, Host>();

  add(host: Host): void {
    this.#hosts.set(host.hostId, host);
  }

  get(hostId: number): Host | undefined {
    return this.#hosts.get(hostId);
  }

  remove(hostId: number): void {
    this.#hosts.delete(hostId);
  }

  [Symbol.iterator](): Iterator<Host> {
    return this.#hosts.values();
  }

  get size(): number {
    return this.#hosts.size;
  }

  /** The host to ask now, or else the time at which one may be asked (Infinity: not before something ends). */
  next(nowMs: number): Host | number {
    let longest: Host | null = null;
    let soonestMs = Number.POSITIVE_INFINITY;
    for (const host of this.#hosts.values()) {
      if (host.paused || host.queue.length === 0) continue;
      if (longest !== null && host.queue.length <= longest.queue.length) continue;
      const atMs = host.gate.nextAtMs();
      if (atMs <= nowMs) longest = host;
      else if (atMs < soonestMs) soonestMs = atMs;
    }
    return longest ?? soonestMs;
  }
}
