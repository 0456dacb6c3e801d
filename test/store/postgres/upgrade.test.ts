/**
 * Tests the conversion of crawls in layout 1 and 2, whose tables were partitioned: every row is there afterwards, with
 * its host, and the crawl goes on. Also tests the keys of the current layout.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { FIRST_TOUCH } from '../../../src/store/contract.ts';
import { parseAddress } from '../../../src/store/postgres/connection/address.ts';
import { Database } from '../../../src/store/postgres/connection/database.ts';
import { lookAtServer } from '../../../src/store/postgres/connection/open.ts';
import { layoutVersion, migrate } from '../../../src/store/postgres/migrate.ts';
import { openPostgresStore, readPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { LAYOUT_VERSION } from '../../../src/store/postgres/schema.ts';
import { pathPattern } from '../../../src/url/traps/path-pattern.ts';
import { sketchWith } from '../../content/compare-sketches.ts';
import { adminUrlOf, noPostgres, testDatabase } from '../../setup/postgres.ts';
import { copyOf, LookedAt } from '../looking-again.ts';
import { claim, commit, found, NOW_MS, page, recordOf, resultOf } from '../rows.ts';
import { makeOldCrawl, type OldCrawl } from './setup/old-crawl.ts';

const here = { skip: noPostgres };
const NAME = 'old';
const SCHEMA = `"orbweaver_${NAME}"`;
const TABLES = [
  ...['hosts', 'host_shares', 'urls', 'pages', 'visits', 'claims', 'sources', 'changes', 'prints', 'graph', 'contents'],
  ...['captures', 'looked_again', 'patterns', 'parameters', 'parameter_bases', 'watchers', 'watch_marks'],
  ...['notes', 'totals', 'backlinks', 'mirrors', 'archive_files', 'moved_payloads', 'cluster_state'],
];

type Values = Record<string, unknown>;

/** Columns that later layouts added. */
const NEW_COLUMNS: Readonly<Record<string, Values>> = {
  hosts: { trouble: null, robots_since: null, not_found: null },
  urls: { pattern: null },
  patterns: { left_out: 0 },
  pages: { canonical_end: null, canonical_verdict: null, word_counts: null, regions: null },
  visits: { rhythm: 0 },
  changes: { level: null, touches: null, edit: null },
};

/** The hexadecimal digits of the key of a content. */
function hexOf(digest: unknown): string {
  const hex =
    typeof digest === 'string' ? digest.replaceAll('-', '') : Buffer.from(digest as Uint8Array).toString('hex');
  return hex.slice(0, 32);
}

/** Each row as a text with its columns in alphabetical order. */
function sorted(rows: readonly Values[]): string[] {
  return rows.map((row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))).sort();
}

async function rowsOf(db: Database, table: string): Promise<Values[]> {
  const rows = await db.all(`SELECT to_jsonb(t)::text AS row FROM ${db.schema}.${table} t`);
  return rows.map(({ row }) => JSON.parse(row));
}

/** The row that an old row must become. */
function converted(
  table: string,
  { part, url_part: _, ...row }: Values,
  parts: number,
  { hosts, urls }: OldCrawl,
): Values {
  const spread = (seq: unknown): number => (seq as number) * parts + (part as number);
  const hostOfUrl = (): number => urls.find(({ id }) => id === row.url_id)!.host_id;
  switch (table) {
    case 'graph':
      return { ...row, seq: spread(row.seq), first: spread(row.first) };
    case 'pages':
      return { ...row, host_id: hostOfUrl(), graph_seq: spread(row.graph_seq) };
    case 'claims':
    case 'changes':
    case 'captures':
    case 'looked_again':
    case 'damaged_captures':
      return { ...row, host_id: hostOfUrl() };
    case 'parameter_bases':
      return { ...row, host_id: hosts[(row.parameter_id as number) - 1]!.id };
    default:
      return row;
  }
}

