/**
 * URLs that are not fetched because another stands for them, and those others. What always holds: a URL that was left out can
 * be let in again, and one whose stand-in fails is not left out on its word alone: a single one of its kind is fetched to
 * see whether it fails, too.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Reason } from '../../core/reasons.ts';
import { parameterNames, parameterSpace } from '../../url/query-parameters.ts';
import { URL_STATES } from '../contract.ts';
import { countReleased, isWithoutPage } from '../left-out.ts';
import { DIGEST_BYTES } from '../parameter-rules.ts';
import type { Tally } from '../tally.ts';

const SKIPPED = URL_STATES.indexOf('skipped');

/** A URL as the one that stands, or may stand, for others. */
export interface StandIn {
  readonly id: number;
  /** Its content by the first 16 bytes of its digest; null while it has none. */
  readonly digest: Buffer | null;
  /** It has been asked for, or left out for good, and there is no page. */
  readonly isWithoutPage: boolean;
}

interface StandInRow {
  id: number;
  state: number;
  reason: Reason | null;
  digest: Uint8Array | null;
}

export class StandIns {
  readonly #byKey: StatementSync;
  readonly #byId: StatementSync;
  readonly #tried: StatementSync;
  readonly #set: StatementSync;
  readonly #firstSkipped: StatementSync;
  readonly #skippedOf: StatementSync;
  readonly #wait: StatementSync;
  readonly #waitAndStand: StatementSync;

  constructor(db: DatabaseSync) {
    const standIn = 'SELECT u.id, u.state, u.reason, p.digest FROM urls u LEFT JOIN pages p ON p.url_id = u.id';
    this.#byKey = db.prepare(`${standIn} WHERE u.host_id = ? AND u.key = ?`);
    this.#byId = db.prepare(`${standIn} WHERE u.id = ?`);
    this.#tried = db.prepare(`SELECT 1 FROM urls WHERE host_id = ? AND stand_in = ? AND state <> ${SKIPPED} LIMIT 1`);
    this.#set = db.prepare('UPDATE urls SET stand_in = ? WHERE id = ?');
    this.#firstSkipped = db.prepare(
      `SELECT id FROM urls WHERE host_id = ? AND stand_in = ? AND reason = 'ignored-parameter' LIMIT 1`,
    );
    this.#skippedOf = db.prepare(
      `SELECT id, url FROM urls WHERE host_id = ? AND stand_in IS NOT NULL AND reason = 'ignored-parameter'`,
    );
    this.#wait = db.prepare('UPDATE urls SET state = 0, reason = NULL, stand_in = NULL WHERE id = ?');
    this.#waitAndStand = db.prepare('UPDATE urls SET state = 0, reason = NULL WHERE id = ?');
  }

  withKey(hostId: number, key: Buffer): StandIn | null {
    return toStandIn(this.#byKey.get(hostId, key) as unknown as StandInRow | undefined);
  }

  withId(id: number): StandIn | null {
    return toStandIn(this.#byId.get(id) as unknown as StandInRow | undefined);
  }

  /** It has a page, may yet get one, or another URL it stands for is fetched to see. */
  isFit(hostId: number, { id, isWithoutPage }: StandIn): boolean {
    return !isWithoutPage || this.#tried.get(hostId, id) !== undefined;
  }

  set(id: number, standIn: number): void {
    this.#set.run(standIn, id);
  }

  /** A stand-in has no page: lets one of its kind wait, unless one did already. Returns how many. */
  doubt(hostId: number, standIn: number, tally: Tally): number {
    if (this.#tried.get(hostId, standIn) !== undefined) return 0;
    const first = this.#firstSkipped.get(hostId, standIn) as { id: number } | undefined;
    if (first === undefined) return 0;
    this.#waitAndStand.run(first.id);
    countReleased(hostId, 'ignored-parameter', tally);
    return 1;
  }

  /** Lets all wait that were skipped for a parameter. Returns how many. */
  release(hostId: number, space: string, name: string, tally: Tally): number {
    const rows = this.#skippedOf.iterate(hostId) as Iterable<unknown> as Iterable<{ id: number; url: string }>;
    // There may be very many of them: their ids are kept, not their URLs.
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
