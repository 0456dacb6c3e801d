/**
 * Archive files made smaller. In: files, and where in each the captures lie that are still needed. Out: one new file with
 * their exchanges, and where each of them is now. Always: records are copied byte for byte, ids included, so that whatever
 * refers to one by its id still does; the new file begins with a warcinfo of its own that says who wrote the records; when
 * `finish` returns it is on the disk, and not before; an old file is only read.
 *
 * Nobody knows of the new file until the store does. Whoever calls notes its name first, and the names of the old files
 * before it
 * gives them up, so that after a crash the next start knows what it may remove.
 */
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { archiveError } from './archive-error.ts';
import { ArchiveFile, isArchiveFileName, syncArchiveFolder } from './archive-file.ts';
import { unitOf } from './file-owner.ts';
import { RecordBatch } from './record-batch.ts';
import { idOfMovedRecords } from './record-id.ts';
import type { SourceFile } from './source-file.ts';
import { warcinfoHead } from './warc-head.ts';

/** In the place of a unit's name. */
const UNIT = 'kept';
/** After so many bytes others get their turn on the thread. */
const BYTES_AT_ONCE = 8 * 1024 * 1024;

export interface NeededRecords {
  readonly offsets: readonly number[];
  readonly lengths: readonly number[];
}

export type CopyResult =
  | { readonly kind: 'copied'; readonly newOffsets: readonly number[] }
  /** The file is not what it should be there; nothing of it was copied. */
  | { readonly kind: 'damaged'; readonly atOffset: number };

export class CompactedFile {
  /** Of the warcinfo record: files that were written by others are not mixed. */
  readonly block: string;
  readonly #dir: string;
  readonly #file: ArchiveFile;

  /** `owner`: the worker of a cluster, whose files on other machines may have the same time. */
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

  /** Copies what is needed of a file, or nothing where it is damaged. */
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

  /** Brings it to the disk; from then on the store may know of it. */
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

/** Those that are not there any more are gone already. */
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
