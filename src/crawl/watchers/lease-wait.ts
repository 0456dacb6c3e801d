/**
 * How long a crawler waits for a lease that somebody else holds (W7). A lease is a hint: anybody can take it, also
 * somebody who never
 * crawls. In: refusals, one after the other. Out: when to ask again, and when to go on without the lease.
 *
 * Invariants: a wait lasts `--lease-wait` at most, whatever the watcher says and however often the holder changes.
 * After a wait in vain
 * the crawler asks once in each round and does not wait again for an hour, or until it is given the lease.
 */
import type { Store } from '../../store/contract.ts';

/**
 * The holder may release the lease early, so its end is not waited for; but the watcher is not asked without a pause.
 */
const ASK_AGAIN_MS = 3_000;
const ASK_AGAIN_AT_LEAST_MS = 1_000;
const NO_NEW_WAIT_MS = 3_600_000;

export class LeaseWait {
  readonly beganMs: number;
  readonly endsMs: number;
  /** The name of the last holder; '' where the watcher gives the lease to nobody for a while. */
  holder = '';
  /** When the watcher says that the lease ends; 0 where it does not say. */
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

  /** When to ask again. */
  nextMs(nowMs: number): number {
    const sooner = this.holdsUntilMs > nowMs ? Math.min(this.holdsUntilMs - nowMs, ASK_AGAIN_MS) : ASK_AGAIN_MS;
    return Math.min(nowMs + Math.max(sooner, ASK_AGAIN_AT_LEAST_MS), Math.max(this.endsMs, nowMs));
  }

  /** Seconds waited so far, or in all. */
  secondsAt(nowMs: number): number {
    return Math.max(0, Math.round((Math.min(nowMs, this.endsMs) - this.beganMs) / 1_000));
  }
}

/** The lease was not given within the wait: the next runs do not wait for it, either. */
export async function noteVainWait(store: Store, host: string, nowMs: number): Promise<void> {
  await store.setNote(noteOf(host), String(nowMs));
}

/** The lease was given. */
export async function forgetVainWait(store: Store, host: string): Promise<void> {
  if (await store.note(noteOf(host))) await store.setNote(noteOf(host), '');
}

/** When a wait for the lease of a host was last in vain; null where none was, or the lease was given since. */
export async function vainWaitMs(store: Pick<Store, 'note'>, host: string): Promise<number | null> {
  return Number((await store.note(noteOf(host))) || 0) || null;
}

function noteOf(host: string): string {
  return `watcher-wait ${host}`;
}
