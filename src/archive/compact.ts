/**
 * Makes archive files smaller. In: files, and the places of the captures that are still needed in each file. Out: one
 * new file with their exchanges, and the new place of each.
 *
 * What always holds: records are copied byte for byte with their ids, so that references by id stay valid. The new file
 * begins with its own warcinfo record that names the writer of the records. The new file is on the disk when `finish`
 * returns, and not before. Old files are only read.
 *
 * Nobody knows the new file until the store does. The caller first stores its name, and stores the names of the old
 * files before it removes them, so that after a crash the next start knows which files it may remove.
 */
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { archiveError } from './archive-error.ts';
import { ArchiveFile, isArchiveFileName, syncArchiveFolder, unitOf } from './archive-file.ts';
import { RecordBatch } from './record-batch.ts';
import { idOfMovedRecords } from './record-id.ts';
import type { SourceFile } from './source-file.ts';
import { warcinfoHead } from './warc-head.ts';

/** Used in place of a unit's name. */
const UNIT = 'kept';
/** After this many bytes, the event loop gets a turn. */
const BYTES_AT_ONCE = 8 * 1024 * 1024;

export interface NeededRecords {
  readonly offsets: readonly number[];
  readonly lengths: readonly number[];
}

export type CopyResult =
  | { readonly kind: 'copied'; readonly newOffsets: readonly number[] }
  /** The file has unexpected content at this offset. Nothing of the file was copied. */
  | { readonly kind: 'damaged'; readonly atOffset: number };

export class CompactedFile {
  /** The block of the warcinfo record. Files with different blocks have different writers and are not mixed. */
  readonly block: string;
  readonly #dir: string;
  readonly #file: ArchiveFile;

  /** `owner`: the worker of a cluster. Files of workers on other machines may have the same timestamp. */
  constructor(dir: string, nowMs: number, block: string, owner?: string) {
    this.#dir = dir;
    this.block = block;
    this.#file = ArchiveFile.create(dir, owner === undefined ? UNIT : unitOf(owner, UNIT), 1, nowMs);
    try {
      const batch = new RecordBatch();
      const date = new Date(nowMs).toISOString();
      batch.add(warcinfoHead(idOfMovedRecords(), date, this.#file.name, block.length), block, [], 0, false);
      this.#file.append(batch.take(), batch.totalBytes);
    } catch (error) {
      this.discard();
      throw error;
    }
  }

  get name(): string {
    return this.#file.name;
  }

  get lengthBytes(): number {
    return this.#file.lengthBytes;
  }

  /** Copies the needed records of a file, or nothing if the file is damaged. */
  async copy(source: SourceFile, { offsets, lengths }: NeededRecords, onBytes: () => void): Promise<CopyResult> {
    const startBytes = this.#file.lengthBytes;
    const newOffsets: number[] = [];
    let toldBytes = startBytes;
    for (const [i, offset] of offsets.entries()) {
      const exchange = source.exchangeAt(offset, lengths[i]!);
      if (exchange === null) {
        this.#file.cutTo(startBytes);
        return { kind: 'damaged', atOffset: offset };
      }
      newOffsets.push(this.#file.lengthBytes);
      this.#file.append([exchange], exchange.length);
      if (this.#file.lengthBytes - toldBytes < BYTES_AT_ONCE) continue;
      toldBytes = this.#file.lengthBytes;
      onBytes();
      await setImmediate();
    }
    return { kind: 'copied', newOffsets };
  }

  /** Syncs the file to the disk. Afterwards the store may refer to it. */
  async finish(): Promise<{ readonly file: string; readonly bytes: number }> {
    await this.#file.sync();
    syncArchiveFolder(this.#dir);
    this.#file.close();
    return { file: this.#file.name, bytes: this.#file.lengthBytes };
  }

  discard(): void {
    this.#file.close();
    removeArchiveFiles(this.#dir, [this.#file.name]);
  }
}

/** Files that do not exist are ignored. */
export function removeArchiveFiles(dir: string, files: readonly string[]): void {
  for (const file of files) {
    if (!isArchiveFileName(file)) continue;
    try {
      unlinkSync(join(dir, file));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT')
        throw archiveError(`cannot remove archive file ${file}`, cause);
    }
  }
  if (files.length > 0) syncArchiveFolder(dir);
}
