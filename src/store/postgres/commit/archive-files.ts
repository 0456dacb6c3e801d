/**
 * The archive files that commits name: how many bytes of each file are
 * valid, and on which machine and in which folder it lies.
 *
 * The partner for SQLite is store/sqlite/commit/write-page.ts; the
 * shared contract test is test/store/contract/commits.ts.
 */
import type { CommitBatch } from '../../contract.ts';
import { numbers, texts } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';

/** Runs inside a commit. Returns the ids of the batch's files by name. */
export async function writeFiles(
  session: Session,
  schema: string,
  { archive, archivePlace, owner }: Pick<CommitBatch, 'archive' | 'archivePlace' | 'owner'>,
): Promise<ReadonlyMap<string, number>> {
  if (archive.size === 0) return new Map();
  // A fixed order avoids a deadlock between two commits with the same files.
  const names = [...archive.keys()].sort();
  const rows = await session.all(
    `INSERT INTO ${schema}.archive_files AS f (id, name, bytes, owner, machine, folder)
     SELECT nextval('${schema}.file_ids'), n.name, n.bytes, $3, $4, $5 FROM unnest($1::text[], $2::bigint[]) AS n(name, bytes)
     ON CONFLICT (name) DO UPDATE SET bytes = greatest(f.bytes, excluded.bytes) RETURNING id, name`,
    [
      texts(names),
      numbers(names.map((name) => archive.get(name)!)),
      archivePlace ? owner : '',
      archivePlace?.machine ?? '',
      archivePlace?.folder ?? '',
    ],
  );
  return new Map(rows.map(({ id, name }) => [name, id]));
}
