/**
 * The fence of a commit: which of its hosts are leased to the sender. Their lease rows are locked until the end of
 * the transaction, so no other worker can take them over meanwhile. If a host is shared (host-shares.ts), the
 * sender locks only its share, and the other workers go on.
 */
import type { CommitBatch, HostShare } from '../../contract.ts';
import { numbers } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';

export class HeldHosts {
  readonly #whole: ReadonlySet<number>;
  readonly #shares: ReadonlyMap<number, HostShare>;

  constructor(whole: ReadonlySet<number>, shares: ReadonlyMap<number, HostShare> = new Map()) {
    this.#whole = whole;
    this.#shares = shares;
  }

  /** The whole host is leased to the sender. */
  has(hostId: number): boolean {
    return this.#whole.has(hostId);
  }

  /** The sender holds the host, or the share of it to which the URL belongs. */
  holds(hostId: number, urlId: number): boolean {
    const share = this.#shares.get(hostId);
    return share === undefined ? this.#whole.has(hostId) : urlId % share.of === share.index;
  }

  isShared(hostId: number): boolean {
    return this.#shares.has(hostId);
  }

  get sharedHosts(): readonly number[] {
    return [...this.#shares.keys()];
  }
}

export async function holdHosts(
  session: Session,
  schema: string,
  { owner, results, hosts }: CommitBatch,
): Promise<HeldHosts> {
  const hostIds = [...new Set([...results, ...hosts].map(({ hostId }) => hostId))];
  const rows = await session.all<{ id: number }>(
    `SELECT id FROM ${schema}.hosts WHERE id = ANY($1::bigint[]) AND lease_owner = $2 ORDER BY id FOR NO KEY UPDATE`,
    [numbers(hostIds), owner],
  );
  const whole = new Set(rows.map(({ id }) => id));
  // Mostly all hosts are held as a whole, and nothing is left to query.
  const others = hostIds.filter((id) => !whole.has(id));
  if (others.length === 0) return new HeldHosts(whole);
  const shares = await session.all<{ host_id: number; share: number; shares: number }>(
    `SELECT host_id, share, shares FROM ${schema}.host_shares WHERE host_id = ANY($1::bigint[]) AND lease_owner = $2
     ORDER BY host_id FOR NO KEY UPDATE`,
    [numbers(others), owner],
  );
  return new HeldHosts(whole, new Map(shares.map((row) => [row.host_id, { index: row.share, of: row.shares }])));
}
