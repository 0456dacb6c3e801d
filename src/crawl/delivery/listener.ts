/** A listener receives changes: a command, a web address, a feed, or a function of the calling program. */
import type { Clock } from '../../core/clock.ts';
import { CHANGE_KINDS, type ChangeKind } from '../../store/contract.ts';
import type { DeliveredChange } from './delivered-change.ts';
import type { DeliveryPace } from './pace/delivery-pace.ts';

export interface Listener {
  /**
   * The cursor is stored under this name: a listener with the same name continues where the last run stopped,
   * even if its target is a different one now.
   */
  readonly name: string;
  readonly kinds: ReadonlySet<ChangeKind>;
  readonly limits: BatchLimits;
  /** The listener shows the current state, not events: it is called at least once per run, even without changes. */
  readonly showsState?: boolean;
  /** Quiet hours and digests. Absent: changes are delivered at any time. */
  readonly pace?: DeliveryPace;
  /** Returns when the batch has arrived. Throws otherwise, and is then called again with the same batch. */
  deliver(batch: ChangeBatch, signal: AbortSignal): Promise<void>;
}

export interface BatchLimits {
  readonly maxChanges: number;
  /** Bytes of the changes as JSON. A single change may be larger. */
  readonly maxBytes: number;
  /** How long the first change waits for others. */
  readonly gatherMs: number;
}

export interface ChangeBatch {
  /** The same when a batch is delivered again, also in a later run. */
  readonly id: string;
  readonly copy: CopyIdentity;
  /** In the order of the commits. */
  readonly changes: readonly DeliveredChange[];
  /** The newest changes of the listener's kinds, newest first. */
  newest(limit: number): Promise<readonly DeliveredChange[]>;
}

/** Identifies a copy, for a receiver that gets the changes of several copies. */
export interface CopyIdentity {
  readonly uuid: string;
  readonly sinceMs: number;
}

/** No reader notices noise, so it is delivered only on request. */
export const DEFAULT_KINDS: readonly ChangeKind[] = CHANGE_KINDS.filter((kind) => kind !== 'noise');

/** The failure of a delivery that the end of the run interrupts. */
export const RUN_ENDED = 'the run ended before the delivery';

/** Why a batch did not arrive; sets the delay before the retry. Any other thrown error is retried as well. */
export class DeliveryFailure extends Error {
  /** The minimum delay that the listener asks for. */
  readonly retryAfterMs: number;
  /** The listener wants no further batches. */
  readonly isFinal: boolean;

  constructor(message: string, { retryAfterMs = 0, isFinal = false, cause }: FailureDetails = {}) {
    super(message, { cause });
    this.name = 'DeliveryFailure';
    this.retryAfterMs = retryAfterMs;
    this.isFinal = isFinal;
  }
}

interface FailureDetails {
  readonly retryAfterMs?: number;
  readonly isFinal?: boolean;
  readonly cause?: unknown;
}

/** Time that a listener has to end its processes after the stop signal. */
const STOP_GRACE_MS = 3_000;

/** Awaits a delivery. A listener that ignores the stop signal is no longer awaited. */
export async function untilStopped(delivery: Promise<void>, signal: AbortSignal, clock: Clock): Promise<void> {
  let cancel = (): void => {};
  let leave = (): void => {};
  const leftBehind = new Promise<never>((_, reject) => {
    leave = (): void => {
      cancel = clock.after(STOP_GRACE_MS, () => reject(new DeliveryFailure(RUN_ENDED)));
    };
  });
  signal.addEventListener('abort', leave, { once: true });
  try {
    await Promise.race([delivery, leftBehind]);
  } finally {
    signal.removeEventListener('abort', leave);
    cancel();
  }
}
