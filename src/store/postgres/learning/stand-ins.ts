/**
 * URLs that are not fetched because of a stand-in, and the stand-ins, for one
 * transaction. A transaction locks the host before it changes them.
 *
 * What always holds: a URL that was left out can be let in again. If a stand-in fails, its URLs are not given up
 * because of that alone: one of them is fetched to check whether it fails, too.
 *
 * The partner for SQLite is store/sqlite/learning/stand-ins.ts; the
 * shared contract test is test/store/contract/parameters/stand-ins.ts.
 */
import type { Reason } from '../../../core/reasons.ts';
import { urlKeyHex } from '../../../url/key.ts';
import { parameterNames, parameterSpace } from '../../../url/query-parameters.ts';
import { URL_STATES } from '../../contract.ts';
import { countReleased, isWithoutPage } from '../../rules/left-out.ts';
import { DIGEST_BYTES } from '../../rules/parameter-rules.ts';
import { numbers, plainTexts } from '../connection/arrays.ts';
import type { WorkingSet } from '../rows/working-set.ts';

const SKIPPED = URL_STATES.indexOf('skipped');
/** Skipped URLs that are read at once. A host may have millions. */
const AT_ONCE = 5_000;
const WAITS = { state: 0, reason: null } as const;

/** A URL that is, or may become, the stand-in of others. */
export interface StandIn {
  readonly id: number;
  /** The first bytes of the digest of its content, in hexadecimal digits; null if it has no content. */
  readonly digest: string | null;
  readonly isWithoutPage: boolean;
}

export interface HostUrl {
  readonly hostId: number;
  readonly url: string;
}

interface Seen {
  readonly id: number;
  readonly state: number;
  readonly reason: Reason | null;
  readonly digest: string | null;
}

export class StandIns {
  readonly #set: WorkingSet;
  /** URLs as they were read; null if not known. Changes of this transaction are in the working set. */
  readonly #byName = new Map<string, Seen | null>();
  /** Ids of results without a page that are stand-ins. */
  readonly #standing = new Set<number>();

  constructor(set: WorkingSet) {
    this.#set = set;
  }

