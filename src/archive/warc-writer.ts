/**
 * The archive stage, writing side. In: one HTTP exchange a call. Out: where its response lies, as file, offset and length
 * of one gzip member. Always: `flush` returns how far each file was written, and that is the only proof that a record
 * is in
 * its file. After the first failure every call throws the same error again, so no proof is ever given for records that
 * were
 * lost with it. Every file begins with a warcinfo record and holds whole members up to its length; no file is opened a
 * second time.
 *
 * A writer belongs to one crawler unit and is the only one that writes its files, so nothing here locks. The state store
 * commits the lengths that `flush` returned — all of them in one step — together with the pages; what lies behind is
 * cut at
 * the next start (see folder-state.ts). A revisit may point into an earlier file, which is why one length must not be
 * committed without the others.
 */
import { resolve } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import { makeDataFolder, type Share } from '../core/file-modes.ts';
import { archiveError } from './archive-error.ts';
import { ArchiveFile, syncArchiveFolder } from './archive-file.ts';
import {
  addExchange,
  addWarcinfo,
  type FirstCapture,
  type HttpExchange,
  type RecordLocation,
} from './exchange-records.ts';
import { KnownPayloads } from './known-payloads.ts';
import { RecordBatch } from './record-batch.ts';
import { type FileIds, RecordIds, recordIdsOf } from './record-id.ts';
import { DIGEST_PREFIX, sha1Base32 } from './sha1-base32.ts';
import type { SharedPayloads } from './shared-payloads.ts';

export type { HttpExchange, RecordLocation };

export interface ArchiveWriterOptions {
  readonly dir: string;
  /** The crawler unit's name, part of the file names. */
  readonly unit: string;
  /** A file this long gets no more records. */
  readonly maxFileBytes: number;
  readonly software: string;
  readonly userAgent: string;
  /** More fields for the warcinfo record of every file. */
  readonly about?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** How many of its own payloads are remembered for revisit records; about 250 bytes each. */
  readonly knownPayloads?: number;
  /** What all units have archived and committed. */
  readonly sharedPayloads?: SharedPayloads;
  /** Who else may read the files; by default as those of the folder. */
  readonly share?: Share | null;
}

const DEFAULT_KNOWN_PAYLOADS = 8_192;
/** Files whose ids are remembered; a crawl that rolls over so often has forgotten what is in the first of them. */
const MOST_FILES_KNOWN = 1_024;
/** Half of what the batch holds in its own buffer, so that records seldom have to be written from elsewhere. */
const FLUSH_BYTES = 256 * 1024;

export class ArchiveWriter {
  readonly #options: ArchiveWriterOptions;
  readonly #batch = new RecordBatch();
  /** Of the file being written. */
  #ids = new RecordIds();
  /** Of its own files, and of those that revisits led to. */
  readonly #idsByFile = new Map<string, FileIds | null>();
  readonly #known: KnownPayloads;
  readonly #lengths = new Map<string, number>();
  #file: ArchiveFile | null = null;
  #nextSerial = 1;
  /** Full files whose last bytes may not be on the disk yet. */
  #full: ArchiveFile[] = [];
  #folderChanged = false;
  #syncing: Promise<void> = Promise.resolve();
  #closed = false;
  /**
   * The first failure. The records that were lost with it were handed out as locations, so the writer is of no use
   * after it.
   */
  #failure: OrbweaverError | null = null;

  constructor(options: ArchiveWriterOptions) {
    this.#options = options;
    this.#known = new KnownPayloads(options.knownPayloads ?? DEFAULT_KNOWN_PAYLOADS);
    try {
      makeDataFolder(resolve(options.dir), options.share ?? null);
    } catch (cause) {
      throw archiveError('cannot create the archive folder', cause);
    }
  }

  append(exchange: HttpExchange): RecordLocation {
    return this.#unlessFailed(() => this.#append(exchange));
  }

  #append(exchange: HttpExchange): RecordLocation {
    const file = this.#openFile();
    const { body } = exchange;
    let payloadBytes = 0;
    for (const piece of body) payloadBytes += piece.length;
    const digest = sha1Base32(body);
    // A cut payload equals another by accident of where it was cut, so it neither is a revisit nor gives rise to one.
    const comparable = payloadBytes > 0 && exchange.truncated === null;
    const first = comparable ? this.#firstCapture(digest, payloadBytes) : null;
    const nextId = () => this.#ids.at(file.lengthBytes + this.#batch.totalBytes);

