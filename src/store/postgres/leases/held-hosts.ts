/**
 * The fence of a commit: which of its hosts are leased to the sender. Their lease rows are locked until the end of
 * the transaction, so no other worker can take them over meanwhile. If a host is shared (host-shares.ts), the
 * sender locks only its share, and the other workers go on.
 */
import type { CommitBatch, HostShare } from '../../contract.ts';
import { numbers } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';
import type { Parts } from '../rows/parts.ts';

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
  parts: Parts,
  { owner, results, hosts }: CommitBatch,
): Promise<HeldHosts> {
  const hostIds = [...new Set([...results, ...hosts].map(({ hostId }) => hostId))].sort((a, b) => a - b);
  const whole = new Set<number>();
  await inParts(parts, hostIds, async (part, ids) => {
    const rows = await session.all(
      `SELECT id FROM ${parts.leaf(schema, 'hosts', part)} WHERE part = $1 AND id = ANY($2::bigint[]) AND lease_owner = $3
       ORDER BY id FOR NO KEY UPDATE`,
      [part, ids, owner],
    );
    for (const { id } of rows) whole.add(id);
  });
  const shares = new Map<number, HostShare>();
  // Mostly all hosts are held as a whole, and nothing is left to query.
  const others = hostIds.filter((id) => !whole.has(id));
  await inParts(parts, others, async (part, ids) => {
    const rows = await session.all(
      `SELECT host_id, share, shares FROM ${schema}.host_shares WHERE part = $1 AND host_id = ANY($2::bigint[]) AND lease_owner = $3
       ORDER BY host_id FOR NO KEY UPDATE`,
      [part, ids, owner],
    );
    for (const { host_id, share, shares: of } of rows) shares.set(host_id, { index: share, of });
  });
  return new HeldHosts(whole, shares);
}

async function inParts(
  parts: Parts,
  hostIds: readonly number[],
  ask: (part: number, ids: string) => Promise<void>,
): Promise<void> {
  const byPart = parts.group(hostIds, (id) => parts.ofHost(id));
  await Promise.all(byPart.map(([part, ids]) => ask(part, numbers(ids))));
}
