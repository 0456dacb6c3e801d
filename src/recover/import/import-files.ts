/**
 * Imports the responses of WARC files of other tools into archive files of the copy. In: files. Out: counts and new
 * archive files, which are then added to the copy like any other archive file that the database does not know. What
 * always holds: the input files are only read. A response that the copy already has is not written again. Everything in
 * a file is hostile input and never becomes a path.
 *
 * Responses are written in our own form (docs/archive.md), not copied byte for byte: without transfer coding, one gzip
 * member per record, with correct lengths and digests. Every command therefore reads them like pages of a crawl. A
 * metadata record names the source file and the source record.
 */
import { existsSync, globSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { HttpExchange } from '../../archive/exchange-records.ts';
import { DIGEST_PREFIX, sha1Base32 } from '../../archive/sha1-base32.ts';
import { type Capture, type CaptureAddress, readCapture, readRefersTo } from '../../archive/warc-reader.ts';
import { ArchiveWriter, type ConfirmedCapture } from '../../archive/warc-writer.ts';
import type { Clock } from '../../core/clock.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { publish } from '../../core/events.ts';
import { type CrawlOptions, VERSION } from '../../core/options/options.ts';
import { normalizerFor } from '../../crawl/links/link-forms.ts';
import type { CrawlInfo } from '../../crawl/mending/crawl-identity.ts';
import type { Store } from '../../store/contract.ts';
import type { RecordIndex } from '../record-index.ts';
import type { LeftOut } from './foreign-exchange.ts';
import { ForeignFile, type FromFile } from './foreign-file.ts';
import { count, type ImportCounts, noCounts } from './import-counts.ts';
import { KnownAnswers } from './known-answers.ts';
import { plainPieces } from './plain-bytes.ts';
import type { ForeignRecord } from './record-parser.ts';

export interface ImportSetup {
  readonly archiveDir: string;
  readonly index: RecordIndex;
  readonly store: Pick<Store, 'capturesOf' | 'payloadPlace'>;
  readonly options: CrawlOptions;
  readonly about: CrawlInfo;
  readonly clock: Clock;
  readonly isStopped: () => boolean;
  readonly onProgress: (records: number) => void;
}

/** Takes the place of a unit name. */
const UNIT = 'import';
const PROFILE_NOT_MODIFIED = /server-not-modified\/?$/;

/** Returns null if the import was stopped. */
export async function importWarcFiles(files: readonly string[], setup: ImportSetup): Promise<ImportCounts | null> {
  const importer = new Importer(setup);
  try {
    return await importer.run(files);
  } finally {
    await importer.close();
  }
}

class Importer {
  readonly #setup: ImportSetup;
  readonly #writer: ArchiveWriter;
  readonly #knownAnswers: KnownAnswers;
  readonly #counts = noCounts();
  readonly #rules: { normalizer: ReturnType<typeof normalizerFor>; maxUrlLength: number; nowMs: number };
  #records = 0;

  constructor(setup: ImportSetup) {
    this.#setup = setup;
    const { archiveDir, index, store, options, about, clock } = setup;
    this.#knownAnswers = new KnownAnswers(archiveDir, index, store);
    this.#rules = { normalizer: normalizerFor(options), maxUrlLength: options.maxUrlLength, nowMs: clock.now() };
    this.#writer = new ArchiveWriter({
      dir: archiveDir,
      unit: UNIT,
      maxFileBytes: options.archiveFile,
      software: `Orbweaver/${VERSION}`,
      userAgent: '',
      about,
      clock,
    });
  }

  async run(files: readonly string[]): Promise<ImportCounts | null> {
    // A killed import may have stored names of records that were never written.
    this.#setup.index.forgetOrigins();
    const again: string[] = [];
    for (const path of files) {
      if (this.#setup.isStopped()) return null;
      const unresolved = await this.#readFile(path, false);
      if (unresolved > 0) again.push(path);
    }
    // A revisit may come before the response that it refers to, or be in another file.
    for (const path of again) {
      if (this.#setup.isStopped()) return null;
      await this.#readFile(path, true);
    }
    return this.#setup.isStopped() ? null : this.#counts;
  }

  close(): Promise<void> {
    return this.#writer.close();
  }

  /** Returns the number of revisits whose response has not been found yet. */
  async #readFile(path: string, isSecondTime: boolean): Promise<number> {
    const reader = new ForeignFile(path, this.#rules, isSecondTime ? noCounts() : this.#counts);
    let unresolved = 0;
    try {
      for await (const piece of plainPieces(path)) {
        if (this.#setup.isStopped()) return 0;
        for (const each of reader.take(piece)) {
          this.#setup.onProgress(++this.#records);
          if (each.answer.kind === 'revisit') unresolved += (await this.#addRevisit(each, isSecondTime)) ? 0 : 1;
          else if (!isSecondTime) await this.#add(each, each.answer.exchange);
        }
        this.#writer.flush();
      }
      for (const each of reader.end()) {
        if (each.answer.kind === 'revisit') unresolved += (await this.#addRevisit(each, isSecondTime)) ? 0 : 1;
        else if (!isSecondTime) await this.#add(each, each.answer.exchange);
      }
    } catch (error) {
      if (!(error instanceof OrbweaverError) || error.code !== 'ERR_ARCHIVE') throw error;
      this.#warnOf(path, error.message);
      return 0;
    }
    if (isSecondTime) return 0;
    this.#counts.files++;
    if (reader.records === 0) this.#warnOf(path, `${path} holds no WARC record`);
    return unresolved;
  }

  #warnOf(path: string, message: string): void {
    this.#counts.badFiles++;
    publish('crawl/warning', { message: message.includes(path) ? message : `${path}: ${message}` });
  }

  async #add(
    { record, from }: FromFile,
    exchange: HttpExchange,
    confirmed: ConfirmedCapture | null = null,
  ): Promise<void> {
    const { index } = this.#setup;
    const digest = confirmed?.payloadDigest ?? DIGEST_PREFIX + sha1Base32(exchange.body);
    const known = await this.#knownAnswers.find(exchange, digest);
    if (known !== null) {
      index.addOrigins(namesOf(record), known);
      this.#counts.known++;
      return;
    }
    const id = record.headers.get('warc-record-id') ?? '';
    const stated = record.headers.get('warc-payload-digest') ?? '';
    const metadata = {
      'imported-from': basename(from),
      ...(id === '' ? {} : { 'original-record-id': id }),
      ...(stated === '' || stated === digest ? {} : { 'original-payload-digest': stated }),
    };
    const place = this.#writer.append({ ...exchange, metadata }, confirmed);
    index.addOrigins(namesOf(record), place);
    this.#knownAnswers.add(exchange, digest, place);
    this.#counts.answers++;
  }

  /** Returns false if the response that the revisit refers to may still come. */
  async #addRevisit(each: FromFile, isSecondTime: boolean): Promise<boolean> {
    const { record, answer } = each;
    const { exchange } = answer;
    if (PROFILE_NOT_MODIFIED.test(record.headers.get('warc-profile') ?? '') || exchange.status === 304) {
      const confirmed = await this.#confirmedBy(record);
      if (confirmed === null && !isSecondTime) return false;
      await this.#add(each, { ...exchange, status: 304, body: [] }, confirmed);
      return true;
    }
    const first = await this.#payloadOf(record);
    if (first === null) {
      if (isSecondTime) count(this.#counts.leftOut, 'payload-not-found' satisfies LeftOut);
      return false;
    }
    const { status, statusText, rawHeaders } = exchange.status === 0 ? first : exchange;
    const { truncated: _truncated, ...whole } = exchange;
    await this.#add(each, { ...whole, truncated: null, status, statusText, rawHeaders, body: [first.body] });
    return true;
  }

  async #payloadOf(record: ForeignRecord): Promise<Capture | null> {
    const place = await this.#placeOf(record);
    return place && readCapture(this.#setup.archiveDir, place, this.#find).catch(() => null);
  }

  /** The response in the archive that a "not modified" confirms. */
  async #confirmedBy(record: ForeignRecord): Promise<ConfirmedCapture | null> {
    const { archiveDir } = this.#setup;
    const place = await this.#placeOf(record);
    const capture = place && (await readCapture(archiveDir, place, this.#find).catch(() => null));
    if (place === null || capture === null || capture.payloadDigest === null) return null;
    const { url, fetchedAtMs, recordId, payloadDigest } = capture;
    if (!capture.revisit) return { url, fetchedAtMs, recordId, payloadDigest, file: place.file, offset: place.offset };
    const first = await readRefersTo(archiveDir, place);
    return first && { ...first, payloadDigest };
  }

  readonly #find = async (digest: string): Promise<CaptureAddress | null> => {
    const { index, store } = this.#setup;
    return index.payload(digest) ?? (await store.payloadPlace(digest));
  };

  async #placeOf({ headers }: ForeignRecord): Promise<CaptureAddress | null> {
    const names = referredTo(headers);
    const place = names.map((name) => this.#setup.index.origin(name)).find((found) => found !== null) ?? null;
    const digest = headers.get('warc-payload-digest') ?? '';
    this.#writer.flush();
    return place ?? (digest === '' ? null : await this.#find(digest));
  }
}

/** The names that a revisit may use to refer to a record. */
function namesOf({ headers }: ForeignRecord): string[] {
  return recordNames(headers, 'warc-record-id', 'warc-target-uri', 'warc-date');
}

/** The names of the record that a revisit refers to. */
function referredTo(headers: ReadonlyMap<string, string>): string[] {
  return recordNames(headers, 'warc-refers-to', 'warc-refers-to-target-uri', 'warc-refers-to-date');
}

function recordNames(headers: ReadonlyMap<string, string>, ...fields: readonly string[]): string[] {
  const [id, uri, date, digest] = [...fields, 'warc-payload-digest'].map((name) => headers.get(name));
  return [
    ...(id ? [`id ${id}`] : []),
    ...(uri && date ? [`at ${uri.replace(/^<|>$/g, '')} ${Date.parse(date)}`] : []),
    ...(digest ? [`payload ${digest.toLowerCase()}`] : []),
  ];
}

const PATTERNS = ['**/*.warc', '**/*.warc.gz', '**/*.warc.zst'];

/**
 * The files that an import reads: the files that the user named, and all WARC files in the folders that the user named.
 * Files of the archive folder itself are left out, because the copy already has them.
 */
export function warcFiles(words: readonly string[], archiveDir: string): string[] {
  const own = existsSync(archiveDir) ? realpathSync(archiveDir) : null;
  const files = words.flatMap(filesOf).map((path) => realpathSync(path));
  return [...new Set(files)].filter((path) => dirname(path) !== own);
}

function filesOf(word: string): string[] {
  const stats = statSync(word, { throwIfNoEntry: false });
  if (stats === undefined) throw new OrbweaverError('ERR_USAGE', `there is no file or folder "${word}" to import`);
  if (/\.wacz$/i.test(word)) {
    throw new OrbweaverError('ERR_USAGE', `${word} is a ZIP file; unzip it and import its folder "archive"`);
  }
  if (!stats.isDirectory()) return [word];
  const found = globSync(PATTERNS, { cwd: word }).sort();
  if (found.length === 0) {
    throw new OrbweaverError('ERR_USAGE', `the folder ${word} holds no .warc, .warc.gz or .warc.zst file`);
  }
  return found.map((file) => join(word, file));
}