    const offset = file.lengthBytes + this.#batch.totalBytes;
    const length = addExchange(this.#batch, nextId, exchange, { payloadBytes, digest, first });
    if (this.#batch.totalBytes >= FLUSH_BYTES) this.#write();
    if (comparable && first === null) {
      const { url, fetchedAtMs } = exchange;
      this.#known.remember(digest, { bytes: payloadBytes, url, fetchedAtMs, file: file.name, offset });
    }
    return { file: file.name, offset, length, payloadDigest: DIGEST_PREFIX + digest, revisit: first !== null };
  }

  #firstCapture(digest: string, payloadBytes: number): FirstCapture | null {
    const first = this.#known.find(digest, payloadBytes) ?? this.#options.sharedPayloads?.find(digest) ?? null;
    const recordId = first === null ? null : (this.#idsOf(first.file)?.at(first.offset) ?? null);
    return first === null || recordId === null ? null : { ...first, recordId };
  }

  #idsOf(file: string): FileIds | null {
    const known = this.#idsByFile.get(file);
    if (known !== undefined) return known;
    return this.#knowIds(file, recordIdsOf(this.#options.dir, file));
  }

  #knowIds<T extends FileIds | null>(file: string, ids: T): T {
    if (this.#idsByFile.size >= MOST_FILES_KNOWN) this.#idsByFile.clear();
    this.#idsByFile.set(file, ids);
    return ids;
  }

  /**
   * Writes what was appended and returns how many bytes each file of this writer has: the proof that a capture below
   * that
   * length is in the file. Several exchanges share one call into the kernel, which costs as much for one as for ten; a
   * page
   * counts as stored only when the state store has committed it, and that is always after this.
   */
  flush(): ReadonlyMap<string, number> {
    this.#unlessFailed(() => this.#write());
    return new Map(this.#lengths);
  }

  #write(): void {
    const file = this.#file;
    if (file === null || this.#batch.totalBytes === 0) return;
    file.append(this.#batch.take(), this.#batch.totalBytes);
    this.#batch.clear();
    this.#lengths.set(file.name, file.lengthBytes);
  }

  /** Resolves once everything appended before the call is on the disk. Appends may go on meanwhile. */
  async sync(): Promise<void> {
    this.flush();
    // A failed sync is final as well: the kernel may have dropped the bytes, and a second sync would not say so.
    this.#syncing = this.#syncing
      .then(() => this.#syncFiles())
      .catch((error) => {
        this.#failure ??= archiveError('cannot sync the archive', error);
      });
    await this.#syncing;
    this.#unlessFailed(() => {});
  }

  #unlessFailed<T>(work: () => T): T {
    if (this.#failure !== null) throw this.#failure;
    try {
      return work();
    } catch (error) {
      // Anything else is a fault with one page, which left the batch as it was.
      if (error instanceof OrbweaverError) this.#failure = error;
      throw error;
    }
  }

  /** Closes its files and forgets what it knows of any: the next record begins a new one. Nothing may be appended meanwhile. */
  async rest(): Promise<void> {
    await this.sync();
    const file = this.#file;
    this.#file = null;
    this.#unlessFailed(() => file?.close());
    // All of it was reported. A file that retention removes next must not be reported again.
    this.#lengths.clear();
    this.#known.clear();
    this.#idsByFile.clear();
  }

  /** Syncs and closes; a second call does nothing. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      await this.sync();
    } finally {
      for (const file of this.#full) file.close();
      this.#full = [];
      this.#file?.close();
      this.#file = null;
    }
  }

  #openFile(): ArchiveFile {
    if (this.#closed) throw new OrbweaverError('ERR_INTERNAL', 'append to a closed archive writer');
    if (this.#file !== null) {
      if (this.#file.lengthBytes + this.#batch.totalBytes < this.#options.maxFileBytes) return this.#file;
      this.#write();
      this.#full.push(this.#file);
      this.#file = null;
    }
    const { dir, unit, clock, software, userAgent, share, about } = this.#options;
    const nowMs = clock.now();
    const file = ArchiveFile.create(dir, unit, this.#nextSerial, nowMs, share);
    this.#nextSerial = file.serial + 1;
    this.#ids = this.#knowIds(file.name, new RecordIds());
    try {
      addWarcinfo(this.#batch, this.#ids.at(0), { file: file.name, nowMs, software, userAgent, about });
      file.append(this.#batch.take(), this.#batch.totalBytes);
    } catch (error) {
      discardEmpty(file, dir);
      throw error;
    }
    this.#batch.clear();
    this.#lengths.set(file.name, file.lengthBytes);
    this.#folderChanged = true;
    this.#file = file;
    return file;
  }

  async #syncFiles(): Promise<void> {
    while (this.#full.length > 0) {
      await this.#full[0]!.sync();
      this.#full.shift()!.close();
    }
    await this.#file?.sync();
    // A new file is found again after a power loss only once its folder is on the disk too.
    if (this.#folderChanged) {
      this.#folderChanged = false;
      syncArchiveFolder(this.#options.dir);
    }
  }
}

/** Where even that fails, a file without pages stays. The first error says more about the disk than the second. */
function discardEmpty(file: ArchiveFile, dir: string): void {
  try {
    file.discard(dir);
  } catch {
    // As above.
  }
}
