/**
 * Tests that a payload is archived once, whichever unit fetches it and in whichever run: the other
 * captures are revisit records that refer to it.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ARCHIVE_FOLDER } from '../../../src/crawl/place/data-folder.ts';
import { LATEST_MS, readCopy } from '../../../src/crawl/place/read-archived.ts';
import type { CaptureRecord } from '../../../src/store/contract.ts';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { type LocalWeb, reply, startWeb } from '../../../testbed/web/local-web.ts';
import { readWithWarcio, type SeenRecord } from '../../archive/independent-reader.ts';
import { addHere, crawlHere } from '../crawl-here.ts';
import { dataFolder, storedUrls } from '../stored-crawl.ts';

const OPTIONS = { scope: 'any', units: 2, patience: '0s' };

/** Webs on different addresses. Each has the same bytes at `/same`, with links to all the others. */
async function startMirrors(t: TestContext, count: number): Promise<{ webs: LocalWeb[]; body: string }> {
  const webs = await Promise.all(Array.from({ length: count }, (_, n) => startWeb({ address: `127.0.0.${n + 1}` })));
  const links = webs.map((web) => `<a href="${web.url('/same')}">here</a>`).join('\n');
  const body = `<title>The same</title>${links}${'<p>It says the same everywhere.</p>'.repeat(50)}`;
  for (const web of webs) {
    t.after(() => web.close());
    web.on('/robots.txt', reply('', {}, 404));
    web.on('/same', reply(body));
  }
  return { webs, body };
}

async function captureOf(dir: string, url: string): Promise<CaptureRecord> {
  return (await storedUrls(dir)).get(url)!.capture!;
}

/** The record of a capture, read by an implementation that shares no code with ours. */
async function recordAt(dir: string, { file, offset }: CaptureRecord): Promise<SeenRecord> {
  const records = await readWithWarcio(join(dir, ARCHIVE_FOLDER, file));
  return records.find((record) => record.offset === offset)!;
}

async function assertLeadsTo(dir: string, first: CaptureRecord, firstUrl: string, url: string): Promise<void> {
  const original = await recordAt(dir, first);
  const revisit = await recordAt(dir, await captureOf(dir, url));
  assert.equal(original.type, 'response');
  assert.equal(revisit.type, 'revisit', url);
  const { warc } = revisit;
  assert.equal(warc.get('warc-target-uri'), url);
  assert.equal(warc.get('warc-refers-to'), original.warc.get('warc-record-id'));
  assert.equal(warc.get('warc-refers-to-target-uri'), firstUrl);
  assert.equal(warc.get('warc-refers-to-date'), original.warc.get('warc-date'));
  assert.equal(warc.get('warc-payload-digest'), original.warc.get('warc-payload-digest'));
  assert.equal(revisit.payload.length, 0);
}

async function assertReadable(dir: string, urls: readonly string[], body: string): Promise<void> {
  const store = readSqliteStore(dir);
  try {
    for (const url of urls) assert.equal((await readCopy(store, dir, url, LATEST_MS))?.body.toString(), body, url);
  } finally {
    await store.close();
  }
}

test('a payload that one unit has archived becomes a revisit record in another unit', async (t) => {
  const { webs, body } = await startMirrors(t, 5);
  const dir = dataFolder(t);
  // The other URLs become known when the first page is committed, so none of them is fetched before.
  await crawlHere(dir, [webs[0]!.url('/same')], OPTIONS);
  const urls = webs.map((web) => web.url('/same'));
  const first = await captureOf(dir, urls[0]!);
  for (const url of urls.slice(1)) await assertLeadsTo(dir, first, urls[0]!, url);
  const files = await Promise.all(urls.map(async (url) => (await captureOf(dir, url)).file));
  assert.equal(new Set(files).size, 2, 'both units had some of them');
  await assertReadable(dir, urls, body);
});

test('a payload that an earlier run has archived becomes a revisit record in the next run', async (t) => {
  const { webs, body } = await startMirrors(t, 2);
  const dir = dataFolder(t);
  const urls = webs.map((web) => web.url('/same'));
  await crawlHere(dir, [urls[0]!], { ...OPTIONS, scope: 'host' });
  await addHere(dir, [urls[1]!], { ...OPTIONS, scope: 'host' });
  const first = await captureOf(dir, urls[0]!);
  await assertLeadsTo(dir, first, urls[0]!, urls[1]!);
  assert.notEqual((await captureOf(dir, urls[1]!)).file, first.file);
  await assertReadable(dir, urls, body);
});
