/**
 * Frees the disk space of archive files of which little is needed. The needed captures of some files are copied
 * into a new file. Then, in this order: the new file is on disk; one transaction of the store moves the
 * captures and drops the old files; the transaction is on disk; the old files are removed. A reader always
 * finds one of the two files. The names of both are noted before (files-to-remove.ts), so the next start after a
 * crash knows which of them it may remove.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CompactedFile, removeArchiveFiles } from '../../archive/compact.ts';
import { SourceFile } from '../../archive/source-file.ts';
import { fileReferredTo } from '../../archive/warc-reader.ts';
import { publish, type RetainStep } from '../../core/events.ts';
import type { ArchiveMove, ArchivePlace, CapturePlace, FileCaptures, FileUse, Store } from '../../store/contract.ts';
import { forgetFilesToRemove, noteFilesToRemove } from '../mending/files-to-remove.ts';

/**
 * Bytes copied before the old files can be removed. This much disk space is needed meanwhile, or
 * more if a single file has more needed bytes.
 */
const GROUP_BYTES = 256 * 1024 * 1024;
const GROUP_FILES = 64;

/** So many revisit records without a known payload are not expected. Then no file is rewritten. */
const MAX_LONE_REVISITS = 10_000;

export type FileStore = Pick<
  Store,
  'wastefulFiles' | 'revisitsAlone' | 'capturesIn' | 'moveCaptures' | 'archiveFiles' | 'sync' | 'note' | 'setNote'
>;

export interface Reclaiming {
  readonly nowMs: number;
  readonly neededShare: number;
  readonly isStopped: () => boolean;
  readonly onStep: (step: RetainStep) => void;
  readonly writer: ArchivePlace | undefined;
}

type OnFreed = (files: number, bytes: number) => void;

export async function reclaimSpace(
  store: FileStore,
  dir: string,
  reclaiming: Reclaiming,
  onFreed: OnFreed,
): Promise<void> {
  const found = await store.wastefulFiles(reclaiming.neededShare);
  if (found.length === 0) return;
  const isShared = reclaiming.writer !== undefined;
  const isHere = ({ file }: { readonly file: string }) => !isShared || existsSync(join(dir, file));
  const untouchable = await filesWithUnknownPayloads(store, dir, isHere);
  const wasteful = untouchable === null ? [] : found.filter((use) => !untouchable.has(use.file) && isHere(use));
  for (const group of groupsOf(wasteful)) {
    if (reclaiming.isStopped()) return;
    const files = await store.capturesIn(group.map(({ file }) => file));
    const empty = files.filter((each) => each.ids.length === 0 && sizeOf(join(dir, each.file)) <= each.bytes);
    if (empty.length > 0) {
      const move = { to: null, from: empty.map((captures) => ({ captures, newOffsets: [] })) };
      await moveAndRemove(store, dir, move, reclaiming, onFreed);
    }
    const needed = files.filter(({ ids }) => ids.length > 0);
    for (let next = 0; next < needed.length && !reclaiming.isStopped(); ) {
      next += await rewriteSome(store, dir, needed.slice(next), reclaiming, onFreed);
    }
  }
}

/**
 * Files with payloads that revisit records refer to and that no capture in the store has.
 * Null if they cannot be determined.
 */
async function filesWithUnknownPayloads(
  store: FileStore,
  dir: string,
  isHere: (place: CapturePlace) => boolean,
): Promise<Set<string> | null> {
  const alone = await store.revisitsAlone(MAX_LONE_REVISITS);
  if (alone.length === MAX_LONE_REVISITS) {
    const message = `${MAX_LONE_REVISITS} or more responses refer to payloads of unknown origin, so no archive file is rewritten`;
    publish('crawl/warning', { message });
    return null;
  }
  if (!alone.every(isHere)) {
    const message =
      'responses on other machines refer to payloads of unknown origin, so no archive file is rewritten here';
    publish('crawl/warning', { message });
    return null;
  }
  const files = new Set<string>();
  for (const place of alone) {
    const file = await fileReferredTo(dir, place);
    if (file !== null) files.add(file);
  }
  return files;
}