for (const [version, parts] of [
  [1, 4],
  [2, 1],
  [2, 4],
  [2, 16],
] as const) {
  test(`a crawl of layout ${version} with ${parts} parts keeps all its rows and goes on`, here, async (t) => {
    const address = parseAddress(await testDatabase(t));
    const db = new Database(address, SCHEMA);
    t.after(() => db.close());
    const old = await makeOldCrawl(db, version, parts);
    const usedParts = new Set(old.hosts.map(({ part }) => part));
    assert.ok(parts === 1 ? usedParts.size === 1 : usedParts.size > 2, 'the hosts are in several parts');
    const tables = [...TABLES, ...(version > 1 ? ['damaged_captures'] : [])];
    const before = new Map<string, Values[]>();
    for (const table of tables) before.set(table, await rowsOf(db, table));

    const originals = new Map(before.get('contents')!.map(({ digest, url_id: id }) => [hexOf(digest), id]));
    const copies = new Map(
      before
        .get('pages')!
        .map(({ url_id: id, duplicate_of: of, digest }) => [id, of === 0 ? originals.get(hexOf(digest)) : of]),
    );
    const pageIds = new Set(before.get('pages')!.map((row) => row.url_id));

    const request = { address, name: NAME, process: 'test' };
    await assert.rejects(readPostgresStore(request), /has an older layout; run "orbweaver crawl --name old"/);
    const store = await openPostgresStore(request);
    t.after(() => store.close());

    assert.equal(await layoutVersion(db), LAYOUT_VERSION);
    for (const [table, rows] of before) {
      assert.ok(rows.length > 0, table);
      // Layout 5 has other sketches, so the index of the old ones is empty.
      const expected = (table === 'prints' ? [] : rows).map((row) => ({
        ...converted(table, row, parts, old),
        ...NEW_COLUMNS[table],
        ...(table === 'urls' ? { touched: pageIds.has(row.id) ? 1 : null } : {}),
        ...(table === 'visits' ? { copy_of: copies.get(row.url_id) ?? null } : {}),
      }));
      assert.deepEqual(sorted(await rowsOf(db, table)), sorted(expected), table);
    }
    const left = await db.all(
      `SELECT c.relname FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname IN ('part', 'url_part')
       WHERE c.relnamespace = '${SCHEMA}'::regnamespace AND (c.relname ~ '^old_|_\\d+$' OR a.attname IS NOT NULL)`,
    );
    assert.deepEqual(left, [], 'nothing of the old layout is left');

    const backlinks = new Map(old.urls.map(({ id }) => [id, 0]));
    for (const [id, links] of old.links) {
      const linked = await store.linksFrom(id);
      assert.deepEqual(
        linked.map((link) => link.id).sort((a, b) => a - b),
        [...links].sort((a, b) => a - b),
      );
      for (const target of links) backlinks.set(target, backlinks.get(target)! + 1);
    }
    assert.deepEqual(await store.backlinks([...backlinks.keys()]), [...backlinks.values()]);
    await store.countLinks();
    assert.deepEqual(await store.backlinks([...backlinks.keys()]), [...backlinks.values()]);

    const leases = await claim(store);
    assert.deepEqual(
      leases.map(({ hostId, host }) => [hostId, host]).sort(),
      old.hosts.map(({ id, host }) => [id, host]).sort(),
    );
    const results = leases.map((lease) =>
      resultOf(lease, lease.urls[0]!, {
        page: page(lease.host === 'http://h0.test' ? 'content of http://h1.test/' : lease.host),
        foundLinks: [found('http://new.test/'), found(`${lease.host}/c`), found(`${lease.host}/d`)],
      }),
    );
    const { states, discovered, linkIds } = await commit(store, results);
    assert.deepEqual(
      states,
      leases.map(({ host }) => (host === 'http://h0.test' ? 'duplicate' : 'fetched')),
    );
    assert.equal(discovered, 1 + leases.length, 'the new host and one new path of each host');
    for (const [i, { host }] of leases.entries()) {
      assert.equal(linkIds[i]![1], old.urls.find(({ url }) => url === `${host}/c`)!.id, 'a known URL keeps its id');
    }
    const record = await recordOf(store, 'http://h0.test/b');
    assert.deepEqual([record.duplicateOf, record.state], ['http://h1.test/', 'duplicate']);
    const [newHost] = (await db.all(`SELECT id FROM ${SCHEMA}.hosts WHERE host = 'http://new.test'`)) as [
      { id: number },
    ];
    assert.ok(newHost.id > Math.max(...old.hosts.map(({ id }) => id)), 'a new host gets a new id');
  });
}

