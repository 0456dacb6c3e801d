/**
 * Reads how real pages looked over time. In: a git repository whose commits are snapshots of pages (one folder per
 * site), and one whose commits are the versions of the text that matters on them. Out: the timelines of each site.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_BYTES = 2 ** 30;

export interface Snapshot {
  readonly atMs: number;
  readonly commit: string;
}

export interface Timeline {
  /** The path in the repository of snapshots. */
  readonly path: string;
  readonly snapshots: readonly Snapshot[];
  /** The times at which another version of its text was recorded. */
  readonly changedMs: readonly number[];
}

export interface SiteTimelines {
  readonly name: string;
  readonly timelines: readonly Timeline[];
}

/**
 * The sites with a page that has at least `least` snapshots in the last `days` days before the last recorded version:
 * nobody knows the truth about later snapshots.
 */
export async function readTimelines(
  [snapshots, versions]: readonly [snapshots: string, versions: string],
  days: number,
  least: number,
): Promise<readonly SiteTimelines[]> {
  const last = Number(await git(versions, 'log', '-1', '--format=%ct'));
  const since = last - days * 86_400;
  const shown = await commitsOf(snapshots, since, '.html', () => true);
  // A better extraction of the same page is no change of the page.
  const changed = await commitsOf(versions, since, '.md', (subject) => subject.startsWith('Record'));
  const timelines = [...shown].map(([path, commits]) => ({
    path,
    snapshots: commits.filter(({ atMs }) => atMs <= last * 1_000),
    changedMs: (changed.get(path.replace(/html$/, 'md')) ?? []).map(({ atMs }) => atMs),
  }));
  const known = timelines.filter((timeline) => timeline.snapshots.length > 0);
  const bySite = Map.groupBy(known, ({ path }) => path.slice(0, path.indexOf('/')));
  const sites = [...bySite].map(([name, ofSite]) => ({ name, timelines: ofSite }));
  return sites.filter(({ timelines: each }) => each.some((timeline) => timeline.snapshots.length >= least));
}

export async function readSnapshot(repository: string, { commit }: Snapshot, path: string): Promise<Buffer> {
  const words = ['-C', repository, 'show', `${commit}:${path}`];
  return (await run('git', words, { encoding: 'buffer', maxBuffer: MAX_BYTES })).stdout;
}

/** The commits of each path since a time, oldest first. */
async function commitsOf(
  repository: string,
  since: number,
  ending: string,
  counts: (subject: string) => boolean,
): Promise<ReadonlyMap<string, readonly Snapshot[]>> {
  const log = ['log', `--since=${since}`, '--name-only', '--diff-filter=AM', '-z', '--format=%x01%H %ct %s%x00'];
  const found = new Map<string, Snapshot[]>();
  for (const entry of (await git(repository, ...log)).split('\u0001').slice(1).reverse()) {
    const [head = '', ...paths] = entry.split('\0').map((part) => part.trim());
    const [commit = '', seconds, ...subject] = head.split(' ');
    if (!counts(subject.join(' '))) continue;
    for (const path of paths.filter((each) => each.endsWith(ending) && each.includes('/'))) {
      const snapshots = found.get(path) ?? [];
      found.set(path, snapshots);
      snapshots.push({ atMs: Number(seconds) * 1_000, commit });
    }
  }
  return found;
}

async function git(repository: string, ...words: readonly string[]): Promise<string> {
  return (await run('git', ['-C', repository, ...words], { maxBuffer: MAX_BYTES })).stdout;
}
