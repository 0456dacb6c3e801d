/**
 * A worker's place in the cluster: it joins, says that it is alive, hears how the others are, and leaves. In: the cluster's beats. Out:
 * the time, how long leases are good, which slots of the ring are ours, and what the controller has to know.
 *
 * What always holds:
 * - Leases count as good from the moment a beat was *sent* that renewed them, less a margin, and only after every host that any beat has
 *   reported lost was dropped by all units. So between two workers there is never an instant at which both may ask one host.
 * - A beat that fails or hangs ends nothing: others follow it, and if none arrives the leases lapse, here by this machine's even clock
 *   and there by the server's.
 */
import { monotonicMs } from '../../core/clock.ts';
import { publish } from '../../core/events.ts';
import type { LeaseGuard } from '../../core/lease-guard.ts';
import type { Call, Cluster, ClusterView, WorkerNews, WorkerRecord } from '../../store/cluster.ts';
import type { ClusterClock } from './cluster-clock.ts';
import { hostsToHandOver } from './hand-over.ts';
import { Ring } from './ring.ts';

/** Beats in the time of a lease: three may fail. */
const BEATS_A_LEASE = 4;
/** Of a lease, kept back for what is on its way when it ends: answers, aborts, and the difference between two clocks. */
const MARGIN_SHARE = 1 / 6;
/** One that hangs must not keep the others back. */
const MOST_UNDER_WAY = 3;
/** After the first, which comes before there is anything to tell. */
const SECOND_BEAT_MS = 2_000;
/** A call brings no beat sooner after the last. */
const WAKE_BEAT_MS = 1_000;
/** Nobody is woken more often. */
const WAKE_EVERY_MS = 200;
/** Others are asked for hosts after so long, the first time. */
const ASK_EVERY_MS = 1_000;

/** What a membership needs of a controller, and tells it. */
export interface Member {
  /** The hosts it works on; `isWhole`: no others are being claimed just now. */
  held(): { readonly hostIds: readonly number[]; readonly isWhole: boolean };
  news(): WorkerNews;
  /**
   * Resolves when nothing asks these hosts any more, nor any that were lost before; null for all. One that was let go and taken again
   * after `asOfMs`, by the even clock, is not meant.
   */
  lose(hostIds: readonly number[] | null, asOfMs: number): Promise<void>;
  /** Leases are good: whoever has seen them lapse may go on. */
  renewed(): void;
  /** Others have less to do: these go back to the store as soon as what is under way there is done. */
  handOver(hostIds: readonly number[]): void;
  /** Hosts are leased to it that it does not know of. */
  free(hostIds: readonly number[]): Promise<void>;
  /** Notes that all go by are at this version. */
  notesAre(version: number): Promise<void>;
  drain(): void;
  wake(): void;
}

/** Of a few answers the quickest tells best, and before it is used the clock may jump. */
const FIRST_QUESTIONS = 4;

export async function setClock(
  clock: ClusterClock,
  cluster: Pick<Cluster, 'nowMs'>,
  localMs: () => number = monotonicMs,
): Promise<void> {
  const answers: [serverMs: number, askedAtMs: number, answeredAtMs: number][] = [];
  for (let i = 0; i < FIRST_QUESTIONS; i++) {
    const askedAtMs = localMs();
    answers.push([await cluster.nowMs(), askedAtMs, localMs()]);
  }
  answers.sort(([, a, b], [, c, d]) => b - a - (d - c));
  for (const answer of answers) clock.told(...answer);
}

export class Membership {
  readonly record: WorkerRecord;
  readonly leaseMs: number;
  readonly #cluster: Cluster;
  readonly #clock: ClusterClock;
  readonly #guard: LeaseGuard;
  readonly #localMs: () => number;
  #member: Member | null = null;
  #timer: NodeJS.Timeout | undefined;
  #second: NodeJS.Timeout | undefined;
  #called: NodeJS.Timeout | undefined;
  #underWay = 0;
  #view: ClusterView | null = null;
  #life: number;
  /** When it was heard of here. */
  #livesSinceMs = Number.NEGATIVE_INFINITY;
  #ring = new Ring([]);
  #strays: ReadonlySet<number> = new Set();
  #isDrainAsked = false;
  #wokeAtMs = Number.NEGATIVE_INFINITY;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #askEveryMs = ASK_EVERY_MS;
  #beatAtMs = Number.NEGATIVE_INFINITY;
  #trouble: string | null = null;
  #renewal = Promise.withResolvers<void>();
  /** How often leases had lapsed when a beat came through, or the worker had been taken for dead. */
  lapses = 0;

  private constructor(
    record: WorkerRecord,
    leaseMs: number,
    cluster: Cluster,
    clock: ClusterClock,
    guard: LeaseGuard,
    localMs: () => number,
  ) {
    this.record = record;
    this.leaseMs = leaseMs;
    this.#cluster = cluster;
    this.#clock = clock;
    this.#guard = guard;
    this.#localMs = localMs;
    this.#life = record.life;
    this.#stand([record.name]);
  }

