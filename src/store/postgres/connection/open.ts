/**
 * Checks a server before anything is done there. In: an address, the name of a crawl, and the purpose of the opening.
 * Out: nothing, or an error line that says what is wrong and what to do. Nothing is changed.
 *
 * During a crawl a lost server is waited for (database.ts). A server that is missing at the start is most
 * likely a wrong address. If something listens there that is just stopping or starting, the address is
 * right: workers may also begin while their server restarts.
 */

import { didYouMean } from '../../../core/did-you-mean.ts';
import { OrbweaverError } from '../../../core/errors.ts';
import type { StoreAddress } from './address.ts';
import { Database, type Patience } from './database.ts';
import { isFromListener } from './store-errors.ts';

/** Why a crawl is opened: to begin one if there is none, to work on one, or to read one. */
const OPENINGS = ['begin', 'work', 'read'] as const;
export type Opening = (typeof OPENINGS)[number];

export interface ServerFacts {
  /** As in `server_version_num`: 15.4 is 150004. */
  readonly version: number;
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
  readonly mayCreate: boolean;
  /** A pooler is in between, and the address does not say whether it keeps prepared statements. */
  readonly isPooled: boolean;
  /** Names of the crawls in the database. */
  readonly crawls: readonly string[];
  /** Names whose schema exists and has no crawl in it. */
  readonly empty: readonly string[];
  /** Names whose schema has tables of another program. */
  readonly foreign: readonly string[];
  /** Several servers are named, and each of them would be accepted. */
  readonly isAnyOfSeveral: boolean;
}

const OLDEST_VERSION = 150_000;
const PATIENCE_MS = 3_000;
const RESTART_PATIENCE_MS = 60_000;
const MOST_NAMED = 10;
export const SCHEMA_PREFIX = 'orbweaver_';

const ASK = `SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS "isStandby",
  current_setting('transaction_read_only') = 'on' AS "isReadOnly",
  has_database_privilege(current_database(), 'CREATE') AS "mayCreate",
  (SELECT coalesce(json_agg(json_build_array(substr(n.nspname, ${SCHEMA_PREFIX.length + 1}), CASE
      WHEN (SELECT count(*) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = n.oid AND c.relname = 'layout' AND a.attname IN ('version', 'parts')) = 2 THEN 'crawls'
      WHEN EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = n.oid) THEN 'foreign'
      ELSE 'empty' END) ORDER BY n.nspname), '[]')
    FROM pg_namespace n WHERE starts_with(n.nspname, '${SCHEMA_PREFIX}'))::text AS schemas`;

/** The content of a schema with a crawl's name. */
type Content = 'crawls' | 'empty' | 'foreign';

const patienceWith: Patience = (error) => (isFromListener(error) ? RESTART_PATIENCE_MS : PATIENCE_MS);

/** `onTrouble` is called when a restarting server is waited for, and when it is back. */
export async function lookAtServer(
  address: StoreAddress,
  patience: number | Patience = patienceWith,
  onTrouble: Database['onTrouble'] = () => {},
): Promise<ServerFacts> {
  const database = new Database(address, '', patience);
  let isAwaited = false;
  database.onTrouble = (error) => {
    if (error === null ? !isAwaited : !isFromListener(error)) return;
    isAwaited = true;
    onTrouble(error);
  };
  try {
    const [row] = await database.all(ASK);
    const isPooled = address.saysPrepare === null && (await database.isPooled());
    const { schemas, ...facts } = row as unknown as ServerFacts & { readonly schemas: string };
    const found = JSON.parse(schemas) as [name: string, content: Content][];
    const namesOf = (wanted: Content) => found.filter(([, content]) => content === wanted).map(([name]) => name);
    return {
      ...facts,
      isPooled,
      crawls: namesOf('crawls'),
      empty: namesOf('empty'),
      foreign: namesOf('foreign'),
      isAnyOfSeveral: address.isAnyOfSeveral,
    };
  } finally {
    await database.close();
  }
}

/** Throws an error if the crawl cannot be opened for this purpose. */
export async function checkServer(
  address: StoreAddress,
  crawl: string,
  opening: Opening,
  onTrouble?: Database['onTrouble'],
): Promise<void> {
  checkFacts(await lookAtServer(address, patienceWith, onTrouble), address.name, crawl, opening);
}

export function checkFacts(facts: ServerFacts, name: string, crawl: string, opening: Opening): void {
  const { version, crawls } = facts;
  if (version < OLDEST_VERSION) {
    const [major, minor] = [Math.floor(version / 10_000), version % 10_000];
    const line = `${name} is PostgreSQL ${major}.${minor}; 15 or newer is needed`;
    throw new OrbweaverError('ERR_OLD_SERVER', line);
  }
  // A pooler that does not keep prepared statements would confirm transactions that were
  // never ended: written data would be lost without an error.
  if (facts.isPooled) {
    const line = `${name} is behind a pooler: add ?prepare=false, or ?prepare=true if it keeps prepared statements`;
    throw new OrbweaverError('ERR_BAD_OPTION', line);
  }
  if (opening !== 'read' && (facts.isStandby || facts.isReadOnly)) {
    throw new OrbweaverError('ERR_READ_ONLY', `${name}${whyReadOnly(facts)}`);
  }
  if (crawls.includes(crawl)) return;
  const schema = `${SCHEMA_PREFIX}${crawl}`;
  if (facts.foreign.includes(crawl)) {
    const line = `the schema ${schema} in ${name} has tables, and no crawl of ours; choose another --name`;
    throw new OrbweaverError('ERR_BAD_OPTION', line);
  }
  if (opening !== 'begin' && facts.empty.includes(crawl)) {
    const line = `the schema ${schema} in ${name} is empty; plan the crawl first: orbweaver crawl <url> --store … --name ${crawl}`;
    throw new OrbweaverError('ERR_NO_CRAWL', line);
  }
  if (opening !== 'begin') throw new OrbweaverError('ERR_NO_CRAWL', noSuchCrawl(name, crawl, crawls));
  if (!facts.mayCreate) {
    const line = `${name}: this user may not create the schema of a crawl; let the owner GRANT CREATE ON DATABASE`;
    throw new OrbweaverError('ERR_DENIED', line);
  }
}

function whyReadOnly({ isStandby, isAnyOfSeveral }: ServerFacts): string {
  if (!isStandby) return ' can only be read: default_transaction_read_only is on';
  if (!isAnyOfSeveral) return ' can only be read: it is a standby; name the primary';
  return ': the first that answers is a standby, which can only be read; add ?target_session_attrs=read-write';
}

function noSuchCrawl(name: string, crawl: string, crawls: readonly string[]): string {
  if (crawls.length === 0) return `${name} has no crawl yet; begin one: orbweaver crawl <url> --store …`;
  const more = crawls.length > MOST_NAMED ? ` and ${crawls.length - MOST_NAMED} more` : '';
  const there = `there ${crawls.length === 1 ? 'is' : 'are'} ${crawls.slice(0, MOST_NAMED).join(', ')}${more}`;
  return `${name} has no crawl named ${crawl}${didYouMean(crawl, crawls, '--name ') || `; ${there} (--name)`}`;
}
