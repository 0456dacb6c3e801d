/**
 * Tests user mistakes and exhausted resources: one clear line on stderr with a stable code, the right exit code,
 * nothing on stdout, and no damage. The crawl can continue when the cause is gone.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import type { ErrorCode } from '../../src/core/errors.ts';
import { Ledger } from '../../testbed/web/ledger.ts';
import { reply, startWeb } from '../../testbed/web/local-web.ts';
import { site } from '../../testbed/web/site.ts';
import { noise } from '../archive/exchange.ts';
import { archivedUrls } from './archived-urls.ts';
import { crawl, type EndedCrawl, startCrawlProcess } from './crawl-process.ts';
import { assertSound, dataFolder } from './stored-crawl.ts';

function assertRefused(ended: EndedCrawl, code: ErrorCode, exitCode: 1 | 2, says: RegExp): void {
  assert.equal(ended.exitCode, exitCode, ended.stderr);
  assert.equal(ended.stdout, '');
  const errors = ended.stderr.split('\n').filter((line) => line.startsWith('orbweaver: '));
  assert.equal(errors.length, 1, ended.stderr);
  assert.ok(errors[0]!.endsWith(` [${code}]`), errors[0]);
  assert.match(errors[0]!, says);
  assert.doesNotMatch(ended.stderr, /^\s+at /m, 'a stack trace is no message');
}

suite('bad input', { concurrency: 2 }, () => {
  const URL_TEXT = 'http://127.0.0.1:9/';

  const REFUSALS: readonly (readonly [string, readonly string[], ErrorCode, RegExp])[] = [
    ['a text that is no URL', ['not a url'], 'ERR_BAD_URL', /"not a url" is not an http or https URL/],
    ['a URL of another scheme', ['ftp://example.com/'], 'ERR_BAD_URL', /ftp:\/\/example\.com/],
    [
      'a URL with a password',
      ['http://me:secret@127.0.0.1:9/'],
      'ERR_BAD_URL',
      /must not contain .* --auth "host\|user:password"/,
    ],
    ['an unknown flag', [URL_TEXT, '--concurency', '5'], 'ERR_UNKNOWN_OPTION', /did you mean --concurrency\?/],
    ['a number that is none', [URL_TEXT, '--limit', 'many'], 'ERR_BAD_OPTION', /--limit .*"many"/],
    ['a number out of range', [URL_TEXT, '--per-host', '0'], 'ERR_BAD_OPTION', /--per-host .*from 1 to/],
    ['a time that is none', [URL_TEXT, '--delay', 'soon'], 'ERR_BAD_OPTION', /--delay .*"soon"/],
    ['a scope that is none', [URL_TEXT, '--scope', 'planet'], 'ERR_BAD_OPTION', /--scope .*page, prefix/],
    ['a configuration file that is not there', [URL_TEXT, '--config', '/no/such.yaml'], 'ERR_CONFIG', /such\.yaml/],
  ];
  for (const [what, words, code, says] of REFUSALS) {
    test(`${what} is refused`, async (t) => {
      const dir = join(dataFolder(t), 'new');
      assertRefused(await crawl(dir, ...words), code, 2, says);
      assert.throws(() => statSync(dir), 'a refused command leaves no folder behind');
    });
  }

  test('an unknown configuration key is refused, and the message suggests the right key', async (t) => {
    const dir = dataFolder(t);
    writeFileSync(join(dir, 'config.yaml'), 'max-bdoy: 5mb\n');
    assertRefused(await crawl(dir, URL_TEXT), 'ERR_UNKNOWN_OPTION', 2, /"max-bdoy"; did you mean max-body\?/);
  });

  test('a configuration file that is not YAML is refused', async (t) => {
    const dir = dataFolder(t);
    writeFileSync(join(dir, 'config.yaml'), 'a: [1, 2\nb: }');
    assertRefused(await crawl(dir, URL_TEXT), 'ERR_CONFIG', 2, /config\.yaml is not valid YAML/);
  });

  test('a data folder that is a file is refused', async (t) => {
    const file = join(dataFolder(t), 'file');
    writeFileSync(file, 'mine');
    assertRefused(await crawl(file, URL_TEXT), 'ERR_DIR', 1, /file/);
    assert.equal(statSync(file).size, 4);
  });

  test('a file that is not a database is refused and stays unchanged', async (t) => {
    const dir = dataFolder(t);
    writeFileSync(join(dir, 'crawl.db'), 'this is no database, it is a text of mine\n'.repeat(100));
    assertRefused(await crawl(dir, URL_TEXT), 'ERR_STORE', 1, /not a database/);
    assert.equal(statSync(join(dir, 'crawl.db')).size, 4_200);
  });

  test('a data folder of a newer version is refused and stays unchanged', async (t) => {
    const dir = dataFolder(t);
    const db = new DatabaseSync(join(dir, 'crawl.db'));
    db.exec('CREATE TABLE future (x); PRAGMA user_version = 99;');
    db.close();
    assertRefused(await crawl(dir, URL_TEXT), 'ERR_NEWER_SCHEMA', 1, /layout 99/);
    const after = new DatabaseSync(join(dir, 'crawl.db'), { readOnly: true });
    t.after(() => after.close());
    const tables = after.prepare('SELECT name FROM sqlite_master').all() as { name: string }[];
    assert.deepEqual(
      tables.map(({ name }) => name),
      ['future'],
    );
  });

  test('a second process on the same data folder is refused, and the first continues', async (t) => {
    const web = await startWeb();
    t.after(() => web.close());
    const held: (() => void)[] = [];
    web.on('/', reply('<a href="/last">last</a>'));
    web.on('/last', (visit) => void held.push(() => reply('last')(visit)));
    const dir = dataFolder(t);
    const first = startCrawlProcess(dir, web.url('/'));
    await web.ledger.seen('/last');
    assertRefused(await crawl(dir, web.url('/')), 'ERR_LOCKED', 1, /another process/);
    for (const answer of held) answer();
    const { exitCode, summary } = await first.ended;
    assert.equal(exitCode, 0);
    assert.equal(summary?.pages, 2);
    await assertSound(dir);
  });
});

/** Mounts a small file system. Returns null if the process may not mount one. */
function smallDisk(t: TestContext, megabytes: number): { readonly dir: string; grow(megabytes: number): void } | null {
  // Hooks run in the order in which they were set: the file system must be
  // unmounted before its parent folder is removed.
  let dir = '';
  t.after(() => void spawnSync('umount', [dir]));
  dir = join(dataFolder(t), 'disk');
  mkdirSync(dir);
  const mount = (...words: string[]): boolean => spawnSync('mount', words).status === 0;
  if (!mount('-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', dir)) return null;
  return { dir, grow: (size) => void mount('-o', `remount,size=${size}m`, dir) };
}