  static async join(
    cluster: Cluster,
    worker: Parameters<Cluster['join']>[0],
    leaseMs: number,
    clock: ClusterClock,
    guard: LeaseGuard,
    localMs: () => number = monotonicMs,
  ): Promise<Membership> {
    const joinedAtMs = localMs();
    const record = await cluster.join(worker, leaseMs);
    await setClock(clock, cluster, localMs);
    const membership = new Membership(record, leaseMs, cluster, clock, guard, localMs);
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

  /** What is wrong with the way to the cluster now. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** Other workers that are alive, as of the last beat. */
  get others(): readonly WorkerRecord[] {
    return (this.#view?.workers ?? []).filter(({ owner }) => owner !== this.owner);
  }

  /** Somebody asked this worker to leave. */
  get isDrainAsked(): boolean {
    return this.#isDrainAsked;
  }

  begin(member: Member): void {
    this.#member = member;
    this.#timer = setInterval(() => void this.beat(), this.leaseMs / BEATS_A_LEASE);
    // Until then the others would see one that does nothing.
    this.#second = setTimeout(() => void this.beat(), Math.min(SECOND_BEAT_MS, this.leaseMs / BEATS_A_LEASE));
    // It may never come: waiting only becomes shorter by it.
    this.#cluster.onWake((call) => this.#woken(member, call)).catch(() => {});
    void this.beat();
  }

  #woken(member: Member, call: Call): void {
    if (call === 'work') {
      member.wake();
      return;
    }
    // Of several that call in one second none is overheard.
    const waitMs = Math.max(0, this.#beatAtMs + WAKE_BEAT_MS - this.#localMs());
    this.#called ??= setTimeout(() => {
      this.#called = undefined;
      void this.beat();
    }, waitMs);
  }

  async beat(): Promise<void> {
    const member = this.#member;
    if (member === null || this.#underWay >= MOST_UNDER_WAY) return;
    this.#underWay++;
    try {
      const { hostIds, isWhole } = member.held();
      const sentAtMs = this.#localMs();
      this.#beatAtMs = sentAtMs;
      const view = await this.#cluster.beat(this.owner, member.news(), hostIds, this.leaseMs);
      this.#clock.told(view.nowMs, sentAtMs, this.#localMs());
      await this.#take(view, member, sentAtMs, isWhole);
      this.#trouble = null;
    } catch (error) {
      if (this.#member === member) this.#complain(error as Error);
    } finally {
      this.#underWay--;
    }
  }

  async #take(view: ClusterView, member: Member, sentAtMs: number, isWhole: boolean): Promise<void> {
    // It was overtaken: what it says is of a life that is over. (A server that lost its last moments may count anew, too.)
    if (view.life < this.#life && sentAtMs <= this.#livesSinceMs) return;
    const isRevived = view.life !== this.#life;
    if (isRevived) this.#livesSinceMs = this.#localMs();
    this.#life = view.life;
    this.#view = view;
    this.#stand(view.workers.map(({ name }) => name));
    const hadLapsed = !this.#guard.isGood();
    if (hadLapsed || isRevived) this.lapses++;
    await (isRevived ? member.lose(null, this.#livesSinceMs) : member.lose(view.lost, sentAtMs));
    // It has left meanwhile.
    if (this.#member !== member) return;
    this.#guard.extend(sentAtMs, this.leaseMs - this.marginMs);
    if (this.#guard.isGood()) {
      this.#renewal.resolve();
      this.#renewal = Promise.withResolvers<void>();
      // Each time: a unit may have seen a lapse that was over before it was seen here.
      member.renewed();
    }
    await this.#judgeStrays(view, member, isWhole);
    member.handOver(hostsToHandOver(view, this.#ring, this.owner));
    await member.notesAre(view.notesVersion);
    if (!view.isAskedToDrain || this.#isDrainAsked) return;
    this.#isDrainAsked = true;
    member.drain();
  }

  /** Two views in a row that no claim can have come between. */
  async #judgeStrays(view: ClusterView, member: Member, isWhole: boolean): Promise<void> {
    const strays = new Set(isWhole ? view.strays : []);
    const astray = [...strays].filter((id) => this.#strays.has(id));
    this.#strays = strays;
    if (astray.length > 0) await member.free(astray);
  }

  /** The own name may be another than before, after it was taken for dead. */
  #stand(names: readonly string[]): void {
    const own = this.#view?.workers.find(({ owner }) => owner === this.owner)?.name ?? this.record.name;
    const ring = new Set([...names, own]);
    if (this.#ring.names.length === ring.size && this.#ring.names.every((name) => ring.has(name))) return;
    this.#ring = new Ring(ring);
    this.slots = this.#ring.slotsOf(own) as Uint8Array<ArrayBuffer>;
  }

  #complain({ message }: Error): void {
    if (message === this.#trouble) return;
    this.#trouble = message;
    publish('crawl/warning', { message: `the cluster does not hear us: ${message}` });
  }

  /** Resolves when leases are surely alive, and what was lost is known. */
  async whenGood(): Promise<void> {
    while (!this.#guard.isGood()) await this.#renewal.promise;
  }

  /** Somebody idle may have something to do now. */
  wakeOthers(): void {
    const nowMs = this.#localMs();
    const mayHelp = this.others.some(({ isIdle, hostsWanted }) => isIdle || hostsWanted > 0);
    if (nowMs - this.#wokeAtMs < WAKE_EVERY_MS || !mayHelp) return;
    this.#wokeAtMs = nowMs;
    this.#cluster.wakeOthers('work').catch(() => {});
  }

  /** This worker is short of hosts: those who have more look at it, and hand some over. If they do not, they are asked less and less often. */
  askForHosts(): void {
    const nowMs = this.#localMs();
    if (nowMs - this.#askedAtMs < this.#askEveryMs) return;
    this.#askedAtMs = nowMs;
    this.#askEveryMs = Math.min(2 * this.#askEveryMs, this.leaseMs / BEATS_A_LEASE);
    this.beat()
      .then(() => this.#cluster.wakeOthers('look'))
      .catch(() => {});
  }

  /** It has enough. */
  isServed(): void {
    this.#askEveryMs = ASK_EVERY_MS;
  }

  /** Beats no more; what is held goes to others when its time is over. */
  stop(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#second);
    clearTimeout(this.#called);
    this.#member = null;
  }

  async leave(): Promise<void> {
    this.stop();
    this.#guard.end();
    await this.#cluster.leave(this.owner);
  }
}
