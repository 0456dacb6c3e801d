/**
 * The order of the test files in a whole `npm test`. In: the paths of all files. Out: the files that work and the files
 * that mostly wait, both with the longest file first. The order changes only the time that a run takes.
 */
const FOLDER = 'test/';

/** Files that take long and use a core most of the time, with the longest one first. */
const LONG = [
  'store/postgres/postgres',
  'faults/faults',
  'bench/crawl-with-faults',
  'crawl/unit/hostile',
  'crawl/watchers/misbehaving',
  'crawl/watchers/led-refresh',
  'crawl/retention/retain',
  'crawl/refresh/refresh',
  'store/postgres/cuts',
  'crawl/refresh/refresh-sources',
  'crawl/refresh/refresh-watch',
  'setup/server-end',
  'watcher/ten-thousand',
  'crawl/ranking/orders',
];

/** Files that wait for delays, leases and timeouts most of the time, with the longest one first. */
const WAITING = [
  'crawl/watchers/lease',
  'crawl/cluster/worker-faults',
  'crawl/cluster/watched-refresh',
  'crawl/politeness',
  'watcher/hostile-visitors',
  'crawl/refresh/refresh-losses',
  'store/postgres/dial',
  'crawl/private',
  'crawl/crew/unit-death',
  'watcher/serve/server-limits',
  'store/postgres/silent',
  'crawl/cluster/refresh-faults',
  'watcher/behind-nginx',
  'crawl/delivery/command',
];

export const [LONG_FILES, WAITING_FILES] = [LONG, WAITING].map((names) =>
  names.map((name) => `${FOLDER}${name}.test.ts`),
) as [string[], string[]];

export function inOrder(files: readonly string[]): { readonly atWork: string[]; readonly waiting: string[] } {
  const given = new Set(files);
  const waiting = WAITING_FILES.filter((file) => given.delete(file));
  const long = LONG_FILES.filter((file) => given.delete(file));
  return { atWork: [...long, ...given], waiting };
}
