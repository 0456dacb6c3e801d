/**
 * The pages that are compared to learn about a parameter. Pages whose URLs differ only in the parameter share a *base*,
 * the URL without it. A page that equals another page of its base makes a *pair*. The *essence* of a URL is the URL
 * without all parameters that are not known to matter.
 *
 * Content that pages of several essences share does not depend on the URL at all (an error page with status 200, a
 * login form). Its pairs are equal for another reason, and do not count.
 *
 * The tables are bounded: for each parameter the bases with the smallest keys are kept. This sample does not depend on
 * time, so two pages of a kept base meet even if they are fetched far apart.
 *
 * The partner for PostgreSQL is store/postgres/learning/parameter-evidence.ts;
 * the shared contract test is test/store/contract/parameters/parameters.ts.
 */
import { type Evidence, MAX_BASES } from '../../rules/parameter-rules.ts';
import { TableAccess } from '../table-access.ts';

const MAX_CACHED = 20_000;

/** A page to compare: the keys of its base and essence, and its content. */
export interface Sample {
  readonly base: Buffer;
  readonly essence: Buffer;
  readonly digest: Buffer;
}

export class ParameterEvidence extends TableAccess {
  /** The largest base of each parameter that has the maximum number of bases. Larger bases need not be looked up. */
  readonly #largest = new Map<number, Buffer>();
  readonly #digestOf = this.db.prepare('SELECT digest FROM parameter_bases WHERE parameter_id = ? AND base = ?');
  readonly #add = this.db.prepare('INSERT OR IGNORE INTO parameter_bases VALUES (?, ?, ?, ?, 0, 0)');
  readonly #agree = this.db.prepare(
    'UPDATE parameter_bases SET pairs = pairs + 1, bare = max(bare, ?) WHERE parameter_id = ? AND base = ?',
  );
  readonly #size = this.db.prepare(
    'SELECT count(*) AS bases, max(base) AS largest FROM parameter_bases WHERE parameter_id = ?',
  );
  readonly #weigh = this.db.prepare(
    `SELECT coalesce(sum(pairs), 0) AS pairs, count(*) AS pages, coalesce(sum(bare), 0) AS bare FROM (
       SELECT sum(pairs) AS pairs, max(bare) AS bare FROM parameter_bases WHERE parameter_id = ?
       GROUP BY digest HAVING count(DISTINCT essence) = 1
     ) WHERE pairs > 0`,
  );
  readonly #drop = this.db.prepare('DELETE FROM parameter_bases WHERE parameter_id = ?');
  readonly #dropBase = this.db.prepare('DELETE FROM parameter_bases WHERE parameter_id = ? AND base = ?');

  /** Returns the content that all pages of a base have had so far. */
  digestOf(parameterId: number, base: Buffer): Buffer | null {
    if (this.#isBeyond(parameterId, base)) return null;
    const row = this.#digestOf.get(parameterId, base) as { digest: Uint8Array } | undefined;
    return row === undefined ? null : Buffer.from(row.digest);
  }

  /** Adds the first page of a base. */
  add(parameterId: number, { base, essence, digest }: Sample): void {
    if (this.#isBeyond(parameterId, base)) return;
    this.#add.run(parameterId, base, essence, digest);
    let { bases, largest } = this.#sizeOf(parameterId);
    if (bases > MAX_BASES) {
      this.#dropBase.run(parameterId, largest);
      ({ bases, largest } = this.#sizeOf(parameterId));
    }
    if (bases < MAX_BASES) return;
    if (this.#largest.size >= MAX_CACHED) this.#largest.clear();
    this.#largest.set(parameterId, largest);
  }

  /** Called when another page of a base is equal. `isBare`: the URL without the parameter is one of the two. */
  agree(parameterId: number, base: Buffer, isBare: boolean): void {
    this.#agree.run(isBare ? 1 : 0, parameterId, base);
  }

  weigh(parameterId: number): Evidence {
    return this.#weigh.get(parameterId) as unknown as Evidence;
  }

  drop(parameterId: number): void {
    this.#largest.delete(parameterId);
    this.#drop.run(parameterId);
  }

  dropBase(parameterId: number, base: Buffer): void {
    this.#largest.delete(parameterId);
    this.#dropBase.run(parameterId, base);
  }

  /** Called after a rollback. */
  forget(): void {
    this.#largest.clear();
  }

  #isBeyond(parameterId: number, base: Buffer): boolean {
    const largest = this.#largest.get(parameterId);
    return largest !== undefined && base.compare(largest) > 0;
  }

  #sizeOf(parameterId: number): { readonly bases: number; readonly largest: Buffer } {
    const { bases, largest } = this.#size.get(parameterId) as { bases: number; largest: Uint8Array };
    return { bases, largest: Buffer.from(largest) };
  }
}
