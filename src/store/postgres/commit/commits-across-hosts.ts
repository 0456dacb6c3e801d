/**
 * Commits that change rows of other workers' hosts: a duplicate on another host takes over a content, or a
 * page on another host loses its last link or gets one again. Commits lock their own rows first, in no
 * common order, so two such commits would end in a deadlock.
 *
 * What always holds: a commit changes rows of hosts that are not the sender's only while no other commit runs. Hardly
 * any commit needs this. So a commit begins together with all others (shared lock). When it comes to such a row, and
 * before it waits for the row, it is retried alone, under an exclusive lock.
 */

import { takeCrawlLock } from '../connection/advisory-locks.ts';
import type { Session } from '../connection/database.ts';
import type { HeldHosts } from '../leases/held-hosts.ts';

export type Company = 'together' | 'alone';

/** Thrown when the transaction must be retried alone. The final error has it as its cause. */
class CrossingNeeded extends Error {}

export class Crossing {
  readonly isAlone: boolean;
  readonly #own: HeldHosts | null;

  private constructor(isAlone: boolean, own: HeldHosts | null) {
    this.isAlone = isAlone;
    this.#own = own;
  }

  static of(company: Company, own: HeldHosts): Crossing {
    return new Crossing(company === 'alone', own);
  }

  /** The first step of a transaction that may change everything. */
  static async alone(session: Session, schema: string): Promise<Crossing> {
    await takeCrawlLock(session, schema, 'crossing', 'alone');
    return new Crossing(true, null);
  }

  /** Must be called before the row of a URL is locked that may belong to another worker. */
  into(hostId: number, urlId: number): void {
    if (!this.isAlone && !this.#own?.holds(hostId, urlId)) throw new CrossingNeeded();
  }
}

/** Runs a transaction that begins with `takeCrawlLock(…, 'crossing', company)`. */
export async function crossing<T>(run: (company: Company) => Promise<T>): Promise<T> {
  try {
    return await run('together');
  } catch (error) {
    if ((error as Error).cause instanceof CrossingNeeded) return run('alone');
    throw error;
  }
}
