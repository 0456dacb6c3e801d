/** The archive's files, as commits tell of them: how far each is valid, and on which machine, in which folder it lies. */
import type { CommitBatch } from '../contract.ts';
import { numbers, texts } from './arrays.ts';
import type { Session } from './database.ts';

/** Inside a commit. Returns the ids of its files by their names. */
export async function writeFiles(
  session: Session,
  schema: string,
  { archive, archivePlace, owner }: Pick<CommitBatch, 'archive' | 'archivePlace' | 'owner'>,
): Promise<ReadonlyMap<string, number>> {
  if (archive.size === 0) return new Map();
  // In one order, or two commits with the same files would wait for each other.
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
