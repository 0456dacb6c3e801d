/** A store with nothing but positions of followers, for tests of when a follower does what. */

import type { PositionStore } from '../../src/followers/follower.ts';
import type { FollowerHold, FollowerMove, FollowerRecord } from '../../src/store/contract.ts';

export class MemoryPositions implements PositionStore {
  readonly records = new Map<string, FollowerRecord>();
  /** Called before each move. May throw. */
  onMove: (move: FollowerMove) => void = () => {};

  async holdFollower({ name, version, owner, nowMs, leaseMs }: FollowerHold): Promise<FollowerRecord | null> {
    const known = this.records.get(name);
    if (known !== undefined && known.owner !== null && known.owner !== owner && known.heldUntilMs > nowMs) return null;
    const position = known?.version === version ? known.position : null;
    const record = { name, version, position, owner, heldUntilMs: nowMs + leaseMs };
    this.records.set(name, record);
    return record;
  }

  async moveFollower(move: FollowerMove): Promise<boolean> {
    this.onMove(move);
    const known = this.records.get(move.name);
    if (known === undefined || known.owner !== move.owner) return false;
    this.records.set(move.name, { ...known, position: move.position });
    return true;
  }

  async releaseFollower(name: string, owner: string): Promise<void> {
    const known = this.records.get(name);
    if (known?.owner === owner) this.records.set(name, { ...known, owner: null, heldUntilMs: 0 });
  }
}
