/** Records of followers: plain data, the same for every engine. */
import type { ChangeDescription } from './visit-records.ts';

/** A follower and how far it has come. */
export interface FollowerRecord {
  readonly name: string;
  /** A follower of another version starts again. */
  readonly version: number;
  /** A text of the follower; null at the beginning. */
  readonly position: string | null;
  /** The owner of the lease; null without a lease. */
  readonly owner: string | null;
  /** The end of the lease. */
  readonly heldUntilMs: number;
}

export interface FollowerHold {
  readonly name: string;
  readonly version: number;
  readonly owner: string;
  readonly nowMs: number;
  readonly leaseMs: number;
}

/** The next position of a follower, and what the follower stores in the same transaction. */
export interface FollowerMove {
  readonly name: string;
  readonly owner: string;
  /** Null starts the follower again. */
  readonly position: string | null;
  readonly described?: readonly ChangeDescription[];
}

/** A page that a commit wrote, moved or removed. Each page has one mark: that of the last such commit. */
export interface Touch {
  /** Ascends in the order of commits. All pages that one commit touched have the same number. */
  readonly seq: number;
  readonly id: number;
}

export const FIRST_TOUCH: Touch = Object.freeze({ seq: 0, id: 0 });