  /** Reads the state and the content of URLs. */
  async load(wanted: Iterable<HostUrl>): Promise<void> {
    const { schema, session } = this.#set;
    const missing = new Map<string, { readonly hostId: number; readonly key: string }>();
    for (const { hostId, url } of wanted) {
      const key = urlKeyHex(url);
      const name = `${hostId} ${key}`;
      if (!this.#byName.has(name)) missing.set(name, { hostId, key });
    }
    if (missing.size === 0) return;
    for (const name of missing.keys()) this.#byName.set(name, null);
    const urls = [...missing.values()];
    const rows = await session.all(
      `SELECT u.host_id, u.key, u.id, u.state, u.reason, encode(substring(p.digest, 1, ${DIGEST_BYTES}), 'hex') AS digest
       FROM unnest($1::bigint[], $2::uuid[]) AS f(host_id, key)
       JOIN ${schema}.urls u ON u.host_id = f.host_id AND u.key = f.key LEFT JOIN ${schema}.pages p ON p.url_id = u.id`,
      [numbers(urls.map(({ hostId }) => hostId)), plainTexts(urls.map(({ key }) => key))],
    );
    for (const { host_id, key, ...seen } of rows) this.#byName.set(`${host_id} ${key}`, seen as Seen);
  }

  /** Reads which of these URLs, whose pages may be missing, are stand-ins. */
  async loadStanding(urls: readonly { readonly hostId: number; readonly id: number }[]): Promise<void> {
    if (urls.length === 0) return;
    const { schema, session } = this.#set;
    const rows = await session.all(
      `SELECT DISTINCT u.stand_in FROM unnest($1::bigint[], $2::bigint[]) AS s(host_id, id)
       JOIN ${schema}.urls u ON u.host_id = s.host_id AND u.stand_in = s.id`,
      [numbers(urls.map(({ hostId }) => hostId)), numbers(urls.map(({ id }) => id))],
    );
    for (const { stand_in } of rows) this.#standing.add(stand_in);
  }

  async of(hostId: number, url: string): Promise<StandIn | null> {
    const name = `${hostId} ${urlKeyHex(url)}`;
    if (!this.#byName.has(name)) await this.load([{ hostId, url }]);
    const seen = this.#byName.get(name) ?? null;
    return seen && this.#now(seen);
  }

  /** The stand-in has a page or may still get one, or one of its URLs is fetched as a check. */
  async isFit(hostId: number, standIn: StandIn): Promise<boolean> {
    return !standIn.isWithoutPage || (await this.#isTried(hostId, standIn.id));
  }

  /** The row of the URL must be locked by this transaction. */
  set(id: number, standIn: number): void {
    this.#set.urls.change(id, { stand_in: standIn });
    this.#standing.add(standIn);
  }

  /** Called for a stand-in without a page. Lets one of its URLs wait, unless one already did. Returns how many. */
  async doubt(hostId: number, standIn: number): Promise<number> {
    if (!this.#standing.has(standIn) || (await this.#isTried(hostId, standIn))) return 0;
    const { schema } = this.#set;
    const [first] = await this.#set.query(
      `SELECT id FROM ${schema}.urls WHERE host_id = $1 AND stand_in = $2 AND reason = 'ignored-parameter'
       ORDER BY id LIMIT 1`,
      [hostId, standIn],
    );
    if (first === undefined) return 0;
    await this.#set.urls.load([first.id], 'held');
    this.#set.urls.change(first.id, WAITS);
    countReleased(hostId, 'ignored-parameter', this.#set.tally);
    return 1;
  }

  /** Lets all URLs wait that were skipped because of a parameter. Returns how many. */
  async release(hostId: number, space: string, name: string): Promise<number> {
    const { schema, urls } = this.#set;
    let count = 0;
    for (let last = { stand_in: 0, id: 0 }; ; ) {
      const rows = await this.#set.query<{ id: number; stand_in: number; url: string }>(
        `SELECT id, stand_in, url FROM ${schema}.urls
         WHERE host_id = $1 AND stand_in >= $2 AND (stand_in, id) > ($2, $3) AND reason = 'ignored-parameter'
         ORDER BY stand_in, id LIMIT ${AT_ONCE}`,
        [hostId, last.stand_in, last.id],
      );
      if (rows.length === 0) break;
      last = rows.at(-1)!;
      const released = rows.filter(({ url }) => parameterSpace(url) === space && parameterNames(url).includes(name));
      const known = released.filter(({ id }) => urls.has(id));
      for (const { id } of known) urls.change(id, { ...WAITS, stand_in: null });
      await this.#set.session.run(
        `UPDATE ${schema}.urls SET state = 0, reason = NULL, stand_in = NULL WHERE id = ANY($1::bigint[])`,
        [numbers(released.map(({ id }) => id))],
      );
      count += released.length;
    }
    countReleased(hostId, 'ignored-parameter', this.#set.tally, count);
    return count;
  }

  async #isTried(hostId: number, standIn: number): Promise<boolean> {
    const { schema } = this.#set;
    const rows = await this.#set.query(
      `SELECT 1 AS one FROM ${schema}.urls WHERE host_id = $1 AND stand_in = $2 AND state <> ${SKIPPED} LIMIT 1`,
      [hostId, standIn],
    );
    return rows.length > 0;
  }

  #now({ id, ...seen }: Seen): StandIn {
    const { urls, pages } = this.#set;
    const { state, reason } = (urls.has(id) ? urls.get(id) : null) ?? seen;
    const digest = pages.has(id) ? shortDigest(pages.get(id)?.digest) : seen.digest;
    return { id, digest, isWithoutPage: isWithoutPage(URL_STATES[state]!, reason) };
  }
}

function shortDigest(digest: Uint8Array | undefined): string | null {
  return digest === undefined ? null : Buffer.from(digest).toString('hex', 0, DIGEST_BYTES);
}
