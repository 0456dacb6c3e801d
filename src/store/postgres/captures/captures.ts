/**
 * The calls about captures: those of one URL, all in the order of an index, and the retention, move and damage calls.
 *
 * The shared contract tests are test/store/contract/reading.ts, retention.ts and damage.ts.
 */
import { type ArchivePlace, type CaptureRecord, type Store, URL_STATES } from '../../contract.ts';
import { CAPTURE, type CaptureRow, DAMAGE, DAMAGE_KEY, toCapture } from '../../records/record-rows.ts';
import { forgetCaptures } from '../commit/forget.ts';
import { texts } from '../connection/arrays.ts';
import type { Engine } from '../engine.ts';
import { IS_ALIVE } from '../leases/lease-conditions.ts';
import { ArchiveMoves } from './archive-moves.ts';
import { DamageBook, isSound } from './damage.ts';
import { Retention } from './retention.ts';
import { byteOrder, type Keyed, sortOnDisk } from './sort-on-disk.ts';

const PAGE_STATES = [URL_STATES.indexOf('fetched'), URL_STATES.indexOf('duplicate')].join();
/** Rows that one statement reads. */
const AT_ONCE = 5_000;

type UrlCapture = CaptureRecord & { readonly url: string };

export class CaptureCalls
  implements
    Pick<
      Store,
      | 'capturesOf'
      | 'captures'
      | 'payloads'
      | 'archivePlaces'
      | 'archiveFiles'
      | 'forgetCaptures'
      | 'superfluousCaptures'
      | 'dropCaptures'
      | 'wastefulFiles'
      | 'revisitsAlone'
      | 'capturesIn'
      | 'moveCaptures'
      | 'payloadPlace'
      | 'captureFacts'
      | 'capturesWith'
      | 'sampleCaptures'
      | 'tableProblems'
      | 'markDamaged'
      | 'damagedCaptures'
    >
{
  readonly #engine: Engine;
  readonly #retention: Retention;
  readonly #moves: ArchiveMoves;
  readonly #damage: DamageBook;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#retention = new Retention(engine);
    this.#moves = new ArchiveMoves(engine);
    this.#damage = new DamageBook(engine);
  }

  async capturesOf(host: string, key: string, upToMs: number, limit: number): Promise<readonly CaptureRecord[]> {
    const { db } = this.#engine;
    const rows = await db.all<CaptureRow>(
      `SELECT ${CAPTURE}, ${DAMAGE} FROM ${db.schema}.hosts h JOIN ${db.schema}.urls u ON u.host_id = h.id
       JOIN ${db.schema}.captures c ON c.url_id = u.id JOIN ${db.schema}.archive_files f ON f.id = c.file_id
       LEFT JOIN ${db.schema}.damaged_captures d ON ${DAMAGE_KEY}
       WHERE h.host = $1 AND u.key = $2::uuid AND c.fetched_at <= $3
       ORDER BY c.fetched_at DESC LIMIT $4`,
      [host, key, Math.floor(upToMs), limit],
    );
    return rows.map(toCapture);
  }

  /** The captures are sorted in this process, because the server does not know the sort key. */
  async *captures(sortKey: (url: string) => string): AsyncGenerator<UrlCapture> {
    yield* sortOnDisk(this.#inAnyOrder(sortKey));
  }

  async *#inAnyOrder(sortKey: (url: string) => string): AsyncGenerator<Keyed<UrlCapture>> {
    const { db } = this.#engine;
    for (let [id, timeMs] = [0, 0]; ; ) {
      const rows = await db.all<CaptureRow & { url: string; url_id: number }>(
        `SELECT u.url, c.url_id, ${CAPTURE}, ${DAMAGE} FROM ${db.schema}.captures c
         JOIN ${db.schema}.urls u ON u.id = c.url_id JOIN ${db.schema}.archive_files f ON f.id = c.file_id
         LEFT JOIN ${db.schema}.damaged_captures d ON ${DAMAGE_KEY}
         WHERE (c.url_id, c.fetched_at) > ($1, $2) ORDER BY c.url_id, c.fetched_at LIMIT $3`,
        [id, timeMs, AT_ONCE],
      );
      for (const row of rows) {
        const key = `${byteOrder(sortKey(row.url))}\0${String(row.fetched_at).padStart(16, '0')}`;
        yield { key, item: { url: row.url, ...toCapture(row) } };
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < AT_ONCE) break;
      [id, timeMs] = [last.url_id, last.fetched_at];
    }
  }

  async payloads(limit: number): Promise<readonly UrlCapture[]> {
    const { db } = this.#engine;
    const rows = await db.all<CaptureRow & { url: string }>(
      `SELECT u.url, ${CAPTURE} FROM ${db.schema}.captures c JOIN ${db.schema}.urls u ON u.id = c.url_id
       JOIN ${db.schema}.archive_files f ON f.id = c.file_id
       WHERE NOT c.revisit AND u.state IN (${PAGE_STATES}) AND u.reason IS DISTINCT FROM 'body-too-large'
         AND ${isSound(db.schema)}
       ORDER BY c.url_id DESC, c.fetched_at DESC LIMIT $1`,
      [limit],
    );
    return rows.map((row) => ({ url: row.url, ...toCapture(row) }));
  }

  async archivePlaces(files?: readonly string[]): Promise<ReadonlyMap<string, ArchivePlace>> {
    const { db } = this.#engine;
    const wanted = files === undefined ? '' : 'AND f.name = ANY ($1::text[])';
    const rows = await db.all<ArchivePlace & { readonly name: string; readonly serves: string | null }>(
      `SELECT f.name, f.owner, f.machine, f.folder, w.serves FROM ${db.schema}.archive_files f
       LEFT JOIN (
         SELECT DISTINCT ON (machine, archive_dir) machine, archive_dir, news->>'serves' AS serves
         FROM ${db.schema}.workers WHERE news->>'serves' IS NOT NULL AND ${IS_ALIVE}
         ORDER BY machine, archive_dir, beat_at DESC
       ) w ON w.machine = f.machine AND w.archive_dir = f.folder
       WHERE f.machine <> '' ${wanted}`,
      files === undefined ? [] : [texts(files)],
    );
    return new Map(rows.map(({ name, owner, machine, folder, serves }) => [name, { owner, machine, folder, serves }]));
  }

  async archiveFiles(): Promise<ReadonlyMap<string, number>> {
    const { db } = this.#engine;
    const rows = await db.all(`SELECT name, bytes FROM ${db.schema}.archive_files`);
    return new Map(rows.map(({ name, bytes }) => [name, bytes]));
  }

  readonly forgetCaptures: Store['forgetCaptures'] = (...given) => forgetCaptures(this.#engine, ...given);
  readonly superfluousCaptures: Store['superfluousCaptures'] = (...given) => this.#retention.superfluous(...given);
  readonly dropCaptures: Store['dropCaptures'] = (...given) => this.#retention.drop(...given);
  readonly wastefulFiles: Store['wastefulFiles'] = (...given) => this.#moves.wasteful(...given);
  readonly revisitsAlone: Store['revisitsAlone'] = (...given) => this.#moves.revisitsAlone(...given);
  readonly capturesIn: Store['capturesIn'] = (...given) => this.#moves.capturesIn(...given);
  readonly moveCaptures: Store['moveCaptures'] = (...given) => this.#moves.move(...given);
  readonly payloadPlace: Store['payloadPlace'] = (...given) => this.#moves.payloadPlace(...given);
  readonly captureFacts: Store['captureFacts'] = (...given) => this.#damage.facts(...given);
  readonly capturesWith: Store['capturesWith'] = (...given) => this.#damage.capturesWith(...given);
  readonly sampleCaptures: Store['sampleCaptures'] = (...given) => this.#damage.sample(...given);
  readonly tableProblems: Store['tableProblems'] = (...given) => this.#damage.tableProblems(...given);
  readonly markDamaged: Store['markDamaged'] = (...given) => this.#damage.mark(...given);
  readonly damagedCaptures: Store['damagedCaptures'] = (...given) => this.#damage.count(...given);
}
