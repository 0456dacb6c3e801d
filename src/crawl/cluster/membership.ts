/**
 * The membership of a worker in the cluster: it joins, sends heartbeats, learns the state of the other workers,
 * and leaves. In: the answers to heartbeats. Out: the time, how long leases are valid, which slots of the ring
 * are ours, and events for the controller.
 *
 * What always holds:
 * - Leases are valid from the moment the renewing heartbeat was *sent*, minus a margin, and only after
 *   all units have dropped every host that any heartbeat reported as lost. So there is never a moment at
 *   which two workers may ask the same host.
 * - A heartbeat that fails or hangs ends nothing: others follow it. If none arrives, the leases expire, here by the
 *   monotonic clock of this machine and there by the clock of the server.
 */
import { monotonicMs } from '../../core/clock.ts';
import { publish } from '../../core/events.ts';
import type { LeaseGuard } from '../../core/lease-expiry.ts';
import type { Call, Cluster, ClusterView, WorkerNews, WorkerRecord } from '../../store/cluster.ts';
import { type ClusterClock, setClock } from '../unit/cluster-clock.ts';
import { hostsToHandOver } from './host-demand.ts';
import { Ring } from './ring.ts';

/** Heartbeats per lease time: three may fail. */
const HEARTBEATS_PER_LEASE = 4;
/**
 * Share of a lease that is kept as a margin for whatever is in progress at its end: answers,
 * aborts, and the difference between two clocks.
 */
const MARGIN_SHARE = 1 / 6;
/** A heartbeat that hangs must not block the others. */
const MAX_HEARTBEATS_IN_PROGRESS = 3;
/** The first heartbeat comes before there is anything to report, so the second one comes soon. */
const SECOND_HEARTBEAT_MS = 2_000;
/** Minimum time between the last heartbeat and one caused by a wake-up call. */
const MIN_HEARTBEAT_GAP_MS = 1_000;
/** Minimum time between two wake-up calls to others. */
const WAKE_EVERY_MS = 200;
/** Initial interval of requests for hosts to other workers. */
const ASK_EVERY_MS = 1_000;

/** The interface of the controller for a membership. */
export interface Member {
  /** The hosts it works on. `isWhole`: no further hosts are being claimed now. */
  held(): { readonly hostIds: readonly number[]; readonly isWhole: boolean };
  news(): WorkerNews;
  /**
   * Resolves when nothing asks these hosts any more, nor any host that was lost before; null means all hosts. A host
   * that was released and taken again after `asOfMs`, by the monotonic clock, is not meant.
   */
  lose(hostIds: readonly number[] | null, asOfMs: number): Promise<void>;
  /** Leases are valid: parts that saw them expire may continue. */
  renewed(): void;
  /** Other workers have less to do: these hosts are released when their requests in progress are done. */
  handOver(hostIds: readonly number[]): void;
  /** Releases hosts that are leased to this worker but unknown to it. */
  free(hostIds: readonly number[]): Promise<void>;
  /** The current version of the notes that all workers share. */
  updateNotes(version: number): Promise<void>;
  drain(): void;
  wake(): void;
}

/** The parts that a membership uses. */
export interface MembershipParts {
  readonly cluster: Cluster;
  readonly clock: ClusterClock;
  readonly guard: LeaseGuard;
  readonly leaseMs: number;
  /** The monotonic clock of this machine. A test gives another one. */
  readonly localMs?: () => number;
}

export class Membership {
  readonly record: WorkerRecord;
  readonly leaseMs: number;
  readonly #parts: MembershipParts;
  readonly #localMs: () => number;
  #member: Member | null = null;
  #timer: NodeJS.Timeout | undefined;
  #second: NodeJS.Timeout | undefined;
  #called: NodeJS.Timeout | undefined;
  #underWay = 0;
  #view: ClusterView | null = null;
  #life: number;
  /** When this worker learned of its current life. */
  #livesSinceMs = Number.NEGATIVE_INFINITY;
  #ring = new Ring([]);
  #strays: ReadonlySet<number> = new Set();
  #isDrainAsked = false;
  #wokeAtMs = Number.NEGATIVE_INFINITY;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #askEveryMs = ASK_EVERY_MS;
  #heartbeatAtMs = Number.NEGATIVE_INFINITY;
  #trouble: string | null = null;
  #renewal = Promise.withResolvers<void>();
  /** How often leases had expired when a heartbeat succeeded, or the worker had been considered dead. */
  expiries = 0;

