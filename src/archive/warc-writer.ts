/**
 * The archive stage, writing side. In: one HTTP exchange per call. Out: the place of its
 * response: file, offset and length of one gzip member.
 *
 * What always holds: `flush` returns the written length of each file, and only this proves that a
 * record is in its file. After the first failure every call throws the same error again, so that
 * records lost in the failure are never confirmed. Every file begins with a warcinfo record and has
 * complete members up to its length. No file is opened a second time.
 *
 * A writer belongs to one crawler unit, and only this writer writes to its files, so no locks are needed. The state
 * store commits all lengths that `flush` returned in one transaction, together with the pages. Bytes after these
 * lengths are cut off at the next start (see folder-state.ts). A revisit may refer to an earlier file, so one length
 * must not be committed without the others.
 */
import { resolve } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import { makeDataFolder, type Share } from '../core/file-modes.ts';
import { archiveError, tryArchive } from './archive-error.ts';
import { ArchiveFile, syncArchiveFolder } from './archive-file.ts';
import {
  addExchange,
  addWarcinfo,
  type FirstCapture,
  type HttpExchange,
  type RecordLocation,
} from './exchange-records.ts';
import { RecordBatch } from './record-batch.ts';
import { type FileIds, RecordIds, recordIdsOf } from './record-id.ts';
import { DIGEST_PREFIX, sha1Base32 } from './sha1-base32.ts';
import { type ArchivedPayload, KnownPayloads, type SharedPayloads } from './shared-payloads.ts';

export type { HttpExchange, RecordLocation };

/** The response of the same URL that a later visit found unchanged. */
export interface ConfirmedCapture extends ArchivedPayload {
  readonly payloadDigest: string;
  /** Null if it follows from the place. */
  readonly recordId: string | null;
}

export interface ArchiveWriterOptions {
  readonly dir: string;
  /** The name of the crawler unit, which is part of the file names. */
  readonly unit: string;
  /** A file of this length gets no more records. */
  readonly maxFileBytes: number;
  readonly software: string;
  readonly userAgent: string;
  /** More fields for the warcinfo record of every file. */
  readonly about?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** How many payloads of this writer are remembered for revisit records. Each needs about 250 bytes. */
  readonly knownPayloads?: number;
  /** The payloads that all units have archived and committed. */
  readonly sharedPayloads?: SharedPayloads;
  /** Who else may read the files. Default: the same as for the other files of the folder. */
  readonly share?: Share | null;
}

const DEFAULT_KNOWN_PAYLOADS = 8_192;
/**
 * Number of files whose record ids are cached. A crawl that has started so many
 * files no longer needs the first of them.
 */
const MOST_FILES_KNOWN = 1_024;
/** Half the size of the batch's own buffer, so that records seldom have to be written from outside of it. */
const FLUSH_BYTES = 256 * 1024;

export class ArchiveWriter {
  readonly #options: ArchiveWriterOptions;
  readonly #batch = new RecordBatch();
  /** The ids of the current file. */
  #ids = new RecordIds();
  /** The ids of the writer's own files, and of files to which revisits refer. */
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
   * The first failure. The locations of the records that were lost in it were already
   * returned, so the writer cannot be used any more.
   */
  #failure: OrbweaverError | null = null;

  constructor(options: ArchiveWriterOptions) {
    this.#options = options;
    this.#known = new KnownPayloads(options.knownPayloads ?? DEFAULT_KNOWN_PAYLOADS);
    tryArchive('cannot create the archive folder', () => makeDataFolder(resolve(options.dir), options.share ?? null));
  }

  /** `confirmed`: the visit found this response unchanged. A 304 then becomes a revisit record that refers to it. */
  append(exchange: HttpExchange, confirmed: ConfirmedCapture | null = null): RecordLocation {
    return this.#unlessFailed(() => this.#append(exchange, confirmed));
  }

