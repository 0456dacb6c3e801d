/**
 * The permits (tickets) of this worker to add pages to the copy, if all workers together have a limit (`--limit`). They
 * are drawn from the cluster in small batches. A used ticket is returned only after its page is committed. So pages and
 * tickets together never exceed the limit, at any moment and with any number of workers.
 */
import type { Cluster } from '../../store/cluster.ts';
import type { CommitReceipt } from '../../store/contract.ts';

/**
 * Tickets drawn at a time, in addition to the URLs in progress: so few that a slow worker keeps little from the others.
 */
const AT_ONCE = 64;
const ALL = Number.MAX_SAFE_INTEGER;

export class PageTickets {
  readonly #cluster: Pick<Cluster, 'drawPages'>;
  readonly #owner: string;
  readonly limit: number;
  /** Drawn and not returned, including used tickets. */
  #drawn = 0;
  #used = 0;
  /** How often all tickets were lost: tickets requested before a loss are not ours. */
  #forfeits = 0;
  /** The last request returned no ticket. */
  areGone = false;

  constructor(cluster: Pick<Cluster, 'drawPages'>, owner: string, limit: number) {
    this.#cluster = cluster;
    this.#owner = owner;
    this.limit = limit;
  }

  /** How many pages may still come from URLs in progress and URLs handed out later. */
  get left(): number {
    return this.#drawn - this.#used;
  }

  /** Draws more tickets if too few are left for `out` URLs in progress. */
  async refill(out: number): Promise<void> {
    if (this.left - out >= AT_ONCE / 2) return;
    const forfeits = this.#forfeits;
    // Tickets drawn by a call whose answer was lost are also ours. So when nothing is in
    // progress, all tickets are returned first.
    const back = out === 0 ? ALL : this.#used;
    if (back > 0) {
      await this.#cluster.drawPages(this.#owner, -back, this.limit);
      if (forfeits !== this.#forfeits) return;
      this.#drawn = out === 0 ? 0 : this.#drawn - back;
      this.#used = 0;
    }
    const wanted = out + AT_ONCE - this.left;
    const given = await this.#cluster.drawPages(this.#owner, wanted, this.limit);
    if (forfeits !== this.#forfeits) return;
    this.#drawn += given;
    this.areGone = given === 0 && this.left <= out;
  }

  /** Counts the committed pages. */
  use({ states }: CommitReceipt): void {
    for (const state of states) if (state === 'fetched' || state === 'duplicate') this.#used++;
  }

  /** The worker was considered dead: other workers have its tickets now. */
  forfeit(): void {
    this.#forfeits++;
    this.#drawn = 0;
    this.#used = 0;
  }
}
