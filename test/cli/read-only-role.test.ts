/** Tests every reading command on a crawl in a database, with a role that may only read. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import postgres from 'postgres';
import { adminUrlOf, noPostgres, testDatabase } from '../setup/postgres.ts';
import { SITE_PAGES, site } from './setup/cluster-site.ts';
import { runCliIn } from './setup/run-cli.ts';
import { runCommands } from './setup/run-commands.ts';

/** Creates a role with the grants that the documentation names. Returns the address with which the role connects. */
async function readerOf(t: TestContext, url: string, crawl: string): Promise<string> {
  const role = `reader_${randomBytes(6).toString('hex')}`;
  const password = randomBytes(12).toString('hex');
  const sql = postgres(await adminUrlOf(url), { onnotice: () => {} });
  await sql.unsafe(`
    CREATE ROLE ${role} LOGIN PASSWORD '${password}';
    GRANT USAGE ON SCHEMA "orbweaver_${crawl}" TO ${role};
    GRANT SELECT ON ALL TABLES IN SCHEMA "orbweaver_${crawl}" TO ${role};`);
  await sql.end();
  // By then the database is gone, and the grants with it.
  t.after(async () => {
    const server = postgres(await adminUrlOf(new URL('/postgres', url).href), { onnotice: () => {} });
    await server.unsafe(`DROP ROLE ${role}`);
    await server.end();
  });
  const address = new URL(url);
  address.username = role;
  address.password = password;
  return address.href;
}

test('a role that may only SELECT can run every reading command', { skip: noPostgres, timeout: 120_000 }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-reader-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const owner = await testDatabase(t);
  const seed = await site(t);
  const words = ['--name', 'shared', '--dir', dir];
  const crawled = await runCliIn({ ORBWEAVER_STORE: owner }, 'crawl', seed, ...words, '--json');
  assert.equal(crawled.exitCode, 0, crawled.stderr);
  const archive = join(dir, 'archive');
  const modes = [archive, ...readdirSync(archive).map((name) => join(archive, name))].map(
    (path) => statSync(path).mode,
  );
  assert.deepEqual([...new Set(modes.map((mode) => mode & 0o777))], [0o700, 0o600], 'the archive is private');
  const reader = await readerOf(t, owner, 'shared');
  const commands: readonly (readonly [words: string[], prints: RegExp])[] = [
    [['status'], new RegExp(`fetched +${SITE_PAGES}\\n`)],
    [['explain', seed], /The page has the title "Page 0"/],
    [['links', seed], /Page 0|leads to|links/],
    [['show', seed], /<title>Page 0<\/title>/],
    [['history', seed], /first/],
    [['export', '--format', 'jsonl'], /"title":"Page 3"/],
    [['export', '--format', 'csv'], /,Page 3,/],
    [['export', '--format', 'warc'], /^\x1f/],
    [['export', '--format', 'cdxj'], /"status": "200"/],
    [['refresh', '--dry-run'], /pages would be visited|No page is due/],
  ];
  const writing = [['crawl', seed], ['work']];
  const all = [...commands.map(([command]) => command), ...writing].map((command) => [...command, ...words]);
  for (const [i, { words, stdout, outcome }] of runCommands('this', { ORBWEAVER_STORE: reader }, all).entries()) {
    assert.match(outcome, i < commands.length ? /^0$/ : /^ERR_DENIED .*permission denied/, words.join(' '));
    assert.match(stdout, commands[i]?.[1] ?? /^$/, words.join(' '));
    assert.ok(!`${stdout}${outcome}`.includes(new URL(reader).password));
  }
});
