/**
 * Makes the archive and the database of a folder consistent before a run. In: an open store and its archive
 * folder. Out: the incomplete writes of a crash are removed, pages whose captures were lost wait again, and
 * other differences are reported or refused.
 *
 * What always holds: no archive file with complete records is removed, unless the database itself has given the file up
 * (retain-files.ts). If whole files are missing, or the files belong to another crawl, nothing is changed.
 */
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { archiveError } from '../../archive/archive-error.ts';
import {
  compareFolder,
  cutTail,
  type FolderState,
  type LongerFile,
  refuseReadOnly,
} from '../../archive/folder-state.ts';
import { countExchanges, scanRecords, warcinfoFields, writtenName } from '../../archive/record-scan.ts';
import { systemClock } from '../../core/clock.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { publish } from '../../core/events.ts';
import type { Store } from '../../store/contract.ts';
import { lastConcurrency } from '../place/data-folder.ts';
import { areOfOtherCrawls, crawlIdOf, identityIn } from './crawl-identity.ts';
import { filesToRemove, forgetFilesToRemove } from './files-to-remove.ts';

export async function mendArchive(store: Store, archiveDir: string): Promise<void> {
  const state = compareFolder(archiveDir, await store.archiveFiles());
  await refuseMismatch(store, archiveDir, state);
  refuseRenamed(archiveDir, state);
  await refuseForeign(store, archiveDir, state);
  refuseReadOnly(archiveDir);
  const noted = await filesToRemove(store);
  const unknown = state.unknown.filter((file) => !removeNoted(archiveDir, file, noted));
  await forgetFilesToRemove(store);
  const max = maxUncommitted(await lastConcurrency(store));
  const keptTails = state.longer.filter((longer) => !takeBack(archiveDir, longer, max));
  for (const { file, readableToBytes } of state.shorter) {
    const lost = await store.forgetCaptures(file, readableToBytes, systemClock.now());
    warn(`the end of ${file} is lost; ${lost} pages are fetched again`);
  }
  const left = unknown.filter((file) => !removeIfEmpty(archiveDir, file));
  reportUnknown(left.length, keptTails.length);
}

/**
 * Reports files, and ends of files, with records that the database does not know. They are
 * kept. One message covers all.
 */
export function reportUnknown(files: number, tails: number): void {
  const what = [
    ...(files > 0 ? [`${files} archive ${files === 1 ? 'file' : 'files'}`] : []),
    ...(tails > 0 ? [`the end of ${tails} ${files > 0 ? 'other ' : ''}${tails === 1 ? 'file' : 'files'}`] : []),
  ].join(' and ');
  if (what === '') return;
  warn(`the records in ${what} are not in the database; they are kept, and "orbweaver recover" adds them to the copy`);
}

/**
 * Cuts off the bytes that a crash left after the committed length. Returns false if there is more than a crash
 * can leave. A unit never has more uncommitted exchanges than its window allows, so a longer tail was committed
 * once, in a newer database than this one.
 */
export function takeBack(archiveDir: string, longer: LongerFile, max: number): boolean {
  const { file, haveBytes, committedBytes } = longer;
  if (countExchanges(join(archiveDir, file), committedBytes, max + 1) > max) return false;
  cutTail(archiveDir, longer);
  warn(`${file}: ${haveBytes - committedBytes} bytes that a crash left uncommitted were cut off`);
  return true;
}

/**
 * The window of a worker of a cluster is twice as wide, and the run may have had another
 * --concurrency than the noted one.
 */
export function maxUncommitted(concurrency: number): number {
  return Math.max(1_024, 2 * concurrency);
}

/** Removes the file if the database has given it up. Returns whether it has. */
export function removeNoted(archiveDir: string, file: string, noted: ReadonlySet<string>): boolean {
  if (noted.has(file)) remove(archiveDir, file);
  return noted.has(file);
}

/**
 * Removes a file that ends before the end of its first exchange, after a crash at the very
 * beginning. It contains nothing that can be lost.
 */
