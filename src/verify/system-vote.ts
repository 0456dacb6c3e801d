/**
 * Checks the one byte of a compressed member that no other check covers: the system in the gzip header (RFC 1952
 * §2.3.1). One process writes all members of a file, so a minority of members that names another system was changed.
 */
import type { CaptureKey } from '../store/contract.ts';

export interface VotingMember {
  readonly offset: number;
  readonly bytes: number;
  readonly key: CaptureKey | null;
}

/** Members stored per system. The majority need not be stored, and a large minority is no accident. */
const MAX_REMEMBERED = 100;

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
    if (vote.members.length < MAX_REMEMBERED) vote.members.push(member);
    this.#votes.set(system, vote);
  }

  /** Returns the members of the minority, in file order. */
  odd(): VotingMember[] {
    const most = Math.max(0, ...[...this.#votes.values()].map(({ count }) => count));
    const few = [...this.#votes.values()].filter(({ count }) => count < most);
    return few.flatMap(({ members }) => members).sort((a, b) => a.offset - b.offset);
  }
}
