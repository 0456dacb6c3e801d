/** Tests `--revisits`: a visit that finds a page unchanged is archived as a dated revisit record. */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { warcBytes } from '../../../src/cli/commands/export-archive.ts';
import { readHistory } from '../../../src/copy/read-history.ts';
import type { GivenOptions } from '../../../src/core/options/options.ts';
import { LATEST_MS, readCopy } from '../../../src/crawl/place/read-archived.ts';
import { verify } from '../../../src/library/verify.ts';
import { startRecovery } from '../../../src/recover/recover.ts';
import type { Store } from '../../../src/store/contract.ts';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { hostOf } from '../../../src/url/host.ts';
import { urlKeyHex } from '../../../src/url/key.ts';
import { type LocalWeb, startWeb } from '../../../testbed/web/local-web.ts';
import { readWithWarcio, type SeenRecord } from '../../archive/independent-reader.ts';
import { copyState } from '../../recover/copy-state.ts';
import { crawlHere } from '../crawl-here.ts';
import { assertSound, dataFolder } from '../stored-crawl.ts';
import { refreshHere } from './refresh-here.ts';

const PATHS = ['/', '/etag', '/plain'] as const;

/** The page `/etag` has a validator. The other pages are sent each time. */
async function startSite(t: TestContext): Promise<{ web: LocalWeb; texts: Map<string, string> }> {
  const web = await startWeb();
  t.after(() => web.close());
  const texts = new Map<string, string>(PATHS.map((path) => [path, `<title>${path}</title><p>first text`]));
  texts.set('/', '<a href=/etag>one</a><a href=/plain>two</a>');
  web.on('/*', ({ path, request, response }) => {
    const text = texts.get(path);
    if (text === undefined) return void response.writeHead(404).end();
    const etag = `"${urlKeyHex(text)}"`;
    const validators = path === '/etag' ? { etag } : {};
    if (path === '/etag' && request.headers['if-none-match'] === etag)
      return void response.writeHead(304, validators).end();
    response.writeHead(200, { 'content-type': 'text/html', ...validators }).end(text);
  });
  return { web, texts };
}

async function withStore<T>(dir: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = readSqliteStore(dir);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Status and kind of record of every capture of a page, oldest first. */
function capturesOf(dir: string, url: string): Promise<string[]> {
  return withStore(dir, async (store) => {
    const captures = await store.capturesOf(hostOf(url), urlKeyHex(url), LATEST_MS, 100);
    return captures.map(({ status, revisit }) => `${status}${revisit ? ' revisit' : ''}`).reverse();
  });
}

/** The records of a page in the order of their dates. */
async function recordsOf(dir: string, url: string): Promise<SeenRecord[]> {
  const archive = join(dir, 'archive');
  const files = await Promise.all(readdirSync(archive).map((file) => readWithWarcio(join(archive, file))));
  const its = files.flat().filter(({ warc }) => warc.get('warc-target-uri') === url);
  return its.sort((a, b) => (a.warc.get('warc-date')! < b.warc.get('warc-date')! ? -1 : 1));
}

async function crawledTwice(t: TestContext, given: GivenOptions) {
  const { web, texts } = await startSite(t);
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { units: 1, ...given });
  await refreshHere(dir, { units: 1 });
  return { web, texts, dir };
}

/** The number of problems that verify finds. */
async function findingsIn(dir: string): Promise<number> {
  const { findings } = await verify({ dir, rate: 'none', restart: true });
  return Object.values(findings).reduce((sum, some) => sum + some, 0);
}

