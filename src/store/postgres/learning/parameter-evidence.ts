/**
 * The pages that are compared to learn about parameters, for one transaction. The bases that a
 * commit may need are read before it. All evidence about a parameter is read when the parameter is
 * judged. Changes are made in memory and written together.
 *
 * The partner for SQLite is store/sqlite/learning/parameter-evidence.ts, which explains bases, pairs and essences; the
 * shared contract test is test/store/contract/parameters/parameters.ts.
 */
import { type Evidence, MAX_BASES } from '../../rules/parameter-rules.ts';
import { booleans, bytes, numbers } from '../connection/arrays.ts';
import type { WorkingSet } from '../rows/working-set.ts';
import type { ParameterRecord } from './parameter-records.ts';

/**
 * A page for comparison: the keys of its base and its essence, and the digest of its content, in hexadecimal digits.
 */
export interface Sample {
  readonly base: string;
  readonly essence: string;
  readonly digest: string;
}

interface Base extends Sample {
  pairs: number;
  /** The URL without the parameter is one of its pages. */
  bare: boolean;
}

interface Bases {
  readonly hostId: number;
  /** Bases by key; null if a stored base will be deleted. */
  readonly known: Map<string, Base | null>;
  readonly changed: Set<string>;
  /** Bases that were read. If such a base is not in `known`, it does not exist. */
  asked: ReadonlySet<string>;
  /** All rows of the table are in `known`. */
  isWhole: boolean;
  /** All rows of the table will be deleted. */
  isDropped: boolean;
}

const COLUMNS = `parameter_id, encode(base, 'hex') AS base, encode(essence, 'hex') AS essence, encode(digest, 'hex') AS digest, pairs, bare`;

export class ParameterEvidence {
  readonly #set: WorkingSet;
  readonly #of = new Map<number, Bases>();

  constructor(set: WorkingSet) {
    this.#set = set;
  }

  /** Reads all bases of `whole`, and the given bases of the other parameters. */
  async load(
    whole: readonly ParameterRecord[],
    others: readonly ParameterRecord[],
    bases: ReadonlySet<string>,
  ): Promise<void> {
    const { schema, session } = this.#set;
    const read = async (records: readonly ParameterRecord[], condition: string, more: string[]) => {
      const ids = numbers(records.map(({ id }) => id));
      const sql = `SELECT ${COLUMNS} FROM ${schema}.parameter_bases WHERE parameter_id = ANY($1::bigint[]) ${condition}`;
      for (const row of await session.all(sql, [ids, ...more])) {
        const { known, changed } = this.#of.get(row.parameter_id)!;
        // A base that was changed in this transaction is newer.
        if (!changed.has(row.base)) known.set(row.base, row as unknown as Base);
      }
    };
    for (const record of whole) this.#basesOf(record).isWhole = true;
    for (const record of others) this.#basesOf(record).asked = bases;
    const list = bytes([...bases].map((base) => Buffer.from(base, 'hex')));
    await Promise.all([
      ...(whole.length > 0 ? [read(whole, '', [])] : []),
      ...(others.length > 0 && bases.size > 0 ? [read(others, 'AND base = ANY($2::bytea[])', [list])] : []),
    ]);
  }

  /** A new parameter has no stored bases to read. */
  begin(record: ParameterRecord): void {
    this.#basesOf(record).isWhole = true;
  }

  /** The content that the pages of a base have had so far. */
  async digestOf(record: ParameterRecord, base: string): Promise<string | null> {
    const bases = this.#basesOf(record);
    if (!bases.known.has(base) && !bases.asked.has(base) && !bases.isWhole) await this.load([record], [], NONE);
    return bases.known.get(base)?.digest ?? null;
  }

  /** Adds the first page of a base. */
  async add(record: ParameterRecord, sample: Sample): Promise<void> {
    const bases = await this.#whole(record);
    bases.known.set(sample.base, { ...sample, pairs: 0, bare: false });
    bases.changed.add(sample.base);
    const all = present(bases);
    if (all.length <= MAX_BASES) return;
    // The bases with the smallest keys are kept: a sample that does not depend on time.
    const [largest] = all
      .map(({ base }) => base)
      .sort()
      .reverse();
    this.dropBase(record, largest!);
  }

