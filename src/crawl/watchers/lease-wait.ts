/**
 * How long a crawler waits for a lease that another crawler holds (W7). A lease is a hint: anybody
 * can take it, even somebody who never crawls. In: refusals, one after the other. Out: when to ask
 * again, and when to continue without the lease.
 *
 * What always holds: a wait lasts at most `--lease-wait`, whatever the watcher says and however often the
 * holder changes. After a wait without success, the crawler asks once in each round and does not wait again
 * for an hour, or until it gets the lease.
 */
import type { Store } from '../../store/contract.ts';

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
    const inVainMs = Number((await store.note(noteOf(host))) || 0);
    const hasWaited = inVainMs <= nowMs && nowMs - inVainMs < NO_NEW_WAIT_MS;
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

/** The lease was not given within the wait: the next runs do not wait for it, either. */
export async function noteVainWait(store: Store, host: string, nowMs: number): Promise<void> {
  await store.setNote(noteOf(host), String(nowMs));
}

/** Called when the lease was given. */
export async function forgetVainWait(store: Store, host: string): Promise<void> {
  if (await store.note(noteOf(host))) await store.setNote(noteOf(host), '');
}

/** The time of the last wait without success; null if there was none, or if the lease was given since. */
export async function vainWaitMs(store: Pick<Store, 'note'>, host: string): Promise<number | null> {
  return Number((await store.note(noteOf(host))) || 0) || null;
}

function noteOf(host: string): string {
  return `watcher-wait ${host}`;
}
