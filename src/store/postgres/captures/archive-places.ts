/** Where archive files lie: which worker wrote them, on which machine and in which folder. */
import type { ArchivePlace } from '../../contract.ts';
import { texts } from '../connection/arrays.ts';
import type { Database } from '../connection/database.ts';

/** Returns the files with a known place, from the given files or from all files. */
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