const MAY_NOT_MOUNT = 'needs the right to mount a small file system';

test('C2 an archive that fills the disk gives a clear error, and the crawl can continue later', async (t) => {
  const disk = smallDisk(t, 6);
  if (disk === null) return t.skip(MAY_NOT_MOUNT);
  const web = await startWeb();
  t.after(() => web.close());
  const pictures = Array.from({ length: 40 }, (_, i) => `<a href="/noise/${i}">n</a>`).join('');
  web.on('/', reply(pictures));
  // Random bytes do not compress: the pages are 16 MB in the archive and a few kilobytes in the database.
  web.on('/noise/*', (visit) => reply(noise(400_000, Number(visit.path.split('/')[2])))(visit));
  const ended = await crawl(disk.dir, web.url('/'), '--concurrency', '4');
  assertRefused(ended, 'ERR_DISK_FULL', 1, /disk is full/);
  await assertSound(disk.dir);
  disk.grow(64);
  const again = await crawl(disk.dir, web.url('/'));
  assert.equal(again.exitCode, 0, again.stderr);
  assert.equal(again.summary?.pages, 41);
  await assertSound(disk.dir);
  const archived = await archivedUrls(disk.dir);
  assert.equal(archived.length, 41);
  assert.equal(new Set(archived).size, 41);
});

test('C2 a database that fills the disk gives a clear error, and the crawl can continue later', async (t) => {
  const disk = smallDisk(t, 3);
  if (disk === null) return t.skip(MAY_NOT_MOUNT);
  const ledger = new Ledger();
  const web = await startWeb({ ledger });
  t.after(() => web.close());
  // This crawl writes few bytes to the archive and many long URLs to the database.
  const long = 'x'.repeat(400);
  web.on('/*', (visit) => {
    const page = Number(visit.path.split('/')[2] ?? 0);
    const to = Array.from({ length: 400 }, (_, i) => `<a href="/${long}/${page * 400 + i + 1}">x</a>`);
    reply(page < 30 ? to.join('') : `page ${page}`)(visit);
  });
  const words = [web.url('/'), '--limit', '60', '--concurrency', '4'];
  const ended = await crawl(disk.dir, ...words);
  assertRefused(ended, 'ERR_DISK_FULL', 1, /disk is full/);
  disk.grow(128);
  await assertSound(disk.dir);
  const again = await crawl(disk.dir, ...words);
  assert.equal(again.exitCode, 0, again.stderr);
  assert.equal(again.summary?.pages, 60);
  await assertSound(disk.dir);
  assert.ok(readdirSync(join(disk.dir, 'archive')).length > 0);
  assert.equal(new Set(await archivedUrls(disk.dir)).size, 60);
});

test('C2 a disk that is full from the start is reported at once', async (t) => {
  const disk = smallDisk(t, 1);
  if (disk === null) return t.skip(MAY_NOT_MOUNT);
  writeFileSync(join(disk.dir, 'filler'), Buffer.alloc(1_040_000));
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/*', site({ pages: 50 }).serve);
  assertRefused(await crawl(disk.dir, web.url('/')), 'ERR_DISK_FULL', 1, /disk is full/);
  rmSync(join(disk.dir, 'filler'));
  disk.grow(64);
  assert.equal((await crawl(disk.dir, web.url('/'))).summary?.pages, 50);
});
