/**
 * The archive of a cluster brought back to what the store committed, as far as it is this machine's business: files in this folder
 * that a worker of this machine wrote and that nobody writes any more. In: the store, who works, the folder. Out: warnings.
 *
 * What always holds: a file that its worker may still have open is not touched, also when the cluster takes that worker for dead: it may
 * only be frozen. Files that are not there at all are not given up: a folder may just not be mounted. A file with
 * complete records is
 * never removed, unless the database says that it gave the file up.
 */
import { ownerOf } from '../archive/file-owner.ts';
import { compareFolder } from '../archive/folder-state.ts';
import { publish } from '../core/events.ts';
import type { Cluster, WorkerRecord } from '../store/cluster.ts';
import type { Store } from '../store/contract.ts';
import { filesGivenUp } from './given-up-files.ts';
import { mostUncommitted, removeGivenUp, removeIfEmpty, reportUnknown, takeBack } from './mend-archive.ts';

/** The most that `--concurrency` takes: the worker that wrote a file may have been given another than this one. */
const MOST_CONCURRENCY = 4_096;

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
  const isOurs = (file: string): boolean => {
    const place = places.get(file);
    const worker = workers.get(place?.owner ?? ownerOf(file) ?? '');
    // Of one that nothing was ever committed of, only the worker's own record tells where it ran.
    if (place === undefined) return worker !== undefined && isOver(worker);
    return place.machine === machine && place.folder === folder && (worker === undefined || isOver(worker));
  };
  const { longer, shorter, absent, unknown } = compareFolder(folder, await store.archiveFiles(), isOurs);
  const givenUp = await filesGivenUp(store);
  const most = mostUncommitted(MOST_CONCURRENCY);
  const keptTails = longer.filter((each) => !takeBack(folder, each, most));
  for (const { file, readableToBytes } of shorter) {
    const lost = await store.forgetCaptures(file, readableToBytes, nowMs);
    warn(`${file} lost its end; ${lost} pages are fetched again`);
  }
  if (absent.length > 0) {
    warn(
      `${absent.length} archive files that this machine wrote are not in ${folder} any more; their pages cannot be shown`,
    );
  }
  const left = unknown.filter((file) => !removeGivenUp(folder, file, givenUp) && !removeIfEmpty(folder, file));
  reportUnknown(left.length, keptTails.length);
}

/** One that the cluster takes for dead may only be frozen, and goes on when it thaws; of another machine nobody can tell. */
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

/** Another program may have the number by now; then its files are left as they are, which costs nothing but a little space. */
function runsHere(pid: number): boolean {
  // In containers everybody is the first process, so that the number tells nothing.
  if (pid === 1) return true;
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
