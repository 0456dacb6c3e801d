/**
 * The one byte of a compressed member that nothing else checks: the system that the gzip header names (RFC 1952
 * §2.3.1). All members of
 * a file come from one process, so the few that name another system than the many were changed.
 */
import type { CaptureKey } from '../store/contract.ts';

export interface VotingMember {
  readonly offset: number;
  readonly bytes: number;
  readonly key: CaptureKey | null;
}

/** Of each system so many are remembered: the many need not be, and more than a few are no accident. */
const MOST_REMEMBERED = 100;

export class SystemVote {
  readonly #isOneWriter: boolean;
  readonly #votes = new Map<number, { count: number; readonly members: VotingMember[] }>();

  constructor(isOneWriter: boolean) {
    this.#isOneWriter = isOneWriter;
  }

  add(system: number | null, member: VotingMember): void {
    if (system === null || !this.#isOneWriter) return;
    const vote = this.#votes.get(system) ?? { count: 0, members: [] };
    vote.count++;
    if (vote.members.length < MOST_REMEMBERED) vote.members.push(member);
    this.#votes.set(system, vote);
  }

  /** Those that are outvoted, in the order of the file. */
  odd(): VotingMember[] {
    const most = Math.max(0, ...[...this.#votes.values()].map(({ count }) => count));
    const few = [...this.#votes.values()].filter(({ count }) => count < most);
    return few.flatMap(({ members }) => members).sort((a, b) => a.offset - b.offset);
  }
}