/** The files with the fewest needed bytes come first: the space they free may be needed for the others. */
function groupsOf(wasteful: readonly FileUse[]): FileUse[][] {
  const groups: FileUse[][] = [];
  let bytes = 0;
  for (const use of wasteful.toSorted((left, right) => left.neededBytes - right.neededBytes)) {
    const last = groups.at(-1);
    bytes += use.neededBytes;
    if (last !== undefined && last.length < GROUP_FILES && bytes <= GROUP_BYTES) last.push(use);
    else {
      groups.push([use]);
      bytes = use.neededBytes;
    }
  }
  return groups;
}

/**
 * Rewrites the first of these files, and the following ones that fit into the same new
 * file. Returns how many files were handled.
 */
async function rewriteSome(
  store: FileStore,
  dir: string,
  files: readonly FileCaptures[],
  reclaiming: Reclaiming,
  onFreed: OnFreed,
): Promise<number> {
  let target: CompactedFile | null = null;
  try {
    const from: { captures: FileCaptures; newOffsets: readonly number[] }[] = [];
    let dealtWith = 0;
    for (const captures of files) {
      // Records after the committed length belong to no capture, and would be lost with the file.
      if (sizeOf(join(dir, captures.file)) > captures.bytes) {
        dealtWith++;
        warnOfTail(captures.file);
        continue;
      }
      const source = SourceFile.open(dir, captures.file, captures.bytes);
      try {
        const block = source?.warcinfoBlock() ?? null;
        if (block !== null && target !== null && block !== target.block) break;
        dealtWith++;
        if (source === null || block === null) {
          warnOfDamage(captures.file, 0);
          continue;
        }
        if (target === null) {
          target = new CompactedFile(dir, reclaiming.nowMs, block, reclaiming.writer?.owner);
          await noteFilesToRemove(store, [target.name]);
        }
        const result = await target.copy(source, captures, () => reclaiming.onStep('copied'));
        if (result.kind === 'damaged') warnOfDamage(captures.file, result.atOffset);
        else from.push({ captures, newOffsets: result.newOffsets });
        reclaiming.onStep('copied');
      } finally {
        source?.close();
      }
    }
    if (target === null) return dealtWith;
    if (from.length === 0) target.discard();
    else await moveAndRemove(store, dir, { to: await target.finish(), from }, reclaiming, onFreed);
    return dealtWith;
  } catch (error) {
    // The new file stays if the store already knows it. If the store cannot be asked, the next start decides.
    const known =
      target === null
        ? true
        : await store.archiveFiles().then(
            (all) => all.has(target!.name),
            () => true,
          );
    if (!known) target?.discard();
    throw error;
  }
}

async function moveAndRemove(
  store: FileStore,
  dir: string,
  move: ArchiveMove,
  { onStep, writer }: Reclaiming,
  onFreed: OnFreed,
): Promise<void> {
  onStep('written');
  const old = move.from.map(({ captures }) => captures.file);
  await noteFilesToRemove(store, old);
  await store.moveCaptures({ ...move, ...(writer && { place: writer }) });
  onStep('moved');
  // If the old files were removed before the transaction is on disk, a power failure would
  // leave captures without bytes.
  await store.sync();
  onStep('synced');
  const oldBytes = old.reduce((sum, file) => sum + sizeOf(join(dir, file)), 0);
  removeArchiveFiles(dir, old);
  await forgetFilesToRemove(store);
  onFreed(old.length, oldBytes - (move.to?.bytes ?? 0));
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function warnOfTail(file: string): void {
  const message = `${file} has records that are not in the database, so it stays unchanged ("orbweaver recover" adds them)`;
  publish('crawl/warning', { message });
}

function warnOfDamage(file: string, offset: number): void {
  const message = `${file} is damaged at ${offset}, so it stays unchanged and keeps its old versions`;
  publish('crawl/warning', { message });
}