export function removeIfEmpty(archiveDir: string, file: string): boolean {
  for (const found of scanRecords(join(archiveDir, file))) {
    const isNothing = found.kind === 'record' ? found.record.type === 'warcinfo' : found.isEnd;
    if (!isNothing) return false;
  }
  remove(archiveDir, file);
  return true;
}

async function refuseMismatch(store: Store, archiveDir: string, state: FolderState): Promise<void> {
  const { absent, unknown } = state;
  const committed = (await store.archiveFiles()).size;
  if (absent.length === 0 && (committed > 0 || unknown.length === 0)) return;
  const own = await crawlIdOf(store);
  const foreign = unknown.filter((file) => isOfAnother(archiveDir, file, own));
  if (absent.length > 0) throw missingError(archiveDir, absent, committed, foreign.length);
  if (foreign.length > 0) throw unknownError(archiveDir, foreign.length);
}

/** Files that were swapped by name have other lengths than the committed ones. They must not be cut or given up. */
function refuseRenamed(archiveDir: string, { longer, shorter }: FolderState): void {
  for (const { file } of [...longer, ...shorter]) {
    const written = writtenName(join(archiveDir, file));
    if (written === null || written === file) continue;
    throw new OrbweaverError(
      'ERR_ARCHIVE_MISSING',
      `${file} in ${archiveDir} holds the records of ${written}: archive files were renamed or exchanged. Nothing was changed. ` +
        'Give the files their original names and run the same command again; "orbweaver verify" lists the affected files',
    );
  }
}

/** If the database is that of another crawl, the rest of a longer file is not what a crash left, and stays. */
async function refuseForeign(store: Store, archiveDir: string, { longer }: FolderState): Promise<void> {
  if (longer.length === 0) return;
  const files = [...(await store.archiveFiles())].flatMap(([file, bytes]) => (bytes > 0 ? file : []));
  if (!areOfOtherCrawls(archiveDir, files, await crawlIdOf(store))) return;
  const names = longer.map(({ file }) => file);
  throw missingError(archiveDir, names, files.length, longer.length);
}

/** Whether a file holds records of another crawl than this one, or of an unknown crawl. */
function isOfAnother(archiveDir: string, file: string, crawlId: string | null): boolean {
  const path = join(archiveDir, file);
  const its = identityIn(warcinfoFields(path)).crawlId;
  return (its === null || its !== crawlId) && countExchanges(path, 0, 1) > 0;
}

function missingError(archiveDir: string, absent: readonly string[], committed: number, foreign: number) {
  const some = absent.length === 1 ? absent[0]! : `${absent[0]} and ${absent.length - 1} more`;
  const hint =
    foreign === 0 ? '' : ` ${foreign} files there belong to another crawl, so crawl.db may not belong to this folder.`;
  return new OrbweaverError(
    'ERR_ARCHIVE_MISSING',
    `${absent.length} of the ${committed} archive files of this crawl are not in ${archiveDir} (${some}).${hint} Nothing was ` +
      'changed. If the disk is not mounted or the files were moved, bring them back and run the same command again; if they are ' +
      'lost, "orbweaver recover" rebuilds the copy from the files that are there, and lost pages are fetched again',
  );
}

function unknownError(archiveDir: string, files: number) {
  return new OrbweaverError(
    'ERR_ARCHIVE_UNKNOWN',
    `${archiveDir} holds ${files} archive ${files === 1 ? 'file' : 'files'} with pages that are not in crawl.db: the ` +
      'database was lost or emptied, or belongs to another crawl. Nothing was changed. "orbweaver recover" rebuilds the state from the ' +
      'archive; to start a new crawl instead, use another --dir',
  );
}

function remove(archiveDir: string, file: string): void {
  try {
    unlinkSync(join(archiveDir, file));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw archiveError(`cannot remove ${file}`, cause);
  }
}

function warn(message: string): void {
  publish('crawl/warning', { message });
}
