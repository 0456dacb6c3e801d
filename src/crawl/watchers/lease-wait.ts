/**
 * How long a crawler waits for a lease that another crawler holds (W7). A lease is a hint: anybody
 * can take it, even somebody who never crawls. In: refusals, one after the other. Out: when to ask
 * again, and when to continue without the lease.
 *
 * What always holds: a wait lasts at most `--lease-wait`, whatever the watcher says and however often the
 * holder changes. After a wait without success, the crawler asks once in each round and does not wait again
 * for an hour, or until it gets the lease.
 */
import { publish } from '../../core/events.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Store } from '../../store/contract.ts';
import type { HostSession, HostSessionSetup } from './host-session.ts';
import type { WatchedHost } from './watched-host.ts';

/**
 * The holder may release the lease early, so the crawler asks before the lease ends, but with a pause between requests.
 */
const ASK_AGAIN_MS = 3_000;
const ASK_AGAIN_AT_LEAST_MS = 1_000;
const NO_NEW_WAIT_MS = 3_600_000;

export class LeaseWait {
  readonly beganMs: number;
  readonly endsMs: number;
  /** The name of the last holder; '' if the watcher gives the lease to nobody for a while. */
  holder = '';
  /** The end of the lease as the watcher states it; 0 if it states none. */
  holdsUntilMs = 0;
  isOver = false;

  private constructor(beganMs: number, endsMs: number) {
    this.beganMs = beganMs;
    this.endsMs = endsMs;
  }

  static async begin(store: Store, host: string, nowMs: number, longestMs: number): Promise<LeaseWait> {
    const failedAtMs = Number((await store.note(noteOf(host))) || 0);
    const hasWaited = failedAtMs <= nowMs && nowMs - failedAtMs < NO_NEW_WAIT_MS;
    return new LeaseWait(nowMs, hasWaited ? nowMs : nowMs + longestMs);
  }

  refusedBy(holder: string, holdsUntilMs: number): void {
    this.holder = holder;
    this.holdsUntilMs = holdsUntilMs;
  }

  nextMs(nowMs: number): number {
    const sooner = this.holdsUntilMs > nowMs ? Math.min(this.holdsUntilMs - nowMs, ASK_AGAIN_MS) : ASK_AGAIN_MS;
    return Math.min(nowMs + Math.max(sooner, ASK_AGAIN_AT_LEAST_MS), Math.max(this.endsMs, nowMs));
  }

  /** Seconds waited so far, or in total. */
  secondsAt(nowMs: number): number {
    return Math.max(0, Math.round((Math.min(nowMs, this.endsMs) - this.beganMs) / 1_000));
  }
}

/** The waits of all hosts in a round. */
export class LeaseWaits {
  readonly #setup: Pick<HostSessionSetup, 'store' | 'clock' | 'options'>;
  /** By host id. */
  readonly #waits = new Map<number, LeaseWait>();
  /** Hosts for which the message "continuing without the lease" was shown. */
  readonly #warned = new Set<string>();

  constructor(setup: Pick<HostSessionSetup, 'store' | 'clock' | 'options'>) {
    this.#setup = setup;
  }

  of(hostId: number): LeaseWait | null {
    return this.#waits.get(hostId) ?? null;
  }

  clear(): void {
    this.#waits.clear();
  }

  async leaseGiven(watched: WatchedHost): Promise<void> {
    this.#waits.delete(watched.record.hostId);
    this.#warned.delete(watched.record.host);
    watched.wait = null;
    watched.hasLease = true;
    await forgetFailedWait(this.#setup.store, watched.record.host);
  }

  /**
   * Another crawler holds the lease. Returns true if the host waits for it, and false if the time is
   * over and the crawler continues without it.
   */
  async isWaiting(watched: WatchedHost, session: HostSession, holder: string, holdsUntilMs: number): Promise<boolean> {
    const { store, clock, options } = this.#setup;
    const { hostId, host } = watched.record;
    const nowMs = clock.now();
    const isFirst = watched.wait === null;
    watched.wait ??= await LeaseWait.begin(store, host, nowMs, options.leaseWait);
    this.#waits.set(hostId, watched.wait);
    watched.wait.refusedBy(holder, holdsUntilMs);
    if (nowMs < watched.wait.endsMs) {
      const askAgainMs = watched.wait.nextMs(nowMs);
      watched.waitsUntil(askAgainMs);
      // Units keep away from the host meanwhile, too.
      session.leaveAlone(askAgainMs);
      if (isFirst) warn(watched.wait, host, `waiting at most ${seconds(watched.wait.endsMs - nowMs)}`);
      return true;
    }
    watched.wait.isOver = true;
    if (watched.wait.endsMs > watched.wait.beganMs) await noteFailedWait(store, host, nowMs);
    // With --watch the message is shown once, until the lease is given again.
    if (!this.#warned.has(host)) warn(watched.wait, host, 'continuing without the lease');
    this.#warned.add(host);
    return false;
  }
}

function warn({ holder }: LeaseWait, host: string, next: string): void {
  const name = safeText(host);
  const why =
    holder === ''
      ? `the watcher of ${name} gives no leases for a while`
      : `another crawler, ${safeText(holder)}, holds the lease of ${name}`;
  publish('crawl/warning', { message: `${why}; ${next}` });
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1_000)} s`;
}

/** The lease was not given within the wait: the next runs do not wait for it, either. */
async function noteFailedWait(store: Store, host: string, nowMs: number): Promise<void> {
  await store.setNote(noteOf(host), String(nowMs));
}

/** Called when the lease was given. */
async function forgetFailedWait(store: Store, host: string): Promise<void> {
  if (await store.note(noteOf(host))) await store.setNote(noteOf(host), '');
}

/** The time of the last wait without success; null if there was none, or if the lease was given since. */
export async function vainWaitMs(store: Pick<Store, 'note'>, host: string): Promise<number | null> {
  return Number((await store.note(noteOf(host))) || 0) || null;
}

function noteOf(host: string): string {
  return `watcher-wait ${host}`;
}
