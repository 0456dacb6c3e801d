/**
 * Exports the copy as one WACZ file (WACZ 1.1.1): the archive files, their index and the list of pages in a ZIP file
 * that replay tools open as it is.
 *
 * What always holds: index and pages name only responses within the exported bytes, so a copy can be exported while it
 * is crawled. The same copy gives the same file: all times in it are times of responses. Memory does not grow with the
 * copy: index and pages are in temporary files until their digests are known.
 */
import { hash } from 'node:crypto';
import { crc32, gzipSync } from 'node:zlib';
import { targetUri } from '../../archive/target-uri.ts';
import { type ZipEntry, ZipStream } from '../../archive/zip-stream.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { VERSION } from '../../core/options/options.ts';
import { safeJson } from '../../core/text/readable.ts';
import { placeAt, type Where } from '../../crawl/place/crawl-place.ts';
import type { CaptureRecord, Store, UrlRecord } from '../../store/contract.ts';
import { inBatches } from '../../store/read-in-batches.ts';
import { changedMeanwhile, closeAll, committedBytes, type OpenFile, openArchive } from '../open-archive.ts';
import { ContentSums, SpoolFile } from '../spool-file.ts';
import { indexLines, keyAndTime } from './export-archive.ts';

const WACZ_VERSION = '1.1.1';
/** Lines in one block of the compressed index, as in other tools. */
const LINES_PER_BLOCK = 1_024;
const ROWS_PER_READ = 200;
const ID_DIGITS = 32;
const PAGE_TYPES: readonly string[] = ['text/html', 'application/xhtml+xml'];

/** One file of the package, as datapackage.json lists it. */
interface Resource {
  readonly name: string;
  readonly path: string;
  readonly hash: string;
  readonly bytes: number;
}

export async function* waczBytes(
  store: Store,
  where: Where,
  tell: (line: string) => void = () => {},
): AsyncGenerator<Buffer> {
  const listed = (await listArchive(store, where, tell)) ?? (await listArchive(store, where, tell));
  if (listed === null) throw changedMeanwhile(placeAt(where));
  const { files, spools, newestMs, main } = listed;
  try {
    const zip = new ZipStream(newestMs);
    const resources: Resource[] = [];
    for (const [path, spool] of spools) {
      const { sums } = spool;
      resources.push(resourceOf(path, sums));
      yield* zip.entry({ name: path, bytes: sums.bytes, crc: sums.crc, content: spool.content() });
    }
    for (const file of files) {
      const sums = new ContentSums();
      // The checksum comes before the content, so the file is read twice. The second time it is mostly in memory.
      for await (const chunk of committedBytes(file)) sums.add(chunk);
      const path = `archive/${file.name}`;
      resources.push(resourceOf(path, sums));
      yield* zip.entry({ name: path, bytes: sums.bytes, crc: sums.crc, content: committedBytes(file) });
    }
    const about = jsonBytes(describePackage(resources, newestMs, main));
    yield* zip.entry(textEntry('datapackage.json', about));
    const digest = { path: 'datapackage.json', hash: `sha256:${hash('sha256', about, 'hex')}` };
    yield* zip.entry(textEntry('datapackage-digest.json', jsonBytes(digest)));
    yield* zip.end();
  } finally {
    await closeListed(listed);
  }
}

interface ListedArchive {
  readonly files: readonly OpenFile[];
  /** The index and the lists of pages, by their paths in the package. */
  readonly spools: ReadonlyMap<string, SpoolFile>;
  /** The time of the newest response. */
  readonly newestMs: number;
  /** The page to begin with: the first seed that has a page. */
  readonly main: UrlRecord | null;
}

async function closeListed({ files, spools }: Pick<ListedArchive, 'files' | 'spools'>): Promise<void> {
  await closeAll(files);
  for (const spool of spools.values()) await spool.close();
}

/** Null if a file was removed meanwhile: then the index names its new place, which is not among the open files. */
async function listArchive(store: Store, where: Where, tell: (line: string) => void): Promise<ListedArchive | null> {
  const files = await openArchive(store, where, tell);
  const spools = new Map<string, SpoolFile>();
  try {
    if (files.length === 0) throw nothingToExport();
    const lengths = new Map(files.map(({ name, bytes }) => [name, bytes]));
    const isHere = ({ file, offset, length }: CaptureRecord) => offset + length <= (lengths.get(file) ?? 0);
    for (const path of [DATA, INDEX, PAGES, EXTRA_PAGES]) spools.set(path, await SpoolFile.create());
    const { newestMs, left } = await spoolIndex(store, spools, tell, isHere);
    const main = await spoolPages(store, spools, isHere);
    const now = await store.archiveFiles();
    if (files.some(({ name }) => !now.has(name))) {
      await closeListed({ files, spools });
      return null;
    }
    if (left > 0) {
      const responses = left === 1 ? '1 response is' : `${left} responses are`;
      tell(`${responses} left out: not in the archive files here, or fetched while the export began`);
    }
    return { files, spools, newestMs, main };
  } catch (error) {
    await closeListed({ files, spools });
    throw error;
  }
}

