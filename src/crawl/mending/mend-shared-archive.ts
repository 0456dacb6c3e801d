/**
 * Makes the archive of a cluster consistent with the store, for the files of this machine: files in this folder that a
 * worker of this machine wrote and that no worker still writes. In: the store, the workers, the folder. Out: warnings.
 *
 * What always holds: a file that its worker may still have open is not touched, even if the cluster considers the
 * worker dead, because the worker may only be frozen. Missing files are not given up, because a folder may just not be
 * mounted. A file with complete records is never removed, unless the database has given the file up.
 */
import { ownerOf } from '../../archive/archive-file.ts';
import { compareFolder } from '../../archive/folder-state.ts';
import { publish } from '../../core/events.ts';
import type { Cluster, WorkerRecord } from '../../store/cluster.ts';
import type { Store } from '../../store/contract.ts';
import { filesToRemove } from './files-to-remove.ts';
import { maxUncommitted, removeIfEmpty, removeNoted, reportUnknown, takeBack } from './mend-archive.ts';

/** The maximum of `--concurrency`: the worker that wrote a file may have had another value than this one. */
const MAX_CONCURRENCY = 4_096;

export interface Mender {
  readonly machine: string;
  readonly folder: string;
  readonly nowMs: number;
  readonly isRunning?: (pid: number) => boolean;
}

export async function mendSharedArchive(
  store: Pick<Store, 'archiveFiles' | 'archivePlaces' | 'forgetCaptures' | 'note'>,
  cluster: Pick<Cluster, 'workers'>,
  { machine, folder, nowMs, isRunning = runsHere }: Mender,
): Promise<void> {
  const places = await store.archivePlaces();
  const workers = new Map((await cluster.workers()).map((worker) => [worker.owner, worker]));
  const isOver = (worker: WorkerRecord): boolean => isSurelyOver(worker, machine, isRunning);
  const isWrittenHere = (file: string): boolean => {
    const place = places.get(file);
    const worker = workers.get(place?.owner ?? ownerOf(file) ?? '');
    // If nothing of the file was ever committed, only the record of the worker says where it ran.
    if (place === undefined) return worker !== undefined && isOver(worker);
    return place.machine === machine && place.folder === folder && (worker === undefined || isOver(worker));
  };
  const { longer, shorter, absent, unknown } = compareFolder(folder, await store.archiveFiles(), isWrittenHere);
  const noted = await filesToRemove(store);
  const max = maxUncommitted(MAX_CONCURRENCY);
  const keptTails = longer.filter((each) => !takeBack(folder, each, max));
  for (const { file, readableToBytes } of shorter) {
    const lost = await store.forgetCaptures(file, readableToBytes, nowMs);
    warn(`the end of ${file} is lost; ${lost} pages are fetched again`);
  }
  if (absent.length > 0) {
    warn(
      `${absent.length} archive files that this machine wrote are not in ${folder} any more; their pages cannot be shown`,
    );
  }
  const left = unknown.filter((file) => !removeNoted(folder, file, noted) && !removeIfEmpty(folder, file));
  reportUnknown(left.length, keptTails.length);
}

/**
 * A worker that the cluster considers dead may only be frozen, and continues later. For a
 * worker of another machine nobody can tell.
 */
export function isSurelyOver(
  { isAlive, machine, pid }: WorkerRecord,
  thisMachine: string,
  isRunning: (pid: number) => boolean = runsHere,
): boolean {
  return !isAlive && machine === thisMachine && !isRunning(pid);
}

function warn(message: string): void {
  publish('crawl/warning', { message });
}

/** Another program may have the pid by now. Then the files are left as they are, which costs only a little space. */
function runsHere(pid: number): boolean {
  // In containers every process has pid 1, so the pid says nothing.
  if (pid === 1) return true;
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
