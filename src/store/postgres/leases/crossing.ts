/**
 * Commits that change what belongs to hosts of others: a copy elsewhere takes a content over, a page elsewhere is left without a link, or
 * has one again. Commits hold what is their own first, in no order that all have in common, so two that come for each other's would
 * wait in a ring.
 *
 * What always holds: whoever changes a row of a host that is not the sender's does so while nobody else commits. Hardly any commit does;
 * so it begins together with all others, and is begun anew, alone, when it comes to such a row, before it waits for it.
 */
import type { Session } from './database.ts';
import type { HeldHosts } from './held-hosts.ts';
import { takeTurn } from './turns.ts';

export type Company = 'together' | 'alone';

/** The transaction has to be run again, alone: it is the cause of what it fails with. */
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

  /** First in a transaction that may change everything. */
  static async alone(session: Session, schema: string): Promise<Crossing> {
    await takeTurn(session, schema, 'crossing', 'alone');
    return new Crossing(true, null);
  }

  /** Before a row of a URL is held that may be another's. */
  into(hostId: number, urlId: number): void {
    if (!this.isAlone && !this.#own?.holds(hostId, urlId)) throw new CrossingNeeded();
  }
}

/** Runs what begins with `takeTurn(…, 'crossing', company)`. */
export async function crossing<T>(run: (company: Company) => Promise<T>): Promise<T> {
  try {
    return await run('together');
  } catch (error) {
    if ((error as Error).cause instanceof CrossingNeeded) return run('alone');
    throw error;
  }
}
