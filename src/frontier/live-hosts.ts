/**
 * The hosts that a unit works on now, each with its gate and a bounded batch of its URLs. The rest of the frontier is
 * in the store (decision 3). The buffers are bounded and the longest is drained first (M3): among the hosts that may be
 * asked now, the host with the most buffered URLs comes first, so that no batch is left behind.
 */
import type { HostGate } from './host-gate.ts';

export interface LiveHost<Url> {
  readonly hostId: number;
  readonly host: string;
  readonly gate: HostGate;
  /** The buffered URLs, in order. */
  readonly queue: Url[];
  /** True while the robots.txt of the host is being read. No URL may be taken from the host then. */
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

  /**
   * Returns the host to ask now, or the time at which a host may be asked. Infinity: not before a running request ends.
   */
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
