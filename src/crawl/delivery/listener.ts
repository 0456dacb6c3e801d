/** Who is told of changes: a command, a web address, a feed, or a function of the program's own. */
import { CHANGE_KINDS, type ChangeKind } from '../../store/contract.ts';
import type { ToldChange } from './told-change.ts';

export interface Listener {
  /** What its cursor goes by: under the same name it goes on where the last run stopped, wherever it now leads. */
  readonly name: string;
  readonly kinds: ReadonlySet<ChangeKind>;
  readonly limits: BatchLimits;
  /** It shows how things stand rather than what happened: it is told once a run, if only of nothing. */
  readonly showsState?: boolean;
  /** Returns when the batch has arrived; throws when it has not, and is then called again with the same batch. */
  deliver(batch: ChangeBatch, signal: AbortSignal): Promise<void>;
}

export interface BatchLimits {
  readonly maxChanges: number;
  /** Of the changes as JSON. A single change may be larger. */
  readonly maxBytes: number;
  /** How long the first change waits for others. */
  readonly gatherMs: number;
}

export interface ChangeBatch {
  /** The same when a batch is delivered again, in a later run too. */
  readonly id: string;
  readonly copy: CopyIdentity;
  /** In order. */
  readonly changes: readonly ToldChange[];
  /** The newest changes of the listener's kinds, newest first. */
  newest(limit: number): Promise<readonly ToldChange[]>;
}

/** Tells one copy from another where both deliver to the same place. */
export interface CopyIdentity {
  readonly uuid: string;
  readonly sinceMs: number;
}

/** Noise is what no reader would notice, so nobody is told of it who did not ask. */
export const DEFAULT_KINDS: readonly ChangeKind[] = CHANGE_KINDS.filter((kind) => kind !== 'noise');

/** Why a batch did not arrive, for the table of waits; anything else that is thrown is tried again as well. */
export class DeliveryFailure extends Error {
  /** The listener asks for at least this long. */
  readonly retryAfterMs: number;
  /** It wants to be told nothing more. */
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
