/**
 * Mirrors: hosts that have the same pages under the same paths. A pair of hosts is counted if a page on one host and
 * its duplicate or near duplicate on the other have the same path and query. For each pair the number of paths with the
 * same page on both hosts is counted, and the number of paths with different pages.
 *
 * A pair is known from its first common page on. From then on each page of either host is compared once with the page
 * of the same path on the other host, when the second of the two is committed. A page of any other host costs one
 * lookup in a map. Runs inside the caller's transaction.
 *
 * The partner for PostgreSQL is store/postgres/commit/mirrors.ts; the
 * shared contract test is test/store/contract/near-duplicates.ts.
 */
import { pathOf } from '../../../url/host.ts';
import { urlKey } from '../../../url/key.ts';
import { MOST_PAIRS, MOST_PARTNERS } from '../../rules/mirror-rule.ts';
import { TableAccess } from '../table-access.ts';
import { ORIGINAL } from './copies.ts';

/** The longest chain: from an exact duplicate to a near duplicate to its leader. */
const MOST_STEPS = 3;

interface Partner {
  readonly hostId: number;
  readonly host: string;
}

interface Count {
  readonly first: number;
  readonly second: number;
  same: number;
  different: number;
}

export class Mirrors extends TableAccess {
  #partners: Map<number, Partner[]> | null = null;
  #pairs = new Set<string>();
  /** Counts of this transaction. */
  #counts = new Map<string, Count>();
  readonly #selectPairs = this.db.prepare('SELECT first, second FROM mirrors');
  readonly #selectUrl = this.db.prepare('SELECT host_id, url FROM urls WHERE id = ?');
  readonly #selectHost = this.db.prepare('SELECT host FROM hosts WHERE id = ?');
  readonly #pageAt = this.db.prepare(
    'SELECT u.id FROM urls u JOIN pages p ON p.url_id = u.id WHERE u.host_id = ? AND u.key = ? AND p.bytes > 0',
  );
  readonly #originalOf = this.db.prepare(`SELECT coalesce(${ORIGINAL}, near_of) AS id FROM pages p WHERE url_id = ?`);
  readonly #addToPair = this.db.prepare(
    `INSERT INTO mirrors (first, second, same, different) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET same = same + excluded.same, different = different + excluded.different`,
  );

  /** Called when a page was written; `original` is the page that it duplicates exactly or nearly. */
  compare(id: number, hostId: number, url: string, original: number | null): void {
    this.#partners ??= this.#load();
    const partners = this.#partners.get(hostId);
    if (original === null && partners === undefined) return;
    const path = pathOf(url);
    const counted = original === null ? 0 : this.#compareWith(original, hostId, path);
    for (const { hostId: otherId, host } of partners ?? []) {
      const other = otherId === counted ? undefined : this.#pageAt.get(otherId, urlKey(host + path));
      if (other === undefined) continue;
      this.#count(hostId, otherId, this.#leaderOf((other as { id: number }).id) === this.#leaderOf(id));
    }
  }

  /** Returns the host that was compared; 0 if the duplicate says nothing about the two hosts. */
  #compareWith(original: number, hostId: number, path: string): number {
    const { host_id, url } = this.#selectUrl.get(original) as { host_id: number; url: string };
    if (host_id === hostId || pathOf(url) !== path) return 0;
    if (!this.#pairs.has(pairName(hostId, host_id))) {
      if (this.#pairs.size >= MOST_PAIRS) return 0;
      this.#join(hostId, host_id, this.#partners!);
    }
    this.#count(hostId, host_id, true);
    return host_id;
  }

  #leaderOf(id: number): number {
    let leader = id;
    for (let step = 0; step < MOST_STEPS; step++) {
      const next = (this.#originalOf.get(leader) as { id: number | null } | undefined)?.id ?? null;
      if (next === null) break;
      leader = next;
    }
    return leader;
  }

  write(): void {
    for (const { first, second, same, different } of this.#counts.values()) {
      this.#addToPair.run(first, second, same, different);
    }
    this.#counts.clear();
  }

  /** Called after a rollback. */
  forget(): void {
    this.#partners = null;
    this.#pairs.clear();
    this.#counts.clear();
  }

  #count(a: number, b: number, isSame: boolean): void {
    const name = pairName(a, b);
    let count = this.#counts.get(name);
    if (count === undefined) {
      count = { first: Math.min(a, b), second: Math.max(a, b), same: 0, different: 0 };
      this.#counts.set(name, count);
    }
    if (isSame) count.same++;
    else count.different++;
  }

  #load(): Map<number, Partner[]> {
    const partners = new Map<number, Partner[]>();
    const rows = this.#selectPairs.all() as { first: number; second: number }[];
    for (const { first, second } of rows) this.#join(first, second, partners);
    return partners;
  }

  #join(a: number, b: number, partners: Map<number, Partner[]>): void {
    this.#pairs.add(pairName(a, b));
    for (const [hostId, otherId] of [
      [a, b],
      [b, a],
    ] as const) {
      const known = partners.get(hostId) ?? [];
      partners.set(hostId, known);
      if (known.length >= MOST_PARTNERS) continue;
      known.push({ hostId: otherId, host: (this.#selectHost.get(otherId) as { host: string }).host });
    }
  }
}

function pairName(a: number, b: number): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}