  /** Another page of a base is equal. `isBare`: one of the two is the URL without the parameter. */
  agree(record: ParameterRecord, base: string, isBare: boolean): void {
    const bases = this.#basesOf(record);
    const kept = bases.known.get(base);
    if (!kept) return;
    kept.pairs++;
    kept.bare ||= isBare;
    bases.changed.add(base);
  }

  async weigh(record: ParameterRecord): Promise<Evidence> {
    const evidence = { pairs: 0, pages: 0, bare: 0 };
    for (const same of Map.groupBy(present(await this.#whole(record)), ({ digest }) => digest).values()) {
      const pairs = same.reduce((sum, base) => sum + base.pairs, 0);
      // A content that several essences have does not depend on the URL at all.
      if (pairs === 0 || new Set(same.map(({ essence }) => essence)).size > 1) continue;
      evidence.pairs += pairs;
      evidence.pages++;
      if (same.some(({ bare }) => bare)) evidence.bare++;
    }
    return evidence;
  }

  drop(record: ParameterRecord): void {
    const bases = this.#basesOf(record);
    bases.known.clear();
    bases.changed.clear();
    bases.isWhole = true;
    bases.isDropped = true;
  }

  dropBase(record: ParameterRecord, base: string): void {
    const bases = this.#basesOf(record);
    bases.known.set(base, null);
    bases.changed.add(base);
  }

  async write(): Promise<void> {
    const { schema, session } = this.#set;
    const table = `${schema}.parameter_bases`;
    const sent: Promise<unknown>[] = [];
    const all = [...this.#of];
    this.#of.clear();
    const dropped = all.filter(([, { isDropped }]) => isDropped).map(([id]) => id);
    const changes = all.flatMap(([id, { hostId, known, changed }]) =>
      [...changed].map((base) => ({ id, hostId, base, now: known.get(base)! })),
    );
    const gone = changes.filter(({ now }) => now === null);
    const kept = changes.filter(({ now }) => now !== null);
    const keys = (some: typeof changes) => [
      numbers(some.map(({ id }) => id)),
      bytes(some.map(({ base }) => Buffer.from(base, 'hex'))),
    ];
    if (dropped.length > 0) {
      sent.push(session.run(`DELETE FROM ${table} WHERE parameter_id = ANY($1::bigint[])`, [numbers(dropped)]));
    }
    if (gone.length > 0) {
      const sql = `DELETE FROM ${table} b USING unnest($1::bigint[], $2::bytea[]) AS g(id, base)
        WHERE b.parameter_id = g.id AND b.base = g.base`;
      sent.push(session.run(sql, keys(gone)));
    }
    if (kept.length > 0) {
      const sql = `INSERT INTO ${table} (parameter_id, base, host_id, essence, digest, pairs, bare)
        SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::bytea[], $5::bytea[], $6::integer[], $7::boolean[])
        ON CONFLICT (parameter_id, base, host_id) DO UPDATE SET pairs = excluded.pairs, bare = excluded.bare`;
      const lists = [
        numbers(kept.map(({ hostId }) => hostId)),
        bytes(kept.map(({ now }) => Buffer.from(now.essence, 'hex'))),
        bytes(kept.map(({ now }) => Buffer.from(now.digest, 'hex'))),
        numbers(kept.map(({ now }) => now.pairs)),
        booleans(kept.map(({ now }) => now.bare)),
      ];
      sent.push(session.run(sql, [...keys(kept), ...lists]));
    }
    await Promise.all(sent);
  }

  #basesOf({ id, hostId }: ParameterRecord): Bases {
    let bases = this.#of.get(id);
    if (bases === undefined) {
      bases = { hostId, known: new Map(), changed: new Set(), asked: NONE, isWhole: false, isDropped: false };
      this.#of.set(id, bases);
    }
    return bases;
  }

  async #whole(record: ParameterRecord): Promise<Bases> {
    const bases = this.#basesOf(record);
    if (!bases.isWhole) await this.load([record], [], NONE);
    return bases;
  }
}

const NONE: ReadonlySet<string> = new Set();

function present({ known }: Bases): Base[] {
  return [...known.values()].filter((base) => base !== null);
}
