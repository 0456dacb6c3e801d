/**
 * The rights of this worker to add pages to the copy, where there is a limit for all workers together (`--limit`). They are drawn from the
 * cluster some at a time; one that has become a page is given back only after the page is committed. So pages and rights together never
 * exceed the limit, at any instant and however many workers draw.
 */
import type { Cluster } from '../../store/cluster.ts';
import type { CommitReceipt } from '../../store/contract.ts';

/** Drawn at a time, beyond what is out: few enough that a worker that is slow to use them keeps little from the others. */
const AT_ONCE = 64;
const ALL = Number.MAX_SAFE_INTEGER;

export class PageTickets {
  readonly #cluster: Pick<Cluster, 'drawPages'>;
  readonly #owner: string;
  readonly limit: number;
  /** Drawn and not given back, those that have become pages included. */
  #drawn = 0;
  #used = 0;
  /** How often all were forfeited: what was asked for before is not ours. */
  #forfeits = 0;
  /** The last time, none was to be had. */
  areGone = false;

  constructor(cluster: Pick<Cluster, 'drawPages'>, owner: string, limit: number) {
    this.#cluster = cluster;
    this.#owner = owner;
    this.limit = limit;
  }

  /** How many pages may still become of what is out, and of what is handed out. */
  get left(): number {
    return this.#drawn - this.#used;
  }

  /** Draws more where too few are left, with so many URLs out. */
  async refill(out: number): Promise<void> {
    if (this.left - out >= AT_ONCE / 2) return;
    const forfeits = this.#forfeits;
    // What was drawn by a call whose answer never came is ours as well: when nothing is out, all is put back first.
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

  /** What was committed. */
  use({ states }: CommitReceipt): void {
    for (const state of states) if (state === 'fetched' || state === 'duplicate') this.#used++;
  }

  /** The worker was taken for dead: others have them by now. */
  forfeit(): void {
    this.#forfeits++;
    this.#drawn = 0;
    this.#used = 0;
  }
}
