/** Where archive files lie: which worker wrote them, on which machine and in which folder. */
import type { ArchivePlace } from '../contract.ts';
import { texts } from './arrays.ts';
import type { Database } from './database.ts';

/** Those whose place is known, of these or of all. */
export async function readArchivePlaces(
  db: Pick<Database, 'all' | 'schema'>,
  files?: readonly string[],
): Promise<ReadonlyMap<string, ArchivePlace>> {
  const wanted = files === undefined ? '' : 'AND name = ANY ($1::text[])';
  const rows = await db.all<ArchivePlace & { readonly name: string }>(
    `SELECT name, owner, machine, folder FROM ${db.schema}.archive_files WHERE machine <> '' ${wanted}`,
    files === undefined ? [] : [texts(files)],
  );
  return new Map(rows.map(({ name, owner, machine, folder }) => [name, { owner, machine, folder }]));
}
