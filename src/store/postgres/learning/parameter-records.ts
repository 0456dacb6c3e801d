/**
 * The stored query parameters of some hosts, for one transaction: read by host and space, judged in memory, written
 * together. The number is limited for each host, so a host that invents parameters only fills its own small table. A
 * transaction locks the host before it changes parameters, or leaves a URL out because of them.
 *
 * The partner for SQLite is store/sqlite/learning/parameter-records.ts; the
 * shared contract test is test/store/contract/parameters/parameters.ts.
 */
import { PARAMETER_VERDICTS, type ParameterLesson, type ParameterVerdict } from '../../contract.ts';
import { MAX_PARAMETERS_PER_HOST } from '../../rules/parameter-rules.ts';
import { numbers, texts } from '../connection/arrays.ts';
import type { WorkingSet } from '../rows/working-set.ts';

export interface ParameterRecord {
  readonly id: number;
  readonly hostId: number;
  readonly host: string;
  readonly space: string;
  readonly name: string;
  verdict: ParameterVerdict;
  pairs: number;
  pages: number;
  audits: number;
  /** The URL that showed that the parameter matters. */
  contradictedBy: { readonly id: number; readonly url: string } | null;
}

export type SpaceRecords = ReadonlyMap<string, ParameterRecord>;

/** The pages of a host with the same shape of path. */
export interface Space {
  readonly hostId: number;
  readonly host: string;
  readonly space: string;
}

export class ParameterRecords {
  readonly #set: WorkingSet;
  readonly #spaces = new Map<string, Map<string, ParameterRecord>>();
  /** How many more parameters each host may have. */
  readonly #room = new Map<number, number>();
  readonly #freeIds: number[] = [];
  readonly #opened = new Set<ParameterRecord>();
  readonly #changed = new Set<ParameterRecord>();

  constructor(set: WorkingSet) {
    this.#set = set;
  }

