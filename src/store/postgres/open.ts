/**
 * The first look at a server, before anything is done there. In: an address, the name of a crawl, and whether it is to be written.
 * Out: nothing, or one line that says what is wrong and what to do. Nothing is changed.
 *
 * Under way a server that goes away is waited for (database.ts); one that is not there at the start is most likely a wrong address.
 */
import { OrbweaverError } from '../../core/errors.ts';
import { didYouMean } from '../../core/nearest.ts';
import type { StoreAddress } from './address.ts';
import { Database } from './database.ts';

/** What a crawl has to be opened for: to begin one where there is none, to work on one, or to read one. */
export const OPENINGS = ['begin', 'work', 'read'] as const;
export type Opening = (typeof OPENINGS)[number];

export interface ServerFacts {
  /** As in `server_version_num`: 15.4 is 150004. */
  readonly version: number;
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
  readonly mayCreate: boolean;
  /** A pooler is in between, and the address does not say whether it keeps prepared statements. */
  readonly isPooled: boolean;
  /** Of the crawls that the database has. */
  readonly crawls: readonly string[];
}

const OLDEST_VERSION = 150_000;
const PATIENCE_MS = 3_000;
const MOST_NAMED = 10;
export const SCHEMA_PREFIX = 'orbweaver_';

const ASK = `SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS "isStandby",
  current_setting('transaction_read_only') = 'on' AS "isReadOnly",
  has_database_privilege(current_database(), 'CREATE') AS "mayCreate",
  (SELECT coalesce(json_agg(substr(nspname, ${SCHEMA_PREFIX.length + 1}) ORDER BY nspname), '[]')
    FROM pg_namespace WHERE starts_with(nspname, '${SCHEMA_PREFIX}'))::text AS crawls`;

export async function lookAtServer(address: StoreAddress, patienceMs = PATIENCE_MS): Promise<ServerFacts> {
  const database = new Database(address, '', patienceMs);
  try {
    const [row] = await database.all(ASK);
    const isPooled = address.saysPrepare === null && (await database.isPooled());
    return { ...(row as unknown as ServerFacts), isPooled, crawls: JSON.parse(row!.crawls) as string[] };
  } finally {
    await database.close();
  }
}

/** Throws what keeps a crawl from being opened so. */
export async function checkServer(address: StoreAddress, crawl: string, opening: Opening): Promise<void> {
  checkFacts(await lookAtServer(address), address.name, crawl, opening);
}

export function checkFacts(facts: ServerFacts, name: string, crawl: string, opening: Opening): void {
  const { version, crawls } = facts;
  if (version < OLDEST_VERSION) {
    const [major, minor] = [Math.floor(version / 10_000), version % 10_000];
    const line = `${name} is PostgreSQL ${major}.${minor}; 15 or newer is needed`;
    throw new OrbweaverError('ERR_OLD_SERVER', line);
  }
  // One that does not would answer for transactions that it never ended: what was written would be gone without a word.
  if (facts.isPooled) {
    const line = `${name} is behind a pooler: add ?prepare=false, or ?prepare=true if it keeps prepared statements`;
    throw new OrbweaverError('ERR_BAD_OPTION', line);
  }
  if (opening !== 'read' && (facts.isStandby || facts.isReadOnly)) {
    const why = facts.isStandby ? 'it is a standby; name the primary' : 'default_transaction_read_only is on';
    throw new OrbweaverError('ERR_READ_ONLY', `${name} can only be read: ${why}`);
  }
  if (crawls.includes(crawl)) return;
  if (opening !== 'begin') throw new OrbweaverError('ERR_NO_CRAWL', noSuchCrawl(name, crawl, crawls));
  if (!facts.mayCreate) {
    const line = `${name}: this user may not create the schema of a crawl; let the owner GRANT CREATE ON DATABASE`;
    throw new OrbweaverError('ERR_DENIED', line);
  }
}

function noSuchCrawl(name: string, crawl: string, crawls: readonly string[]): string {
  if (crawls.length === 0) return `${name} has no crawl yet; begin one: orbweaver crawl <url> --store …`;
  const more = crawls.length > MOST_NAMED ? ` and ${crawls.length - MOST_NAMED} more` : '';
  const there = `there ${crawls.length === 1 ? 'is' : 'are'} ${crawls.slice(0, MOST_NAMED).join(', ')}${more}`;
  return `${name} has no crawl named ${crawl}${didYouMean(crawl, crawls, '--name ') || `; ${there} (--name)`}`;
}
