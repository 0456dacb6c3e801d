/** The archive as one file, and its index. */
import { createReadStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { cdxjLine } from '../archive/cdxj.ts';
import { surt } from '../archive/surt.ts';
import { OrbweaverError } from '../core/errors.ts';
import { ARCHIVE_FOLDER } from '../crawl/data-folder.ts';
import type { Store } from '../store/contract.ts';

const CHUNK_CHARS = 65_536;

/**
 * All archive files in a row: WARC files put together are a WARC file. Of each exactly what is committed; beside a running
 * crawl the rest may end within a record.
 */
export async function* warcBytes(store: Store, dir: string): AsyncGenerator<Buffer> {
  const files = [...(await store.archiveFiles())].filter(([, bytes]) => bytes > 0).sort(byName);
  const paths = files.map(([name, bytes]) => wholePath(join(dir, ARCHIVE_FOLDER, name), bytes));
  for (const [index, [, bytes]] of files.entries()) yield* readStart(paths[index]!, bytes);
}

function byName([left]: readonly [string, number], [right]: readonly [string, number]): number {
  return left < right ? -1 : 1;
}

/** Checked before the first byte is written: half an archive is worse than none. */
function wholePath(path: string, committedBytes: number): string {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size >= committedBytes) return path;
  throw new OrbweaverError(
    'ERR_ARCHIVE',
    `${path} has ${size} of ${committedBytes} bytes; run "orbweaver crawl" on the folder to fetch again what is lost`,
  );
}

async function* readStart(path: string, bytes: number): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { end: bytes - 1 });
  } catch (error) {
    throw new OrbweaverError('ERR_ARCHIVE', `cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Sorted by the store. File names and offsets are those of the data folder's archive, not of an exported WARC. */
export async function* cdxjLines(store: Store): AsyncGenerator<string> {
  let chunk = '';
  let alike: string[] = [];
  for await (const capture of store.captures(surt)) {
    const line = `${cdxjLine({ ...capture, mime: capture.contentType })}\n`;
    // The store knows keys and times; lines that share both are put into byte order here.
    if (alike.length > 0 && keyAndTime(alike[0]!) !== keyAndTime(line)) {
      chunk += alike.sort(byBytes).join('');
      alike = [];
    }
    alike.push(line);
    if (chunk.length < CHUNK_CHARS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk + alike.sort(byBytes).join('');
}

function keyAndTime(line: string): string {
  return line.slice(0, line.indexOf(' {'));
}

function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