test('an unchanged page leaves a revisit record of the visit, also with 304, and the rule stays with the crawl', async (t) => {
  const { web, dir } = await crawledTwice(t, { revisits: true });
  assert.deepEqual(await capturesOf(dir, web.url('/etag')), ['200', '304 revisit']);
  assert.deepEqual(await capturesOf(dir, web.url('/plain')), ['200', '200 revisit']);
  for (const [path, profile, statusLine] of [
    // Replay tools would answer with the head of a 304, so the record has none.
    ['/etag', 'server-not-modified', ''],
    ['/plain', 'identical-payload-digest', 'HTTP/1.1 200 OK'],
  ] as const) {
    const records = await recordsOf(dir, web.url(path));
    const first = records.find(({ type }) => type === 'response')!;
    const again = records.find(({ type }) => type === 'revisit')!;
    assert.equal(again.warc.get('warc-profile'), `http://netpreserve.org/warc/1.1/revisit/${profile}`);
    assert.equal(again.warc.get('warc-refers-to'), first.warc.get('warc-record-id'));
    assert.equal(again.warc.get('warc-refers-to-target-uri'), web.url(path));
    assert.equal(again.warc.get('warc-refers-to-date'), first.warc.get('warc-date'));
    assert.equal(again.warc.get('warc-payload-digest'), first.warc.get('warc-payload-digest'));
    assert.equal(again.statusLine, statusLine);
    assert.equal(again.payload.length, 0);
    const its = records.filter(({ warc }) => warc.get('warc-concurrent-to') === again.warc.get('warc-record-id'));
    const request = its.find(({ type }) => type === 'request')!;
    assert.equal(request.http?.get('if-none-match'), first.http?.get('etag'));
    const metadata = its.find(({ type }) => type === 'metadata');
    if (path === '/plain') assert.equal(metadata, undefined);
    else assert.match(String(metadata!.payload), /^http-status-line: HTTP\/1\.1 304 .*\r\nhttp-header: etag: "/);
  }
});

test('a visit that finds nothing new leaves no record without the option, and a refresh can switch it on and off', async (t) => {
  const { web, dir } = await crawledTwice(t, {});
  const url = web.url('/etag');
  assert.deepEqual(await capturesOf(dir, url), ['200']);
  await refreshHere(dir, { units: 1, revisits: true });
  await refreshHere(dir, { units: 1 });
  assert.deepEqual(await capturesOf(dir, url), ['200', '304 revisit', '304 revisit']);
  await refreshHere(dir, { units: 1, revisits: false });
  await refreshHere(dir, { units: 1 });
  assert.deepEqual(await capturesOf(dir, url), ['200', '304 revisit', '304 revisit']);
});

test('readers, verify, retention and recovery understand the records of unchanged pages', async (t) => {
  const { web, texts, dir } = await crawledTwice(t, { revisits: true });
  texts.set('/etag', '<title>/etag</title><p>second text');
  for (let round = 0; round < 3; round++) await refreshHere(dir, { units: 1 });
  const url = web.url('/etag');
  assert.deepEqual(await capturesOf(dir, url), ['200', '304 revisit', '200', '304 revisit', '304 revisit']);
  await withStore(dir, async (store) => {
    const [oldest] = (await store.capturesOf(hostOf(url), urlKeyHex(url), LATEST_MS, 100)).toReversed().slice(1);
    assert.equal((await readCopy(store, dir, url, LATEST_MS))?.body.toString(), texts.get('/etag'));
    assert.match((await readCopy(store, dir, url, oldest!.fetchedAtMs))!.body.toString(), /first text/);
    const { looks } = await readHistory(store, dir, url, 10);
    assert.deepEqual(
      looks.map(({ found }) => found),
      ['same', 'same', 'changed', 'same', 'first'],
    );
  });
  const before = await copyState(dir);
  const checks = () => withStore(dir, async (store) => (await store.explain(hostOf(url), urlKeyHex(url)))?.checks);
  const visits = await checks();
  assert.equal(visits, 4);
  assert.equal(await findingsIn(dir), 0);

  const recovered = await startRecovery({ dir, files: [], seeds: [], sources: [], rebuild: true }).summary;
  assert.deepEqual([recovered.unreadable, recovered.withoutPayload], [0, 0]);
  assert.deepEqual(await copyState(dir), before);
  assert.equal(await checks(), visits, 'the visits that found nothing new are known again');

  const file = join(dataFolder(t), 'all.warc.gz');
  await withStore(dir, async (store) => writeFileSync(file, await buffer(warcBytes(store, dir))));
  const again = await startRecovery({ dir, files: [file], seeds: [], sources: [], rebuild: false }).summary;
  assert.deepEqual([again.added, again.imported?.answers], [0, 0], 'its own export adds nothing');
  const other = dataFolder(t);
  await startRecovery({ dir: other, files: [file], seeds: [], sources: [], rebuild: false }).summary;
  assert.deepEqual(await capturesOf(other, url), await capturesOf(dir, url), 'an import has the same visits');

  await refreshHere(dir, { units: 1, keep: '1' });
  assert.deepEqual(await capturesOf(dir, url), ['200', '304 revisit', '304 revisit', '304 revisit']);
  assert.equal(await findingsIn(dir), 0);
  await assertSound(dir);
});
