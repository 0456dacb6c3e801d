/**
 * URLs that are not fetched because a stand-in is fetched in their place, and the stand-ins.
 *
 * What always holds: a skipped URL can be let in again. A URL whose stand-in fails is not skipped without a test: one
 * URL of the same kind is fetched to see whether it fails too.
 *
 * The partner for PostgreSQL is store/postgres/learning/stand-ins.ts;
 * the shared contract test is test/store/contract/parameters/stand-ins.ts.
 */
import type { Reason } from '../../../core/reasons.ts';
import { parameterNames, parameterSpace } from '../../../url/query-parameters.ts';
import { URL_STATES } from '../../contract.ts';
import { countReleased, isWithoutPage } from '../../rules/left-out.ts';
import { DIGEST_BYTES } from '../../rules/parameter-rules.ts';
import type { Tally } from '../../rules/tally.ts';
import { TableAccess } from '../table-access.ts';

const SKIPPED = URL_STATES.indexOf('skipped');

/** A URL that stands, or may stand, for others. */
export interface StandIn {
  readonly id: number;
  /** The first 16 bytes of the digest of its content; null while there is none. */
  readonly digest: Buffer | null;
  /** Whether the URL has no page although it was requested or skipped for good. */
  readonly isWithoutPage: boolean;
}

interface StandInRow {
  id: number;
  state: number;
  reason: Reason | null;
  digest: Uint8Array | null;
}

const STAND_IN = 'SELECT u.id, u.state, u.reason, p.digest FROM urls u LEFT JOIN pages p ON p.url_id = u.id';

export class StandIns extends TableAccess {
  readonly #byKey = this.db.prepare(`${STAND_IN} WHERE u.host_id = ? AND u.key = ?`);
  readonly #byId = this.db.prepare(`${STAND_IN} WHERE u.id = ?`);
  readonly #tried = this.db.prepare(
    `SELECT 1 FROM urls WHERE host_id = ? AND stand_in = ? AND state <> ${SKIPPED} LIMIT 1`,
  );
  readonly #set = this.db.prepare('UPDATE urls SET stand_in = ? WHERE id = ?');
  readonly #firstSkipped = this.db.prepare(
    `SELECT id FROM urls WHERE host_id = ? AND stand_in = ? AND reason = 'ignored-parameter' LIMIT 1`,
  );
  readonly #skippedOf = this.db.prepare(
    `SELECT id, url FROM urls WHERE host_id = ? AND stand_in IS NOT NULL AND reason = 'ignored-parameter'`,
  );
  readonly #wait = this.db.prepare('UPDATE urls SET state = 0, reason = NULL, stand_in = NULL WHERE id = ?');
  readonly #waitAndStand = this.db.prepare('UPDATE urls SET state = 0, reason = NULL WHERE id = ?');

  withKey(hostId: number, key: Buffer): StandIn | null {
    return toStandIn(this.#byKey.get(hostId, key) as unknown as StandInRow | undefined);
  }

  withId(id: number): StandIn | null {
    return toStandIn(this.#byId.get(id) as unknown as StandInRow | undefined);
  }

  /** True if the stand-in has a page, may still get one, or if another URL for which it stands is fetched as a test. */
  isFit(hostId: number, { id, isWithoutPage }: StandIn): boolean {
    return !isWithoutPage || this.#tried.get(hostId, id) !== undefined;
  }

  set(id: number, standIn: number): void {
    this.#set.run(standIn, id);
  }

  /** Called when a stand-in has no page: lets one URL of its kind wait, unless one already did. Returns the number. */
  doubt(hostId: number, standIn: number, tally: Tally): number {
    if (this.#tried.get(hostId, standIn) !== undefined) return 0;
    const first = this.#firstSkipped.get(hostId, standIn) as { id: number } | undefined;
    if (first === undefined) return 0;
    this.#waitAndStand.run(first.id);
    countReleased(hostId, 'ignored-parameter', tally);
    return 1;
  }

  /** Lets all URLs wait that were skipped because of a parameter. Returns their number. */
  release(hostId: number, space: string, name: string, tally: Tally): number {
    const rows = this.#skippedOf.iterate(hostId) as Iterable<unknown> as Iterable<{ id: number; url: string }>;
    // There may be very many URLs, so only their ids are kept.
    const released: number[] = [];
    for (const { id, url } of rows) {
      if (parameterSpace(url) === space && parameterNames(url).includes(name)) released.push(id);
    }
    for (const id of released) {
      this.#wait.run(id);
      countReleased(hostId, 'ignored-parameter', tally);
    }
    return released.length;
  }
}

function toStandIn(row: StandInRow | undefined): StandIn | null {
  if (row === undefined) return null;
  const { id, state, reason, digest } = row;
  return {
    id,
    digest: digest === null ? null : Buffer.from(digest).subarray(0, DIGEST_BYTES),
    isWithoutPage: isWithoutPage(URL_STATES[state]!, reason),
  };
}