  #append(exchange: HttpExchange, confirmed: ConfirmedCapture | null): RecordLocation {
    const file = this.#openFile();
    const { body } = exchange;
    let payloadBytes = 0;
    for (const piece of body) payloadBytes += piece.length;
    const isNotModified = confirmed !== null && exchange.status === 304 && payloadBytes === 0;
    const digest = isNotModified ? withoutPrefix(confirmed.payloadDigest) : sha1Base32(body);
    // A truncated payload may equal another one only because of where it was cut, so it is never used for revisits.
    const comparable = payloadBytes > 0 && exchange.truncated === null;
    const first = isNotModified
      ? { ...confirmed, kind: 'not-modified' as const, recordId: this.#idOf(confirmed) }
      : comparable
        ? this.#firstCapture(digest, payloadBytes, confirmed)
        : null;
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

  #firstCapture(digest: string, payloadBytes: number, confirmed: ConfirmedCapture | null): FirstCapture | null {
    const first =
      this.#known.find(digest, payloadBytes) ??
      this.#options.sharedPayloads?.find(digest) ??
      (confirmed !== null && withoutPrefix(confirmed.payloadDigest) === digest ? confirmed : null);
    const recordId = first === null ? null : this.#idOf(first);
    return first === null || recordId === null ? null : { ...first, kind: 'same-payload', recordId };
  }

  #idOf(payload: ArchivedPayload & Partial<ConfirmedCapture>): string | null {
    return payload.recordId ?? this.#idsOf(payload.file)?.at(payload.offset) ?? null;
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
   * Writes all appended records and returns the length of each file of this writer. A capture below that length is in
   * the file. Several exchanges share one system call, which costs as much for one as for ten. A page counts as stored
   * only when the state store has committed it, which always happens after this call.
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

  /** Resolves when everything that was appended before the call is on the disk. Appending may continue meanwhile. */
  async sync(): Promise<void> {
    this.flush();
    await this.#oneByOne(() => this.#syncFiles());
  }

  /**
   * Runs the work after all earlier work. A file must not be closed while another call syncs it: the system call would
   * fail, or would sync a different file that got the same descriptor.
   */
  async #oneByOne(work: () => Promise<void>): Promise<void> {
    // A failed sync is final too: the kernel may have dropped the bytes, and a second sync would not report it.
    this.#syncing = this.#syncing.then(work).catch((error) => {
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
      // Any other error concerns one page only and left the batch unchanged.
      if (error instanceof OrbweaverError) this.#failure = error;
      throw error;
    }
  }

  /** Closes the files and clears the caches. The next record begins a new file. Nothing may be appended meanwhile. */
  async rest(): Promise<void> {
    this.flush();
    await this.#oneByOne(async () => {
      await this.#syncFiles();
      const file = this.#file;
      this.#file = null;
      file?.close();
      // All lengths were reported. A file that retention removes next must not be reported again.
      this.#lengths.clear();
      this.#known.clear();
      this.#idsByFile.clear();
    });
  }

  /** Syncs and closes. A second call does nothing. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      await this.sync();
    } finally {
      await this.#oneByOne(async () => {
        for (const file of this.#full) file.close();
        this.#full = [];
        this.#file?.close();
        this.#file = null;
      });
    }
  }

  #openFile(): ArchiveFile {
    if (this.#closed) throw new OrbweaverError('ERR_INTERNAL', 'an exchange was appended to a closed archive writer');
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
    // After a power loss, a new file can be found only if its folder was synced to the disk too.
    if (this.#folderChanged) {
      this.#folderChanged = false;
      syncArchiveFolder(this.#options.dir);
    }
  }
}

function withoutPrefix(digest: string): string {
  return digest.slice(DIGEST_PREFIX.length);
}

/** If the removal fails, a file without pages stays. The first error says more about the disk than this one. */
function discardEmpty(file: ArchiveFile, dir: string): void {
  try {
    file.discard(dir);
  } catch {
    // See above: the first error is thrown.
  }
}