  async load(wanted: Iterable<Space>): Promise<void> {
    const { schema, session } = this.#set;
    const missing: Space[] = [];
    const hosts = new Map<number, string>();
    for (const place of wanted) {
      hosts.set(place.hostId, place.host);
      if (this.#spaces.has(nameOf(place))) continue;
      this.#spaces.set(nameOf(place), new Map());
      missing.push(place);
    }
    if (missing.length === 0) return;
    const rows = await session.all(
      `SELECT p.id, p.host_id, p.space, p.name, p.verdict, p.pairs, p.pages, p.audits, p.contradicted_by,
         (SELECT u.url FROM ${schema}.urls u WHERE u.id = p.contradicted_by) AS contradicted_url
       FROM unnest($1::bigint[], $2::text[]) AS w(host_id, space)
       JOIN ${schema}.parameters p ON p.host_id = w.host_id AND p.space = w.space`,
      [numbers(missing.map(({ hostId }) => hostId)), texts(missing.map(({ space }) => space))],
    );
    for (const { id, host_id, space, name, verdict, pairs, pages, audits, ...row } of rows) {
      const { contradicted_by, contradicted_url } = row;
      this.#keep({
        ...{ id, hostId: host_id, host: hosts.get(host_id)!, space, name, pairs, pages, audits },
        verdict: PARAMETER_VERDICTS[verdict]!,
        contradictedBy: contradicted_by && { id: contradicted_by, url: contradicted_url },
      });
    }
  }

  /** The parameters of a space that was loaded. */
  in(hostId: number, space: string): SpaceRecords {
    return this.#spaces.get(nameOf({ hostId, space }))!;
  }

  /** Reserves ids for this many new parameters of each host, up to the limit of the host. */
  async prepareToOpen(counts: ReadonlyMap<number, number>): Promise<void> {
    if (counts.size === 0) return;
    const { schema, session } = this.#set;
    for (const hostId of counts.keys()) this.#room.set(hostId, MAX_PARAMETERS_PER_HOST);
    const rows = await session.all(
      `SELECT host_id, count(*)::integer AS held FROM ${schema}.parameters WHERE host_id = ANY($1::bigint[]) GROUP BY host_id`,
      [numbers(counts.keys())],
    );
    for (const { host_id, held } of rows) this.#room.set(host_id, MAX_PARAMETERS_PER_HOST - held);
    let needed = 0;
    for (const [hostId, count] of counts) needed += Math.min(count, this.#room.get(hostId)!);
    if (needed === 0) return;
    const sql = `SELECT nextval('${schema}.parameter_ids') AS id FROM generate_series(1, $1)`;
    for (const { id } of await session.all(sql, [needed])) this.#freeIds.push(id);
  }

  /** Returns null if the host has reached its limit. */
  open(place: Space, name: string): ParameterRecord | null {
    const { hostId } = place;
    const room = this.#room.get(hostId) ?? 0;
    if (room <= 0 || this.#freeIds.length === 0) return null;
    this.#room.set(hostId, room - 1);
    const counts = { pairs: 0, pages: 0, audits: 0 };
    const id = this.#freeIds.shift()!;
    const record: ParameterRecord = { ...place, id, name, verdict: 'open', ...counts, contradictedBy: null };
    this.#opened.add(record);
    return this.#keep(record);
  }

  change(record: ParameterRecord, changes: Partial<ParameterRecord>): void {
    Object.assign(record, changes);
    if (!this.#opened.has(record)) this.#changed.add(record);
  }

  async write(): Promise<void> {
    const { schema, session } = this.#set;
    const [opened, changed] = [[...this.#opened], [...this.#changed]];
    this.#opened.clear();
    this.#changed.clear();
    const sent: Promise<unknown>[] = [];
    const columns = (records: readonly ParameterRecord[]) => [
      numbers(records.map(({ id }) => id)),
      numbers(records.map(({ verdict }) => PARAMETER_VERDICTS.indexOf(verdict))),
      numbers(records.map(({ pairs }) => pairs)),
      numbers(records.map(({ pages }) => pages)),
      numbers(records.map(({ audits }) => audits)),
      numbers(records.map(({ contradictedBy }) => contradictedBy?.id ?? null)),
    ];
    const lists = 'unnest($1::bigint[], $2::smallint[], $3::integer[], $4::integer[], $5::integer[], $6::bigint[]';
    if (opened.length > 0) {
      const sql = `INSERT INTO ${schema}.parameters
        (id, verdict, pairs, pages, audits, contradicted_by, host_id, space, name)
        SELECT * FROM ${lists}, $7::bigint[], $8::text[], $9::text[])`;
      const names = [texts(opened.map(({ space }) => space)), texts(opened.map(({ name }) => name))];
      sent.push(session.run(sql, [...columns(opened), numbers(opened.map(({ hostId }) => hostId)), ...names]));
    }
    if (changed.length > 0) {
      const sql = `UPDATE ${schema}.parameters p
        SET verdict = n.verdict, pairs = n.pairs, pages = n.pages, audits = n.audits, contradicted_by = n.contradicted_by
        FROM ${lists}) AS n(id, verdict, pairs, pages, audits, contradicted_by) WHERE p.id = n.id`;
      sent.push(session.run(sql, columns(changed)));
    }
    await Promise.all(sent);
  }

  #keep(record: ParameterRecord): ParameterRecord {
    this.#spaces.get(nameOf(record))!.set(record.name, record);
    return record;
  }
}

export function lessonOf(record: ParameterRecord): ParameterLesson {
  const { host, space, name, verdict, pairs, pages, audits, contradictedBy } = record;
  return { host, space, name, verdict, pairs, pages, audits, contradictedBy: contradictedBy?.url ?? null };
}

function nameOf({ hostId, space }: Pick<Space, 'hostId' | 'space'>): string {
  return `${hostId} ${space}`;
}