test('a crawl of layout 3 gets the columns of layout 4, and its retries are counted by reason', here, async (t) => {
  const address = parseAddress(await testDatabase(t));
  const request = { address, name: NAME, process: 'test' };
  const before = await openPostgresStore(request);
  await before.seed([found('http://a.test/')], NOW_MS);
  const [lease] = await claim(before);
  await commit(before, [resultOf(lease!, lease!.urls[0]!, { state: 'waiting', reason: 'tls-failed', failures: 1 })]);
  await before.close();
  const db = new Database(address, SCHEMA);
  t.after(() => db.close());
  await db.run(`ALTER TABLE ${SCHEMA}.hosts DROP COLUMN trouble, DROP COLUMN robots_since`);
  await db.run(`DELETE FROM ${SCHEMA}.totals WHERE name LIKE 'retry-reason/%'`);
  await db.run(`UPDATE ${SCHEMA}.layout SET version = 3`);
  const after = await openPostgresStore(request);
  t.after(() => after.close());
  assert.equal(await layoutVersion(db), LAYOUT_VERSION);
  assert.deepEqual((await after.counts()).retryReasons, { 'tls-failed': 1 });
  assert.equal((await after.host('http://a.test'))!.trouble, null);
});

test('C7 the canonical links of a crawl of layout 4 are judged, and its retries are counted once', here, async (t) => {
  const address = parseAddress(await testDatabase(t));
  const request = { address, name: NAME, process: 'test' };
  const before = await openPostgresStore(request);
  const [lost, same] = ['http://a.test/lost', 'http://a.test/same'];
  await before.seed(
    [lost, same, 'http://a.test/retry'].map((url) => found(url)),
    NOW_MS,
  );
  const [lease] = await claim(before);
  await commit(before, [
    resultOf(lease!, lease!.urls[0]!, { page: page('lost', { canonical: found('http://a.test/none') }) }),
    resultOf(lease!, lease!.urls[1]!, { page: page('same', { canonical: found(lost) }) }),
    resultOf(lease!, lease!.urls[2]!, { state: 'waiting', reason: 'tls-failed', failures: 1 }),
  ]);
  await before.close();
  const db = new Database(address, SCHEMA);
  t.after(() => db.close());
  // As layout 4 stored them: every page that names another URL is its duplicate.
  await db.run(`ALTER TABLE ${SCHEMA}.pages DROP COLUMN canonical_end, DROP COLUMN canonical_verdict`);
  await db.run(`DROP TABLE ${SCHEMA}.canonical_tasks`);
  await db.run(`UPDATE ${SCHEMA}.pages SET duplicate_of = canonical`);
  await db.run(`UPDATE ${SCHEMA}.urls SET state = 2, reason = 'duplicate-canonical' WHERE state = 1`);
  await db.run(`DELETE FROM ${SCHEMA}.contents`);
  await db.run(`UPDATE ${SCHEMA}.layout SET version = 4`);
  const after = await openPostgresStore(request);
  t.after(() => after.close());
  assert.equal((await recordOf(after, lost)).canonicalVerdict, null);
  assert.equal(await after.settleCanonicals(NOW_MS), false);
  const records = await Promise.all([lost, same].map((url) => recordOf(after, url)));
  assert.deepEqual(
    records.map(({ state, duplicateOf, canonicalVerdict }) => [state, duplicateOf, canonicalVerdict]),
    [
      ['fetched', null, 'waiting'],
      ['fetched', null, 'too-little-text'],
    ],
  );
  assert.deepEqual((await after.counts()).retryReasons, { 'tls-failed': 1 });
});

