/**
 * Opens the archive files of a copy for an export. In: a store and a place. Out: open files with their committed
 * lengths.
 *
 * What always holds: all files are open before the first byte is exported, because half an archive is worse than none,
 * and because an open file can be read to its end even if another process rewrites the archive meanwhile. Only the
 * committed bytes of a file count, because during a crawl the rest may end within a record.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { isArchiveFileName } from '../archive/archive-file.ts';
import { OrbweaverError } from '../core/errors.ts';
import { safeText } from '../core/text/readable.ts';
import { ArchiveFolders } from '../crawl/place/archive-folders.ts';
import { type CrawlPlace, placeAt, type Where } from '../crawl/place/crawl-place.ts';
import type { ArchivePlace, Store } from '../store/contract.ts';

const MOST_OWNERS = 5;

export interface OpenFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly handle: FileHandle;
}

/**
 * For a cluster, only the files that can be reached from here are opened. `tell` is called about the other files. The
 * caller closes the files.
 */
export async function openArchive(
  store: Store,
  where: Where,
  tell: (line: string) => void,
): Promise<readonly OpenFile[]> {
  const place = placeAt(where);
  const opened = (await openFiles(store, place)) ?? (await openFiles(store, place));
  if (opened === null) throw changedMeanwhile(place);
  for (const line of missingLines(opened.elsewhere)) tell(line);
  if (opened.elsewhere.length > 0 && opened.files.length === 0) {
    throw new OrbweaverError('ERR_ELSEWHERE', 'no archive file can be read here; name their folders with --archive');
  }
  return opened.files;
}

export function changedMeanwhile({ archives }: CrawlPlace): OrbweaverError {
  return new OrbweaverError(
    'ERR_ARCHIVE',
    `the archive files in ${archives.join(', ')} changed while they were opened; try again`,
  );
}

interface OpenedArchive {
  readonly files: readonly OpenFile[];
  /** Files on other machines, or in folders that the user did not name. */
  readonly elsewhere: readonly ArchivePlace[];
}

/** Null if a file disappeared after the store was asked, because the archive was rewritten meanwhile. */
async function openFiles(store: Store, place: CrawlPlace): Promise<OpenedArchive | null> {
  const files = [...(await store.archiveFiles())].filter(([, bytes]) => bytes > 0).sort(byName);
  const places = await store.archivePlaces();
  const folders = new ArchiveFolders(place);
  const opened: OpenFile[] = [];
  const elsewhere: ArchivePlace[] = [];
  try {
    for (const [name, bytes] of files) {
      // The file is copied without a check of its content, so at least its name must be right.
      if (!isArchiveFileName(name))
        throw new OrbweaverError('ERR_ARCHIVE', `${safeText(name)} is not the name of an archive file`);
      const path = join(folders.folderWith(name) ?? place.archives[0]!, name);
      const handle = await open(path, 'r').catch(() => null);
      if (handle === null && !(await store.archiveFiles()).has(name)) {
        await closeAll(opened);
        return null;
      }
      const its = places.get(name);
      if (handle === null && its !== undefined) {
        elsewhere.push(its);
        continue;
      }
      if (handle !== null) opened.push({ name, path, bytes, handle });
      const size = (await handle?.stat())?.size ?? 0;
      if (size < bytes) throw tooShort(path, size, bytes);
    }
    return { files: opened, elsewhere };
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

/** Builds one line for each folder of each machine. */
function missingLines(elsewhere: readonly ArchivePlace[]): string[] {
  const groups = Map.groupBy(elsewhere, ({ machine, folder }) => `on ${machine} in ${folder}`);
  return [...groups].map(([where, places]) => {
    const owners = [...new Set(places.map(({ owner }) => owner))];
    const more = owners.length > MOST_OWNERS ? ' and others' : '';
    const files = places.length === 1 ? '1 archive file is' : `${places.length} archive files are`;
    return safeText(`${files} left out: ${where}, written by ${owners.slice(0, MOST_OWNERS).join(', ')}${more}`);
  });
}

export async function closeAll(opened: readonly OpenFile[]): Promise<void> {
  for (const { handle } of opened) await handle.close();
}

function byName([left]: readonly [string, number], [right]: readonly [string, number]): number {
  return left < right ? -1 : 1;
}

function tooShort(path: string, size: number, committedBytes: number): OrbweaverError {
  return new OrbweaverError(
    'ERR_ARCHIVE',
    `${path} has ${size} of ${committedBytes} bytes; run "orbweaver crawl" on the folder to fetch the lost pages again`,
  );
}

/** The committed bytes of a file. */
export async function* committedBytes({ handle, path, bytes }: OpenFile): AsyncGenerator<Buffer> {
  try {
    yield* handle.createReadStream({ start: 0, end: bytes - 1, autoClose: false });
  } catch (error) {
    throw new OrbweaverError('ERR_ARCHIVE', `cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
}
