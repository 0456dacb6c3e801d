/**
 * The options that say where a crawl is stored and which workers run it. Like the table in options.ts, this table
 * defines everything about its options.
 */
import { local, type OptionSource, type OptionsOf, resolveTable, rule, secret } from './option-table.ts';
import { durationMs, flag, list, oneOf, parser } from './option-values.ts';
import { NOT_REPEATED } from './secret-values.ts';

const none: readonly string[] = [];

/** The schema is named `orbweaver_` plus this name. A schema name has at most 63 characters. */
const CRAWL_NAME = /^[a-z0-9_-]{1,40}$/;
/** The name of a worker is a part of the names of its archive files. */
const WORKER_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/;
const SHORTEST_LEASE_MS = 1_000;
const LONGEST_LEASE_MS = 86_400_000;

const crawlName = parser('<name>', (given) => {
  const name = String(given);
  if (!CRAWL_NAME.test(name)) throw new Error('needs a name of at most 40 lower-case letters, digits, _ and -');
  return name;
});

const workerName = parser('<name>', (given): string | null => {
  const name = String(given);
  if (!WORKER_NAME.test(name)) {
    throw new Error('needs a name of at most 32 letters, digits, "_", "." and "-" that begins with a letter or digit');
  }
  return name;
});

const leaseMs = parser('<time>', (given) => {
  const ms = durationMs(given);
  if (ms < SHORTEST_LEASE_MS || ms > LONGEST_LEASE_MS) throw new Error('needs a time from 1s to 1d');
  return ms;
});

/** The URL may contain a password, so messages show only the server and the database. */
const storeUrl = parser('<url>', (given): string | null => {
  if (typeof given !== 'string' || given.trim() === '') throw new Error('needs a URL: postgres://user@host/database');
  return given.trim();
});

const SHORTEST_TOKEN = 16;
const LISTEN = /^(?:(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9][A-Za-z0-9.-]{0,252}):)?(\d{1,5})$/;

/** `<port>` alone means the loopback address. */
const listenAddress = parser('<host:port>', (given): { readonly host: string; readonly port: number } | null => {
  const [, host = '127.0.0.1', port] = LISTEN.exec(String(given)) ?? [];
  const bare = host.replaceAll(/[[\]]/g, '');
  if (port === undefined || Number(port) > 65_535 || bare === '0.0.0.0' || bare === '::') {
    throw new Error('needs a port, or the address of this machine that others reach and a port: 10.0.0.5:7070');
  }
  return { host: bare, port: Number(port) };
});

/** The value is never repeated in a message. */
const archiveToken = parser('<text>', (given): string | null => {
  if (typeof given !== 'string' || given.length < SHORTEST_TOKEN)
    throw new Error(`needs at least ${SHORTEST_TOKEN} characters ${NOT_REPEATED}`);
  return given;
});

export const CLUSTER_OPTIONS = {
  store: local(storeUrl, null, 'PostgreSQL database of the crawl, for many machines: postgres://user@host/database'),
  name: local(crawlName, 'crawl', 'name of the crawl in the database'),
  archive: local(
    list,
    none,
    'with --store: folder of archive files (default: archive in --dir); a worker has one, for reading several are allowed',
  ),
  worker: local(workerName, null, "name of this worker (default: the machine's name)"),
  assign: rule(
    oneOf(['host', 'ip']),
    'host',
    'crawl: assign hosts to workers by name, or by IP address (P2); applies to hosts that are found from then on',
  ),
  lease: local(leaseMs, 60_000, 'a worker without a heartbeat for this long is dead, and others take its hosts'),
  serveArchive: local(
    listenAddress,
    null,
    'crawl, work: serve the archive files of this worker to other machines, which need the archive token',
  ),
  archiveToken: secret(
    archiveToken,
    null,
    'secret for archives that workers serve; only in ORBWEAVER_ARCHIVE_TOKEN or config.yaml',
  ),
  stay: local(flag, false, 'work: when the crawl is done, wait for more work instead of leaving'),
} as const;

export type ClusterOptionName = keyof typeof CLUSTER_OPTIONS;
export type ClusterOptions = OptionsOf<typeof CLUSTER_OPTIONS>;

export const CLUSTER_OPTION_NAMES = Object.keys(CLUSTER_OPTIONS) as ClusterOptionName[];

export function resolveClusterOptions(sources: readonly OptionSource[]): ClusterOptions {
  return resolveTable(CLUSTER_OPTIONS, sources);
}

/** Turns the name of a machine into a valid worker name. */
export function workerNameFrom(machine: string): string {
  const name = machine
    .replaceAll(/[^A-Za-z0-9_.-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 32);
  return name === '' ? 'worker' : name;
}