test('a crawl of layout 4 gets fresh budgets, and the URLs that it left out come back', here, async (t) => {
  const address = parseAddress(await testDatabase(t));
  const request = { address, name: NAME, process: 'test' };
  const before = await openPostgresStore(request);
  const days = Array.from({ length: 9 }, (_, n) => `http://a.test/day?d=${n}`);
  await commit(before, [], {
    found: days.map((url) => found(url, { pattern: pathPattern(url) })),
    patternBudget: 2,
  });
  await before.close();
  const db = new Database(address, SCHEMA);
  t.after(() => db.close());
  await db.run(`DROP TABLE ${SCHEMA}.pattern_answers`);
  await db.run(`ALTER TABLE ${SCHEMA}.patterns DROP COLUMN left_out`);
  await db.run(`ALTER TABLE ${SCHEMA}.urls DROP COLUMN pattern`);
  await db.run(`UPDATE ${SCHEMA}.layout SET version = 4`);
  const after = await openPostgresStore(request);
  t.after(() => after.close());
  assert.equal(await after.fillBudgets(3, NOW_MS), 3);
  const use = await after.patternUse('http://a.test', pathPattern(days[0]!)!);
  assert.deepEqual(use, { known: 9, leftOut: 4, answered: 2, productive: 0, barren: 0 });
  assert.equal(await after.fillBudgets(3, NOW_MS), 0);
});

/** A crawl of layout 4 has sketches of letters and no templates, one of layout 5 has other hashes of words. */
for (const version of [4, 5])
  test(`a crawl of layout ${version} loses its sketches, and can store templates`, here, async (t) => {
    const address = parseAddress(await testDatabase(t));
    const request = { address, name: NAME, process: 'test' };
    const before = await openPostgresStore(request);
    await before.seed([found('http://a.test/1'), found('http://a.test/2')], NOW_MS);
    const [lease] = await claim(before);
    const sketch = sketchWith(Array.from({ length: 60 }, (_, i) => 7_919 * i));
    const result = (n: number) => resultOf(lease!, lease!.urls[n]!, { page: page(`body ${n}`, { sketch }) });
    await commit(before, [result(0)], { nearDuplicate: 0.8 });
    await before.close();
    const db = new Database(address, SCHEMA);
    t.after(() => db.close());
    const count = async (table: string) => (await rowsOf(db, table)).length;
    assert.ok((await count('prints')) > 0);
    if (version < 5) await db.run(`DROP TABLE ${SCHEMA}.templates`);
    else await db.run(`INSERT INTO ${SCHEMA}.templates VALUES (${lease!.hostId}, '\\x0102')`);
    await db.run(`UPDATE ${SCHEMA}.layout SET version = ${version}`);
    const after = await openPostgresStore(request);
    t.after(() => after.close());
    assert.equal(await layoutVersion(db), LAYOUT_VERSION);
    assert.deepEqual([await count('prints'), await count('pages'), await count('templates')], [0, 1, 0]);
    const manners = { askedAtMs: NOW_MS, delayMs: null, blockedUntilMs: 0 };
    const hosts = [{ hostId: lease!.hostId, manners, template: Uint8Array.of(1, 2) }];
    await commit(after, [result(1)], { nearDuplicate: 0.8, hosts });
    const { nearDuplicateOf, reason } = await recordOf(after, 'http://a.test/2');
    assert.deepEqual([nearDuplicateOf, reason], [null, null], 'it is compared with no sketch of the old layout');
    assert.equal(await count('templates'), 1);
  });

test('C7 a crawl of layout 6 gets the column of word counts, and keeps its sketches', here, async (t) => {
  const address = parseAddress(await testDatabase(t));
  const request = { address, name: NAME, process: 'test' };
  const before = await openPostgresStore(request);
  await before.seed([found('http://a.test/1'), found('http://a.test/2')], NOW_MS);
  const [lease] = await claim(before);
  const sketch = sketchWith(Array.from({ length: 60 }, (_, i) => 7_919 * i));
  const more = { sketch, wordCounts: new Uint8Array(128).fill(1), title: 'Same' };
  await commit(before, [resultOf(lease!, lease!.urls[0]!, { page: page('one', more) })]);
  await before.close();
  const db = new Database(address, SCHEMA);
  t.after(() => db.close());
  await db.run(`ALTER TABLE ${SCHEMA}.pages DROP COLUMN word_counts`);
  await db.run(`UPDATE ${SCHEMA}.layout SET version = 6`);
  const after = await openPostgresStore(request);
  t.after(() => after.close());
  assert.equal(await layoutVersion(db), LAYOUT_VERSION);
  const names = { ...more, canonical: found('http://a.test/1') };
  await commit(after, [resultOf(lease!, lease!.urls[1]!, { page: page('two', names) })]);
  assert.equal((await recordOf(after, 'http://a.test/2')).canonicalVerdict, 'believed');
  const counts = await db.all(`SELECT word_counts IS NULL AS "isNull" FROM ${SCHEMA}.pages ORDER BY url_id`);
  assert.deepEqual(counts, [{ isNull: true }, { isNull: false }]);
});

