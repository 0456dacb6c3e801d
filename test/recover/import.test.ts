/**
 * Imports WARC files of other tools: of wget, of warcio, and handmade files with everything that can be odd in them.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { WARCRecord, WARCSerializer } from 'warcio';
import { readHistory } from '../../src/copy/read-history.ts';
import { LATEST_MS, readCopy } from '../../src/crawl/place/read-archived.ts';
import { type RecoverSummary, startRecovery } from '../../src/recover/recover.ts';
import { readSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { startLivingSite } from '../../testbed/web/living-site.ts';
import { startWeb } from '../../testbed/web/local-web.ts';
import { site } from '../../testbed/web/site.ts';
import { runCli } from '../cli/setup/run-cli.ts';
import { crawlHere } from '../crawl/crawl-here.ts';
import { assertSound, dataFolder, storedUrls } from '../crawl/stored-crawl.ts';
import { filesOf } from './folder-files.ts';
import { answer, chunked, members, odd, sha1Hex } from './odd-warc.ts';

const SITE = 'http://odd.test';

function importInto(dir: string, ...files: string[]): Promise<RecoverSummary> {
  return startRecovery({ dir, files, seeds: [], sources: [], rebuild: false }).summary;
}

function fileWith(t: TestContext, name: string, bytes: Buffer): string {
  const path = join(dataFolder(t), name);
  writeFileSync(path, bytes);
  return path;
}

async function bodyOf(dir: string, url: string): Promise<string | undefined> {
  const store = readSqliteStore(dir);
  try {
    return (await readCopy(store, dir, url, LATEST_MS))?.body.toString();
  } finally {
    await store.close();
  }
}

/** Every odd record that can be imported, each with the expected body. */
function oddRecords(): { records: Buffer[]; bodies: Record<string, string> } {
  const page = (name: string) =>
    `<title>${name}</title><p>the page ${name} says ${name.repeat(9)}</p><a href="/next-${name}">x</a>`;
  const gzipped = gzipSync(page('gzip'));
  const bodies = Object.fromEntries(
    [
      'plain',
      'chunked',
      'gzip',
      'both',
      'folded',
      'bare',
      'angle',
      'lf',
      'digest',
      'hex',
      'date',
      'headless',
      'cut',
    ].map((name) => [`/${name}`, page(name)]),
  );
  const at = (name: string) => `${SITE}/${name}`;
  const gzipText = gzipSync(page('both')).toString('latin1');
  const records = [
    odd({ type: 'warcinfo', block: 'software: odd\r\n', more: ['Content-Type: application/warc-fields'] }),
    answer(at('plain'), page('plain'), { version: 'WARC/1.1', date: '2021-03-04T05:06:07.123456Z' }),
    answer(at('chunked'), chunked(page('chunked').slice(0, 10), page('chunked').slice(10)), {
      headers: ['Content-Type: text/html', 'Transfer-Encoding: chunked'],
    }),
    answer(at('gzip'), gzipped, { headers: ['Content-Type: text/html', 'Content-Encoding: gzip'] }),
    answer(at('both'), Buffer.from(`${gzipText.length.toString(16)}\r\n${gzipText}\r\n0\r\n\r\n`, 'latin1'), {
      headers: ['Content-Encoding: gzip', 'Content-Type: text/html', 'Transfer-Encoding: chunked'],
    }),
    answer(at('folded'), page('folded'), {
      headers: ['Content-Type:', '\ttext/html', 'X-Long: a', '  b'],
      more: ['WARC-Odd: one', '\ttwo'],
    }),
    // The header says chunked, but the tool has removed the chunks.
    answer(at('bare'), page('bare'), { headers: ['Content-Type: text/html', 'Transfer-Encoding: chunked'] }),
    answer(`<${at('angle')}>`, page('angle')),
    answer(at('lf'), page('lf'), { lineEnd: '\n' }),
    answer(at('digest'), page('digest'), { more: ['WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'] }),
    answer(at('hex'), page('hex'), { more: [`WARC-Payload-Digest: sha1:${sha1Hex(page('hex'))}`] }),
    answer(at('date'), page('date'), { date: 'yesterday' }),
    odd({ type: 'resource', uri: at('headless'), block: page('headless'), more: ['Content-Type: text/html'] }),
    answer(at('cut'), page('cut'), { more: ['WARC-Truncated: length'] }),
    // None of these records is a web page.
    answer('dns:odd.test', 'x'),
    answer('../../etc/passwd', 'x'),
    answer('ftp://odd.test/x', 'x'),
    odd({ type: 'response', uri: at('no-http'), block: 'neither head nor body' }),
    odd({ type: 'metadata', uri: at('plain'), block: 'via: x\r\n' }),
    odd({ type: 'conversion', uri: at('plain'), block: 'text' }),
    odd({ type: 'response', uri: at('huge-head'), more: [`X-Huge: ${'h'.repeat(300_000)}`], block: 'x' }),
  ];
  return { records, bodies };
}