const DATA = 'indexes/index.cdx.gz';
const INDEX = 'indexes/index.idx';
const PAGES = 'pages/pages.jsonl';
const EXTRA_PAGES = 'pages/extraPages.jsonl';

/**
 * Writes the index in the form "zipnum": blocks of lines, each a gzip member, and a second file with the first key and
 * the place of each block.
 */
async function spoolIndex(
  store: Store,
  spools: ReadonlyMap<string, SpoolFile>,
  tell: (line: string) => void,
  isHere: (capture: CaptureRecord) => boolean,
): Promise<{ newestMs: number; left: number }> {
  const [data, index] = [spools.get(DATA)!, spools.get(INDEX)!];
  let [newestMs, left] = [0, 0];
  const isWanted = (capture: CaptureRecord): boolean => {
    const isWithin = isHere(capture);
    if (isWithin) newestMs = Math.max(newestMs, capture.fetchedAtMs);
    else left++;
    return isWithin;
  };
  await index.write(Buffer.from('!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n'));
  let block: string[] = [];
  const flush = async (): Promise<void> => {
    if (block.length === 0) return;
    const member = gzipSync(block.join(''));
    const digest = `sha256:${hash('sha256', member, 'hex')}`;
    const place = `{"offset": ${data.sums.bytes}, "length": ${member.length}, "digest": "${digest}"}`;
    await index.write(Buffer.from(`${keyAndTime(block[0]!)} ${place}\n`));
    await data.write(member);
    block = [];
  };
  for await (const line of indexLines(store, tell, isWanted)) {
    block.push(line);
    if (block.length === LINES_PER_BLOCK) await flush();
  }
  await flush();
  return { newestMs, left };
}

/** Lists the HTML pages: the seeds in one file, all others in the second. Returns the first seed that has a page. */
async function spoolPages(
  store: Store,
  spools: ReadonlyMap<string, SpoolFile>,
  isHere: (capture: CaptureRecord) => boolean,
): Promise<UrlRecord | null> {
  const [pages, extra] = [spools.get(PAGES)!, spools.get(EXTRA_PAGES)!];
  const head = (id: string, title: string) => Buffer.from(`${safeJson({ format: 'json-pages-1.0', id, title })}\n`);
  await pages.write(head('pages', 'Seeds'));
  await extra.write(head('extra-pages', 'All other pages'));
  let main: UrlRecord | null = null;
  for await (const records of inBatches((after, limit) => store.urls(after, limit), ROWS_PER_READ)) {
    for (const record of records) {
      const { url, depth, digest, title, capture } = record;
      if (digest === '' || capture === null || capture.damage !== undefined) continue;
      if (!PAGE_TYPES.includes(capture.contentType) || !isHere(capture)) continue;
      const isSeed = depth === 0;
      if (isSeed) main ??= record;
      const named = title === '' ? {} : { title };
      const page = {
        id: hash('sha256', url, 'hex').slice(0, ID_DIGITS),
        url: targetUri(url),
        ts: isoTime(capture.fetchedAtMs),
        ...named,
      };
      await (isSeed ? pages : extra).write(Buffer.from(`${safeJson(page)}\n`));
    }
  }
  return main;
}

function describePackage(resources: readonly Resource[], newestMs: number, main: UrlRecord | null): object {
  return {
    profile: 'data-package',
    resources,
    wacz_version: WACZ_VERSION,
    ...(main && { mainPageUrl: targetUri(main.url), mainPageDate: isoTime(main.capture!.fetchedAtMs) }),
    ...(main && main.title !== '' && { title: main.title }),
    created: isoTime(newestMs),
    software: `Orbweaver/${VERSION}`,
  };
}

function resourceOf(path: string, sums: ContentSums): Resource {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return { name, path, hash: sums.digest(), bytes: sums.bytes };
}

function textEntry(name: string, bytes: Buffer): ZipEntry {
  return { name, bytes: bytes.length, crc: crc32(bytes), content: [bytes] };
}

function jsonBytes(value: object): Buffer {
  return Buffer.from(`${safeJson(value)}\n`);
}

function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

function nothingToExport(): OrbweaverError {
  return new OrbweaverError('ERR_NOT_IN_COPY', 'the copy has no archived response yet, so there is nothing to export');
}
