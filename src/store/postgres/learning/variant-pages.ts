/**
 * The fetched pages with parameters that are or may one day be ignored, each under the URL that stands for it now, for
 * one transaction. Two pages under one URL with different contents contradict a lesson, however far apart they were
 * fetched.
 *
 * The partner for SQLite is store/sqlite/learning/variant-pages.ts;
 * the shared contract test is test/store/contract/parameters/contradictions.ts.
 */
import { baseKey, type FetchedPage } from '../../rules/parameter-rules.ts';
import { bytes, numbers } from '../connection/arrays.ts';
import type { WorkingSet } from '../rows/working-set.ts';

/** Pages of a space that are read at once. */
const AT_ONCE = 5_000;
/** Pages under one URL that a further page is compared with. */
const MAX_COMPARED = 64;

/** The pages under one URL. */
export interface VariantGroup {
  readonly hostId: number;
  readonly space: string;
  /** The URL that stands for the pages. */
  readonly reduced: string;
}

interface NewPage extends VariantGroup {
  readonly page: FetchedPage;
}

interface PageRow extends Record<string, unknown> {
  readonly id: number;
  readonly url: string;
  readonly digest: string;
  readonly reduced: string;
}

const COLUMNS = `v.url_id AS id, u.url, encode(v.digest, 'hex') AS digest, encode(v.reduced, 'hex') AS reduced`;

export class VariantPages {
  readonly #set: WorkingSet;
  readonly #groups = new Map<string, FetchedPage[]>();
  #added: NewPage[] = [];

  constructor(set: WorkingSet) {
    this.#set = set;
  }

  /** Reads the pages of groups that will be needed. */
  async load(wanted: Iterable<VariantGroup>): Promise<void> {
    const { session, schema } = this.#set;
    const missing = new Map<string, VariantGroup>();
    for (const group of wanted) if (!this.#groups.has(nameOf(group))) missing.set(nameOf(group), group);
    if (missing.size === 0) return;
    const groups = [...missing.values()];
    const rows = await session.all<PageRow & { n: number }>(
      `SELECT g.n, o.* FROM unnest($1::bigint[], $2::bytea[], $3::bytea[]) WITH ORDINALITY AS g(host_id, space, reduced, n),
         LATERAL (SELECT ${COLUMNS} FROM ${schema}.variant_pages v JOIN ${schema}.urls u ON u.id = v.url_id
           WHERE v.host_id = g.host_id AND v.space = g.space AND v.reduced = g.reduced LIMIT ${MAX_COMPARED}) o`,
      keysOf(groups),
    );
    const read = Map.groupBy(rows, ({ n }) => nameOf(groups[n - 1]!));
    for (const name of missing.keys()) {
      const added = this.#added.filter((each) => nameOf(each) === name).map(({ page }) => page);
      this.#groups.set(name, [...(read.get(name) ?? []), ...added]);
    }
  }

  async under(group: VariantGroup): Promise<readonly FetchedPage[]> {
    await this.load([group]);
    return this.#groups.get(nameOf(group))!;
  }

  add(group: VariantGroup, page: FetchedPage): void {
    this.#added.push({ ...group, page });
    this.#groups.get(nameOf(group))?.push(page);
  }

  /** All pages of a space, in batches. */
  async *all(hostId: number, space: string): AsyncGenerator<readonly PageRow[]> {
    await this.write();
    const { session, schema } = this.#set;
    for (let last = { reduced: '', id: 0 }; ; ) {
      const rows: readonly PageRow[] = await session.all<PageRow>(
        `SELECT ${COLUMNS} FROM ${schema}.variant_pages v JOIN ${schema}.urls u ON u.id = v.url_id
         WHERE v.host_id = $1 AND v.space = decode($2, 'hex') AND (v.reduced, v.url_id) > (decode($3, 'hex'), $4)
         ORDER BY v.reduced, v.url_id LIMIT ${AT_ONCE}`,
        [hostId, baseKey(space), last.reduced, last.id],
      );
      yield rows;
      if (rows.length < AT_ONCE) return;
      last = rows.at(-1)!;
    }
  }

  /** Puts the pages of a space under the URLs that stand for them now. */
  async regroup(hostId: number, space: string, reducedOf: (url: string) => string): Promise<void> {
    const { session, schema } = this.#set;
    const moved: PageRow[] = [];
    for await (const rows of this.all(hostId, space)) {
      moved.push(...rows.filter(({ url, reduced }) => baseKey(reducedOf(url)) !== reduced));
    }
    this.#groups.clear();
    if (moved.length === 0) return;
    await session.run(
      `UPDATE ${schema}.variant_pages v SET reduced = n.reduced FROM unnest($3::bigint[], $4::bytea[]) AS n(id, reduced)
       WHERE v.host_id = $1 AND v.space = decode($2, 'hex') AND v.url_id = n.id`,
      [
        hostId,
        baseKey(space),
        numbers(moved.map(({ id }) => id)),
        bytes(moved.map(({ url }) => Buffer.from(baseKey(reducedOf(url)), 'hex'))),
      ],
    );
  }

  async write(): Promise<void> {
    const added = this.#added;
    if (added.length === 0) return;
    this.#added = [];
    await this.#set.session.run(
      `INSERT INTO ${this.#set.schema}.variant_pages (host_id, space, reduced, url_id, digest)
       SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bytea[]) ON CONFLICT DO NOTHING`,
      [
        ...keysOf(added),
        numbers(added.map(({ page }) => page.id)),
        bytes(added.map(({ page }) => Buffer.from(page.digest!, 'hex'))),
      ],
    );
  }
}

function nameOf({ hostId, space, reduced }: VariantGroup): string {
  return `${hostId} ${space} ${reduced}`;
}

function keysOf(groups: readonly VariantGroup[]): string[] {
  return [
    numbers(groups.map(({ hostId }) => hostId)),
    bytes(groups.map(({ space }) => Buffer.from(baseKey(space), 'hex'))),
    bytes(groups.map(({ reduced }) => Buffer.from(baseKey(reduced), 'hex'))),
  ];
}