  private constructor(record: WorkerRecord, parts: MembershipParts) {
    this.record = record;
    this.leaseMs = parts.leaseMs;
    this.#parts = parts;
    this.#localMs = parts.localMs ?? monotonicMs;
    this.#life = record.life;
    this.#updateRing([record.name]);
  }

  static async join(worker: Parameters<Cluster['join']>[0], parts: MembershipParts): Promise<Membership> {
    const { cluster, clock, guard, leaseMs, localMs = monotonicMs } = parts;
    const joinedAtMs = localMs();
    const record = await cluster.join(worker, leaseMs);
    await setClock(clock, cluster, localMs);
    const membership = new Membership(record, parts);
    guard.extend(joinedAtMs, leaseMs - membership.marginMs);
    return membership;
  }

  get owner(): string {
    return this.record.owner;
  }

  get marginMs(): number {
    return this.leaseMs * MARGIN_SHARE;
  }

  /** The slots whose hosts this worker prefers. */
  slots = new Uint8Array(0);

  /** The current problem with the connection to the cluster. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** Other live workers, as of the last heartbeat. */
  get others(): readonly WorkerRecord[] {
    return (this.#view?.workers ?? []).filter(({ owner }) => owner !== this.owner);
  }

  /** Whether this worker was asked to leave. */
  get isDrainAsked(): boolean {
    return this.#isDrainAsked;
  }

  begin(member: Member): void {
    this.#member = member;
    this.#timer = setInterval(() => void this.sendHeartbeat(), this.leaseMs / HEARTBEATS_PER_LEASE);
    // Until the second heartbeat, the other workers would see a worker that does nothing.
    this.#second = setTimeout(
      () => void this.sendHeartbeat(),
      Math.min(SECOND_HEARTBEAT_MS, this.leaseMs / HEARTBEATS_PER_LEASE),
    );
    // The listener may fail: it only shortens waiting.
    this.#parts.cluster.onWake((call) => this.#woken(member, call)).catch(() => {});
    void this.sendHeartbeat();
  }

