/**
 * The fetched pages with parameters that are or may one day be ignored, each under the URL that stands for it now. Two
 * pages under one URL with different contents contradict a lesson, however far apart they were fetched.
 *
 * The partner for PostgreSQL is store/postgres/learning/variant-pages.ts;
 * the shared contract test is test/store/contract/parameters/contradictions.ts.
 */
import { baseKey, type FetchedPage } from '../../rules/parameter-rules.ts';
import { TableAccess } from '../table-access.ts';

interface PageRow {
  readonly id: number;
  readonly url: string;
  readonly digest: Uint8Array;
  readonly reduced: Uint8Array;
}

const ROWS = `SELECT v.url_id AS id, u.url, v.digest, v.reduced FROM variant_pages v JOIN urls u ON u.id = v.url_id
  WHERE v.host_id = ? AND v.space = ?`;
/** Pages under one URL that a further page is compared with. */
const MAX_COMPARED = 64;

export class VariantPages extends TableAccess {
  readonly #add = this.db.prepare('INSERT OR REPLACE INTO variant_pages VALUES (?, ?, ?, ?, ?)');
  readonly #under = this.db.prepare(`${ROWS} AND v.reduced = ? LIMIT ${MAX_COMPARED}`);
  readonly #all = this.db.prepare(ROWS);
  readonly #drop = this.db.prepare(
    'DELETE FROM variant_pages WHERE host_id = ? AND space = ? AND reduced = ? AND url_id = ?',
  );

  /** `reduced`: the URL that stands for the page. */
  add(hostId: number, space: string, { id, digest }: FetchedPage, reduced: string): void {
    this.#add.run(hostId, keyOf(space), keyOf(reduced), id, Buffer.from(digest!, 'hex'));
  }

  under(hostId: number, space: string, reduced: string): FetchedPage[] {
    return (this.#under.all(hostId, keyOf(space), keyOf(reduced)) as unknown as PageRow[]).map(toPage);
  }

  *all(hostId: number, space: string): Generator<FetchedPage> {
    for (const row of this.#all.iterate(hostId, keyOf(space))) yield toPage(row as unknown as PageRow);
  }

  /** Puts the pages of a space under the URLs that stand for them now. */
  regroup(hostId: number, space: string, reducedOf: (url: string) => string): void {
    const rows = this.#all.all(hostId, keyOf(space)) as unknown as PageRow[];
    for (const row of rows) {
      const reduced = reducedOf(row.url);
      if (keyOf(reduced).equals(row.reduced)) continue;
      this.#drop.run(hostId, keyOf(space), row.reduced, row.id);
      this.add(hostId, space, toPage(row), reduced);
    }
  }
}

function toPage({ id, url, digest }: PageRow): FetchedPage {
  return { id, url, digest: Buffer.from(digest).toString('hex') };
}

function keyOf(text: string): Buffer {
  return Buffer.from(baseKey(text), 'hex');
}