test('a crawl of layout 7 gets the columns for the class of a change, and its change log goes on', here, async (t) => {
  const address = parseAddress(await testDatabase(t));
  const request = { address, name: NAME, process: 'test' };
  const before = await openPostgresStore(request);
  const copy = await copyOf(before, { seed: { body: 'seed' } });
  await copy.look('seed', 'changed', { body: 'other' });
  await before.close();
  const db = new Database(address, SCHEMA);
  t.after(() => db.close());
  await db.run(`ALTER TABLE ${SCHEMA}.pages DROP COLUMN regions`);
  await db.run(`ALTER TABLE ${SCHEMA}.changes DROP COLUMN level, DROP COLUMN touches, DROP COLUMN edit`);
  await db.run(`UPDATE ${SCHEMA}.layout SET version = 7`);
  const after = await openPostgresStore(request);
  t.after(() => after.close());
  assert.equal(await layoutVersion(db), LAYOUT_VERSION);
  const [entry] = await after.changes(0, 10);
  assert.deepEqual([entry!.kind, entry!.level, entry!.part, entry!.edit], ['changed', null, null, null]);
  const [task] = await after.revisits([copy.id('seed')]);
  assert.equal(task!.earlier!.regions, null);
});

test('the pages of a crawl of layout 8 have one mark, and its listeners keep their cursors', here, async (t) => {
  const address = parseAddress(await testDatabase(t));
  const request = { address, name: NAME, process: 'test' };
  const before = await openPostgresStore(request);
  const copy = await copyOf(before, { seed: { body: 'seed' }, a: { body: 'a' }, lost: { state: 'failed' } });
  await before.setNote('delivered/webhook', '{"arrived":7,"until":0}');
  await before.close();
  const db = new Database(address, SCHEMA);
  t.after(() => db.close());
  await db.run(`DROP TABLE ${SCHEMA}.followers`);
  await db.run(`DROP TABLE ${SCHEMA}.noise_evidence`);
  await db.run(`ALTER TABLE ${SCHEMA}.urls DROP COLUMN touched`);
  await db.run(`DROP SEQUENCE ${SCHEMA}.touch_seqs`);
  await db.run(`UPDATE ${SCHEMA}.layout SET version = 8`);
  const after = await openPostgresStore(request);
  t.after(() => after.close());
  const old = ['seed', 'a'].map((path) => ({ seq: 1, id: copy.id(path) }));
  const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;
  assert.deepEqual(await after.touches(FIRST_TOUCH, 9), old.sort(byId));
  assert.deepEqual(
    (await after.followers()).map(({ name, position }) => [name, position]),
    [['delivered/webhook', '{"arrived":7,"until":0}']],
  );
  assert.equal(await after.note('delivered/webhook'), null);
  await new LookedAt(after, copy.hostId, copy.ids).look('a', 'changed', { body: 'other' });
  assert.deepEqual(
    (await after.touches({ seq: 1, id: 1e9 }, 9)).map(({ id }) => id),
    [copy.id('a')],
  );
  assert.equal(await after.noiseEvidence('http://a.test'), null);
});

test('two workers that start at the same time convert a crawl once', here, async (t) => {
  const address = parseAddress(await testDatabase(t));
  const db = new Database(address, SCHEMA);
  t.after(() => db.close());
  const { urls } = await makeOldCrawl(db, 2, 4);
  const open = (process: string) => openPostgresStore({ address, name: NAME, process });
  const stores = await Promise.all([open('a'), open('b')]);
  t.after(() => Promise.all(stores.map((store) => store.close())));
  for (const store of stores) assert.equal((await store.urls(0, 1_000)).length, urls.length);
});