test('odd records are imported from every container format', async (t) => {
  const { records, bodies } = oddRecords();
  const containers: Record<string, Buffer> = {
    'a member a record.warc.gz': members(records),
    'one member.warc.gz': gzipSync(Buffer.concat(records)),
    'plain.warc': Buffer.concat(records),
    'frames.warc.zst': Buffer.concat(records.map((record) => zstdCompressSync(record))),
  };
  for (const [name, bytes] of Object.entries(containers)) {
    const dir = dataFolder(t);
    const path = fileWith(t, name, bytes);
    const summary = await importInto(dir, path);
    for (const [at, body] of Object.entries(bodies))
      assert.equal(await bodyOf(dir, SITE + at), body, `${at} of ${name}`);
    const { imported } = summary;
    assert.equal(imported!.answers, Object.keys(bodies).length, name);
    assert.deepEqual(imported!.leftOut, { 'no-http-url': 3, 'no-http-message': 1 }, name);
    assert.deepEqual(imported!.otherTypes, { warcinfo: 1, metadata: 1, conversion: 1 }, name);
    assert.deepEqual([imported!.wrongDigests, imported!.guessedDates, imported!.wrongLengths], [1, 1, 0], name);
    assert.equal(summary.unreadable, 0);
    assert.equal(summary.pages, Object.keys(bodies).length, name);
    const known = await storedUrls(dir);
    assert.equal(known.get(`${SITE}/next-plain`)?.state, 'waiting', 'its links wait to be fetched');
    assert.equal(known.get(`${SITE}/folded`)?.capture?.contentType, 'text/html');
    assert.equal(known.get(`${SITE}/plain`)?.capture?.fetchedAtMs, Date.parse('2021-03-04T05:06:07.123Z'));
    await assertSound(dir);
    const before = filesOf(dir);
    const again = await importInto(dir, path);
    assert.deepEqual([again.added, again.imported!.answers, again.imported!.known], [0, 0, imported!.answers], name);
    assert.deepEqual(filesOf(dir), before, 'and nothing was written');
    assert.deepEqual(readFileSync(path), bytes, 'the file is as it was');
  }
});

test('a wrong length, damage and a torn end lose one record each', async (t) => {
  const pages = ['a', 'b', 'c', 'd', 'e'].map((name) => answer(`${SITE}/${name}`, `page ${name} `.repeat(50)));
  const lies = (more: string) => answer(`${SITE}/liar`, 'the liar', { contentLength: more });
  for (const [name, length] of [
    ['long', '400'],
    ['longer', '99999'],
    ['short', '30'],
    ['none', ''],
    ['no number', 'many'],
  ] as const) {
    for (const bytes of [
      Buffer.concat([...pages.slice(0, 2), lies(length), ...pages.slice(2)]),
      members([pages[0]!, pages[1]!, lies(length), ...pages.slice(2)]),
    ]) {
      const dir = dataFolder(t);
      const { imported } = await importInto(dir, fileWith(t, 'liar.warc', bytes));
      for (const page of ['a', 'b', 'c', 'd', 'e'])
        assert.match((await bodyOf(dir, `${SITE}/${page}`)) ?? '', /^page/, `${page}, ${name}`);
      assert.ok(imported!.wrongLengths + imported!.damaged > 0, name);
    }
  }
  const dir = dataFolder(t);
  const packed = members(pages);
  const third = members(pages.slice(0, 2)).length;
  packed[third + 30]! ^= 0xff;
  const torn = packed.subarray(0, packed.length - 10);
  const { imported } = await importInto(dir, fileWith(t, 'torn.warc.gz', torn));
  const known = await storedUrls(dir);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((name) => known.has(`${SITE}/${name}`)),
    [true, true, false, true],
  );
  assert.ok(imported!.damaged >= 1);
});

