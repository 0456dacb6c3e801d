/** Exports the archive as one WARC file, and its index as CDXJ. */
import { cdxjLine, surt } from '../../archive/cdxj.ts';
import type { Where } from '../../crawl/place/crawl-place.ts';
import type { CaptureRecord, Store } from '../../store/contract.ts';
import { closeAll, committedBytes, openArchive } from '../open-archive.ts';

const CHUNK_CHARS = 65_536;

/** Concatenates all archive files: concatenated WARC files are a WARC file. */
export async function* warcBytes(
  store: Store,
  where: Where,
  tell: (line: string) => void = () => {},
): AsyncGenerator<Buffer> {
  const files = await openArchive(store, where, tell);
  try {
    for (const file of files) yield* committedBytes(file);
  } finally {
    await closeAll(files);
  }
}

/**
 * The lines come sorted from the store. File names and offsets are those of the data folder's archive,
 * not of an exported WARC file. Responses that are known to be damaged are left out, since a reader of
 * the index would look for them.
 */
export async function* cdxjLines(store: Store, warn: (line: string) => void): AsyncGenerator<string> {
  let chunk = '';
  for await (const line of indexLines(store, warn)) {
    chunk += line;
    if (chunk.length < CHUNK_CHARS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

/** The same, line by line, with the line ends. Only captures that are wanted have a line. */
export async function* indexLines(
  store: Store,
  warn: (line: string) => void,
  isWanted: (capture: CaptureRecord) => boolean = () => true,
): AsyncGenerator<string> {
  let damaged = 0;
  let alike: string[] = [];
  for await (const capture of store.captures(surt)) {
    if (capture.damage !== undefined) damaged++;
    if (capture.damage !== undefined || !isWanted(capture)) continue;
    const line = `${cdxjLine({ ...capture, mime: capture.contentType })}\n`;
    // The store sorts by key and time. Lines with equal key and time are put into byte order here.
    if (alike.length > 0 && keyAndTime(alike[0]!) !== keyAndTime(line)) {
      yield* alike.sort(byBytes);
      alike = [];
    }
    alike.push(line);
  }
  yield* alike.sort(byBytes);
  if (damaged > 0) warn(`${damaged} responses are damaged in the archive and were left out (orbweaver verify)`);
}

export function keyAndTime(line: string): string {
  return line.slice(0, line.indexOf(' {'));
}

function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