test('a conversion that fails changes nothing and can be repeated', here, async (t) => {
  const address = parseAddress(await testDatabase(t));
  const db = new Database(address, SCHEMA);
  t.after(() => db.close());
  await makeOldCrawl(db, 2, 4);
  const before = sorted(await rowsOf(db, 'urls'));
  await db.run(`CREATE VIEW public.mine AS SELECT part FROM ${SCHEMA}.watch_marks`);
  await assert.rejects(migrate(db), /other objects depend on it/);
  assert.equal(await layoutVersion(db), 2);
  assert.deepEqual(sorted(await rowsOf(db, 'urls')), before);
  await db.run('DROP VIEW public.mine');
  await migrate(db);
  assert.equal(await layoutVersion(db), LAYOUT_VERSION);
});

test('a conversion by a superuser keeps the owner of the tables and the rights of other roles', here, async (t) => {
  const url = await testDatabase(t);
  const [db, admin] = [url, await adminUrlOf(url)].map((each) => new Database(parseAddress(each), SCHEMA));
  const reader = `reader_${randomBytes(6).toString('hex')}`;
  await makeOldCrawl(db!, 2, 4);
  await admin!.run(`CREATE ROLE ${reader}`);
  t.after(async () => {
    const server = new Database(parseAddress(await adminUrlOf(new URL('/postgres', url).href)), '');
    await server.run(`DROP ROLE ${reader}`);
    await Promise.all([db!, admin!, server].map((each) => each.close()));
  });
  await db!.run(`GRANT SELECT ON ALL TABLES IN SCHEMA ${SCHEMA} TO ${reader}`);
  await migrate(admin!);
  const rights = await db!.all(
    `SELECT DISTINCT pg_get_userbyid(relowner) = current_user AS "isOwn", has_table_privilege($1, oid, 'SELECT') AS "mayRead",
       has_table_privilege($1, oid, 'INSERT') AS "mayWrite"
     FROM pg_class WHERE relnamespace = '${SCHEMA}'::regnamespace AND relkind = 'r'`,
    [reader],
  );
  assert.deepEqual(rights, [{ isOwn: true, mayRead: true, mayWrite: false }]);
});

test('an older version recognises a converted crawl, and so can refuse it', here, async (t) => {
  const address = parseAddress(await testDatabase(t));
  const db = new Database(address, SCHEMA);
  t.after(() => db.close());
  await makeOldCrawl(db, 2, 4);
  await migrate(db);
  // Older versions look for these two columns before they compare the version.
  assert.deepEqual(await rowsOf(db, 'layout'), [{ version: LAYOUT_VERSION, parts: 1 }]);
  assert.deepEqual((await lookAtServer(address)).crawls, [NAME]);
});

test('every key of a table whose rows belong to a host includes the host', here, async (t) => {
  const db = new Database(parseAddress(await testDatabase(t)), SCHEMA);
  t.after(() => db.close());
  await migrate(db);
  const keys = await db.all<{ table: string; isPrimary: boolean; columns: string[] }>(
    `SELECT c.relname AS "table", i.indisprimary AS "isPrimary",
       (SELECT json_agg(attname) FROM pg_attribute a WHERE a.attrelid = i.indexrelid) AS columns
     FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid
     WHERE c.relnamespace = '${SCHEMA}'::regnamespace AND c.relkind = 'r' AND i.indisunique`,
  );
  const columns = await db.all<{ table: string }>(
    `SELECT DISTINCT c.relname AS "table" FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = '${SCHEMA}'::regnamespace AND c.relkind = 'r' AND a.attname IN ('host_id', 'url_id')`,
  );
  // The rows of these tables belong to a content, a fingerprint or a payload. The URL is only what they lead to.
  const byContent = ['contents', 'prints', 'moved_payloads'];
  const tables = columns.map(({ table }) => table).filter((table) => !byContent.includes(table));
  assert.equal(tables.length, 19);
  for (const table of tables) {
    const own = keys.filter((key) => key.table === table);
    assert.ok(
      own.some(({ isPrimary }) => isPrimary),
      table,
    );
    for (const key of own) assert.ok(key.columns.includes('host_id'), `${table}: ${key.columns}`);
  }
  const ofHosts = keys.find(({ table, isPrimary }) => table === 'hosts' && isPrimary);
  assert.deepEqual(ofHosts!.columns, ['id']);
});