test('revisit records find their payload by id, URL and date, or digest, also later or in another file', async (t) => {
  const first = answer(`${SITE}/`, 'the same words', {
    id: '1',
    date: '2020-01-01T00:00:00Z',
    more: [`WARC-Payload-Digest: sha1:${sha1Hex('the same words')}`],
  });
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n';
  const profile = 'WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest';
  const revisit = (n: number, ...more: string[]) =>
    odd({
      type: 'revisit',
      uri: `${SITE}/r${n}`,
      date: `2020-01-0${n + 1}T00:00:00Z`,
      block: head,
      more: [profile, ...more],
    });
  const later = fileWith(
    t,
    'a.warc',
    Buffer.concat([
      revisit(1, 'WARC-Refers-To: <urn:uuid:1>'),
      revisit(2, `WARC-Refers-To-Target-URI: ${SITE}/`, 'WARC-Refers-To-Date: 2020-01-01T00:00:00Z'),
      revisit(3, `WARC-Payload-Digest: sha1:${sha1Hex('the same words')}`),
      revisit(4, 'WARC-Refers-To: <urn:uuid:nobody>'),
      odd({
        type: 'revisit',
        uri: `${SITE}/`,
        date: '2020-02-01T00:00:00Z',
        block: 'HTTP/1.1 304 Not Modified\r\n\r\n',
        more: ['WARC-Profile: http://netpreserve.org/warc/1.0/revisit/server-not-modified'],
      }),
    ]),
  );
  const dir = dataFolder(t);
  const { imported, unreadable } = await importInto(dir, later, fileWith(t, 'b.warc', first));
  for (const at of ['/', '/r1', '/r2', '/r3']) {
    const store = readSqliteStore(dir);
    assert.equal(
      (await readCopy(store, dir, SITE + at, Date.parse('2020-01-31')))?.body.toString(),
      'the same words',
      at,
    );
    await store.close();
  }
  assert.deepEqual([imported!.answers, imported!.leftOut, unreadable], [5, { 'payload-not-found': 1 }, 0]);
  const store = readSqliteStore(dir);
  t.after(() => store.close());
  const { looks } = await readHistory(store, dir, `${SITE}/`, 10);
  assert.deepEqual(
    looks.map(({ found }) => found),
    ['same', 'first'],
  );
});

test('several captures of a page become its versions, oldest first, even if older ones come later', async (t) => {
  const version = (day: number) =>
    answer(`${SITE}/`, `<title>${day}</title>Day ${day} of the page`, { date: `2020-05-0${day}T12:00:00Z` });
  const dir = dataFolder(t);
  await importInto(dir, fileWith(t, 'x.warc', Buffer.concat([version(4), version(2)])));
  const { older, added } = await importInto(
    dir,
    fileWith(t, 'y.warc', Buffer.concat([version(3), version(5), version(1)])),
  );
  assert.deepEqual([older, added], [2, 1]);
  const store = readSqliteStore(dir);
  t.after(() => store.close());
  const { looks } = await readHistory(store, dir, `${SITE}/`, 10);
  assert.deepEqual(
    looks.map(({ fetchedAtMs, found }) => [new Date(fetchedAtMs).getUTCDate(), found]),
    [
      [5, 'changed'],
      [4, 'changed'],
      [3, 'changed'],
      [2, 'changed'],
      [1, 'first'],
    ],
  );
  assert.equal((await storedUrls(dir)).get(`${SITE}/`)?.title, '5');
  const diff = await runCli('diff', `${SITE}/`, '--from', '2020-05-01', '--to', '2020-05-02', '--dir', dir);
  assert.match(diff.stdout, /Day/);
});

test('files that warcio writes are imported', async (t) => {
  const pieces: Buffer[] = [];
  for (const [n, type] of ['response', 'response', 'resource'].entries()) {
    const body = `<title>w${n}</title><p>written by warcio ${n}</p>`;
    async function* payload() {
      yield new TextEncoder().encode(body);
    }
    const record = WARCRecord.create(
      {
        url: `http://warcio.test/${n}`,
        date: `2022-01-0${n + 1}T00:00:00Z`,
        type: type as 'response',
        warcHeaders: type === 'resource' ? { 'Content-Type': 'text/html' } : {},
        ...(type === 'response' ? { httpHeaders: { 'Content-Type': 'text/html' }, statusline: 'HTTP/1.1 200 OK' } : {}),
      },
      payload(),
    );
    pieces.push(Buffer.from(await WARCSerializer.serialize(record, { gzip: true })));
  }
  const dir = dataFolder(t);
  const { imported, pages } = await importInto(dir, fileWith(t, 'w.warc.gz', Buffer.concat(pieces)));
  assert.deepEqual([imported!.answers, imported!.wrongDigests, pages], [3, 0, 3]);
  assert.match((await bodyOf(dir, 'http://warcio.test/1'))!, /written by warcio 1/);
});

