/**
 * The verdict on each query parameter of a host, cached for the hosts that are being crawled. The table is bounded: a
 * host that invents parameters fills only its own small share, and URLs with further parameters are fetched normally.
 *
 * The partner for PostgreSQL is store/postgres/learning/parameter-records.ts;
 * the shared contract test is test/store/contract/parameters/parameters.ts.
 */
import { PARAMETER_VERDICTS, type ParameterLesson, type ParameterVerdict } from '../../contract.ts';
import { MAX_PARAMETERS_PER_HOST, MAX_TOLD } from '../../rules/parameter-rules.ts';
import { TableAccess } from '../table-access.ts';

/** Number of cached records and hosts without records; others are read from the database again. */
const MAX_CACHED = 50_000;

export interface ParameterRecord {
  readonly id: number;
  readonly space: string;
  readonly name: string;
  verdict: ParameterVerdict;
}

export type SpaceRecords = ReadonlyMap<string, ParameterRecord>;

interface HostRecords {
  readonly spaces: Map<string, Map<string, ParameterRecord>>;
  count: number;
}

interface LessonRow extends Omit<ParameterLesson, 'verdict'> {
  readonly verdict: number;
}

const NONE: SpaceRecords = new Map();

const LESSON = `SELECT h.host, p.space, p.name, p.verdict, p.pairs, p.pages, p.audits, u.url AS contradictedBy
      FROM parameters p JOIN hosts h ON h.id = p.host_id LEFT JOIN urls u ON u.id = p.contradicted_by`;
const JUDGED = `${LESSON} WHERE p.verdict IN (SELECT value FROM json_each(?))`;

export class ParameterRecords extends TableAccess {
  readonly #hosts = new Map<number, HostRecords>();
  #cached = 0;
  readonly #any = this.db.prepare('SELECT 1 FROM parameters LIMIT 1');
  readonly #ofHost = this.db.prepare('SELECT id, space, name, verdict FROM parameters WHERE host_id = ?');
  readonly #insert = this.db.prepare('INSERT INTO parameters (host_id, space, name) VALUES (?, ?, ?)');
  readonly #judge = this.db.prepare(
    `UPDATE parameters SET verdict = ?, pairs = coalesce(?, pairs), pages = coalesce(?, pages), contradicted_by = ?
     WHERE id = ?`,
  );
  readonly #countAudit = this.db.prepare('UPDATE parameters SET audits = audits + 1 WHERE id = ?');
  readonly #lesson = this.db.prepare(`${LESSON} WHERE p.id = ?`);
  readonly #lessonsOfHost = this.db.prepare(
    `${JUDGED} AND p.host_id = (SELECT id FROM hosts WHERE host = ?) ORDER BY p.id`,
  );
  readonly #lessonsOfAll = this.db.prepare(`${JUDGED} ORDER BY p.id DESC LIMIT ${MAX_TOLD}`);
  #isEmpty: boolean = this.#any.get() === undefined;

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Whether no parameter of the host is known. A crawl without queries pays only for this check. */
  hasNone(hostId: number): boolean {
    return this.#isEmpty || this.#of(hostId).count === 0;
  }

  in(hostId: number, space: string): SpaceRecords {
    return this.#isEmpty ? NONE : (this.#of(hostId).spaces.get(space) ?? NONE);
  }

  /** Returns null if the host has reached its maximum. */
  open(hostId: number, space: string, name: string): ParameterRecord | null {
    const host = this.#of(hostId);
    if (host.count >= MAX_PARAMETERS_PER_HOST) return null;
    const id = Number(this.#insert.run(hostId, space, name).lastInsertRowid);
    this.#isEmpty = false;
    this.#cached++;
    return keep(host, { id, space, name, verdict: 'open' });
  }

  judge(
    record: ParameterRecord,
    verdict: ParameterVerdict,
    evidence: { readonly pairs: number; readonly pages: number } | null,
    contradictedBy: number | null,
  ): void {
    record.verdict = verdict;
    const place = PARAMETER_VERDICTS.indexOf(verdict);
    this.#judge.run(place, evidence?.pairs ?? null, evidence?.pages ?? null, contradictedBy, record.id);
  }

  countAudit({ id }: ParameterRecord): void {
    this.#countAudit.run(id);
  }

  lesson({ id }: ParameterRecord): ParameterLesson {
    return toLesson(this.#lesson.get(id) as unknown as LessonRow);
  }

  lessons(verdicts: readonly ParameterVerdict[], host: string | null): ParameterLesson[] {
    const places = verdicts.map((verdict) => PARAMETER_VERDICTS.indexOf(verdict));
    const wanted = `[${places.join()}]`;
    const rows = host === null ? this.#lessonsOfAll.all(wanted).reverse() : this.#lessonsOfHost.all(wanted, host);
    return (rows as unknown as LessonRow[]).map(toLesson);
  }

  /** Called after a rollback, or when the tables were emptied. */
  forget(): void {
    this.#hosts.clear();
    this.#cached = 0;
    this.#isEmpty = this.#any.get() === undefined;
  }

  #of(hostId: number): HostRecords {
    const cached = this.#hosts.get(hostId);
    if (cached !== undefined) return cached;
    const host: HostRecords = { spaces: new Map(), count: 0 };
    for (const row of this.#ofHost.all(hostId) as { id: number; space: string; name: string; verdict: number }[]) {
      keep(host, { id: row.id, space: row.space, name: row.name, verdict: PARAMETER_VERDICTS[row.verdict]! });
    }
    if (this.#cached >= MAX_CACHED) {
      this.#hosts.clear();
      this.#cached = 0;
    }
    this.#cached += 1 + host.count;
    this.#hosts.set(hostId, host);
    return host;
  }
}

function keep(host: HostRecords, record: ParameterRecord): ParameterRecord {
  let space = host.spaces.get(record.space);
  if (space === undefined) {
    space = new Map();
    host.spaces.set(record.space, space);
  }
  space.set(record.name, record);
  host.count++;
  return record;
}

function toLesson(row: LessonRow): ParameterLesson {
  return { ...row, verdict: PARAMETER_VERDICTS[row.verdict]! };
}