  #woken(member: Member, call: Call): void {
    if (call === 'work') {
      member.wake();
      return;
    }
    // If several calls come within one second, one heartbeat after that second covers them all.
    const waitMs = Math.max(0, this.#heartbeatAtMs + MIN_HEARTBEAT_GAP_MS - this.#localMs());
    this.#called ??= setTimeout(() => {
      this.#called = undefined;
      void this.sendHeartbeat();
    }, waitMs);
  }

  async sendHeartbeat(): Promise<void> {
    const member = this.#member;
    if (member === null || this.#underWay >= MAX_HEARTBEATS_IN_PROGRESS) return;
    this.#underWay++;
    try {
      const { hostIds, isWhole } = member.held();
      const sentAtMs = this.#localMs();
      this.#heartbeatAtMs = sentAtMs;
      const view = await this.#parts.cluster.beat(this.owner, member.news(), hostIds, this.leaseMs);
      this.#parts.clock.measure(view.nowMs, sentAtMs, this.#localMs());
      await this.#take(view, member, sentAtMs, isWhole);
      this.#trouble = null;
    } catch (error) {
      if (this.#member === member) this.#warn(error as Error);
    } finally {
      this.#underWay--;
    }
  }

  async #take(view: ClusterView, member: Member, sentAtMs: number, isWhole: boolean): Promise<void> {
    // A newer answer arrived before this one, so its content is from an earlier life. (A server that lost its last
    // transactions may also count lives again.)
    if (view.life < this.#life && sentAtMs <= this.#livesSinceMs) return;
    const isRevived = view.life !== this.#life;
    if (isRevived) this.#livesSinceMs = this.#localMs();
    this.#life = view.life;
    this.#view = view;
    this.#updateRing(view.workers.map(({ name }) => name));
    const hadExpired = !this.#parts.guard.isGood();
    if (hadExpired || isRevived) this.expiries++;
    await (isRevived ? member.lose(null, this.#livesSinceMs) : member.lose(view.lost, sentAtMs));
    // The worker has left meanwhile.
    if (this.#member !== member) return;
    this.#parts.guard.extend(sentAtMs, this.leaseMs - this.marginMs);
    if (this.#parts.guard.isGood()) {
      this.#renewal.resolve();
      this.#renewal = Promise.withResolvers<void>();
      // Called each time: a unit may have seen an expiry that was over before it was seen here.
      member.renewed();
    }
    await this.#judgeStrays(view, member, isWhole);
    member.handOver(hostsToHandOver(view, this.#ring, this.owner));
    await member.updateNotes(view.notesVersion);
    if (!view.isAskedToDrain || this.#isDrainAsked) return;
    this.#isDrainAsked = true;
    member.drain();
  }

  /** Frees hosts that are strays in two views in a row with no claim in between. */
  async #judgeStrays(view: ClusterView, member: Member, isWhole: boolean): Promise<void> {
    const strays = new Set(isWhole ? view.strays : []);
    const confirmed = [...strays].filter((id) => this.#strays.has(id));
    this.#strays = strays;
    if (confirmed.length > 0) await member.free(confirmed);
  }

  /** The name of this worker may have changed after it was considered dead. */
  #updateRing(names: readonly string[]): void {
    const own = this.#view?.workers.find(({ owner }) => owner === this.owner)?.name ?? this.record.name;
    const ring = new Set([...names, own]);
    if (this.#ring.names.length === ring.size && this.#ring.names.every((name) => ring.has(name))) return;
    this.#ring = new Ring(ring);
    this.slots = this.#ring.slotsOf(own) as Uint8Array<ArrayBuffer>;
  }

  #warn({ message }: Error): void {
    if (message === this.#trouble) return;
    this.#trouble = message;
    publish('crawl/warning', { message: `a heartbeat of this worker failed: ${message}; it is retried` });
  }

  /** Resolves when leases are certainly valid and all losses are known. */
  async whenValid(): Promise<void> {
    while (!this.#parts.guard.isGood()) await this.#renewal.promise;
  }

  /** Wakes idle workers, which may have work now. */
  wakeOthers(): void {
    const nowMs = this.#localMs();
    const mayHelp = this.others.some(({ isIdle, hostsWanted }) => isIdle || hostsWanted > 0);
    if (nowMs - this.#wokeAtMs < WAKE_EVERY_MS || !mayHelp) return;
    this.#wokeAtMs = nowMs;
    this.#parts.cluster.wakeOthers('work').catch(() => {});
  }

  /**
   * This worker is short of hosts: workers that have more see this and hand some over. If they do
   * not, they are asked less and less often.
   */
  askForHosts(): void {
    const nowMs = this.#localMs();
    if (nowMs - this.#askedAtMs < this.#askEveryMs) return;
    this.#askedAtMs = nowMs;
    this.#askEveryMs = Math.min(2 * this.#askEveryMs, this.leaseMs / HEARTBEATS_PER_LEASE);
    this.sendHeartbeat()
      .then(() => this.#parts.cluster.wakeOthers('look'))
      .catch(() => {});
  }

  /** This worker has enough hosts. */
  stopAskingForHosts(): void {
    this.#askEveryMs = ASK_EVERY_MS;
  }

  /** Stops the heartbeats. Other workers get the held hosts when the leases expire. */
  stop(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#second);
    clearTimeout(this.#called);
    this.#member = null;
  }

  async leave(): Promise<void> {
    this.stop();
    this.#parts.guard.end();
    await this.#parts.cluster.leave(this.owner);
  }
}