test('files of wget --warc-file are imported, and the copy can be refreshed', async (t) => {
  if (spawnSync('wget', ['--version']).error) return t.skip('wget is not installed');
  const pages = site({ pages: 12 });
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/*', (visit) => pages.serve(visit));
  const folder = join(dataFolder(t), 'wget');
  mkdirSync(folder);
  const { execFile } = await import('node:child_process');
  await new Promise<void>((resolve) => {
    const words = [
      '-q',
      '-r',
      '-l',
      '9',
      '--tries=1',
      '--no-proxy',
      '--warc-file',
      join(folder, 'site'),
      '-P',
      join(folder, 'files'),
      web.url('/'),
    ];
    execFile('wget', words, () => resolve());
  });
  assert.ok(readdirSync(folder).includes('site.warc.gz'));
  const dir = dataFolder(t);
  const summary = await importInto(dir, folder);
  assert.equal(summary.pages, 12);
  assert.deepEqual([summary.seeds, summary.seedsGuessed, summary.imported!.wrongDigests], [[web.url('/')], true, 0]);
  const known = await storedUrls(dir);
  const crawled = dataFolder(t);
  await crawlHere(crawled, [web.url('/')]);
  for (const [url, { digest, title, outlinks, state }] of await storedUrls(crawled)) {
    if (state !== 'fetched') continue;
    const { digest: its, title: name, outlinks: links } = known.get(url)!;
    assert.deepEqual([its, name, links], [digest, title, outlinks], url);
  }
  const refreshed = await runCli('refresh', '--allow-private', '--dir', dir, '--json');
  assert.equal(refreshed.exitCode, 0, refreshed.stderr);
  assert.equal(JSON.parse(refreshed.stdout).changed, 0);
});

test('a guessed seed is the first fetched URL, but not the usual place of a sitemap', async (t) => {
  const at = (path: string, second: number) => answer(SITE + path, path, { date: `2021-01-01T00:00:0${second}Z` });
  const both = await importInto(
    dataFolder(t),
    fileWith(t, 'a.warc', Buffer.concat([at('/sitemap.xml', 1), at('/a', 2)])),
  );
  assert.deepEqual([both.seeds, both.seedsGuessed], [[`${SITE}/a`], true]);
  const alone = await importInto(dataFolder(t), fileWith(t, 'b.warc', at('/sitemap.xml', 1)));
  assert.deepEqual(alone.seeds, [`${SITE}/sitemap.xml`]);
});

test('a seed that was guessed from an imported file does not allow private addresses', async (t) => {
  const living = await startLivingSite(t);
  living.set('/', '<title>home</title>');
  const dir = dataFolder(t);
  const file = fileWith(
    t,
    'hostile.warc',
    answer(living.web.url('/'), '<title>home</title><a href="/secret">x</a>', {}),
  );
  assert.equal((await importInto(dir, file)).seedsGuessed, true);
  for (const command of ['crawl', 'refresh']) await runCli(command, '--dir', dir, '--json');
  assert.equal(living.requests, 0);
  assert.equal((await storedUrls(dir)).get(living.web.url('/secret'))?.reason, 'private-address');
  const typed = await runCli('crawl', '--allow-private', '--dir', dir, '--json');
  assert.equal(typed.exitCode, 0, typed.stderr);
  assert.ok(living.requests > 0);
});

test('an import adds the missing pages to a crawled copy, and importing its own export adds nothing', async (t) => {
  const living = await startLivingSite(t);
  living.set('/', '<title>home</title><a href="/a">a</a>');
  living.set('/a', '<title>a</title>of today');
  const dir = dataFolder(t);
  await crawlHere(dir, [living.web.url('/')]);
  const exported = join(dataFolder(t), 'own.warc.gz');
  const { exitCode, stderr } = await runCli('export', '--format', 'warc', '--dir', dir, '--output', exported);
  assert.equal(exitCode, 0, stderr);
  const before = filesOf(dir);
  const own = await importInto(dir, exported);
  assert.deepEqual([own.imported!.answers, own.added, own.older], [0, 0, 0]);
  assert.deepEqual(filesOf(dir), before);
  const old = answer(living.web.url('/a'), '<title>a</title>of long ago', { date: '2019-01-01T00:00:00Z' });
  const more = await importInto(
    dir,
    fileWith(t, 'old.warc', Buffer.concat([old, answer(`${SITE}/elsewhere`, 'another site')])),
  );
  assert.deepEqual([more.older, more.added], [1, 1]);
  const known = await storedUrls(dir);
  assert.equal(known.get(living.web.url('/a'))?.checks, 0);
  assert.equal(known.get(`${SITE}/elsewhere`)?.state, 'fetched');
  const crawl = await runCli('crawl', '--dir', dir, '--json');
  assert.equal(crawl.exitCode, 0, crawl.stderr);
  assert.doesNotMatch(crawl.stderr, /are not in the database/);
  await assertSound(dir);
});
