/** Crawls pages with documents: which links are followed, what the store keeps, and what an interrupted crawl loses. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startRecovery } from '../../src/recover/recover.ts';
import { type LivingSite, startLivingSite } from '../../testbed/web/living-site.ts';
import { reply } from '../../testbed/web/local-web.ts';
import { runCli } from '../cli/setup/run-cli.ts';
import { makePdf, makeZip } from '../documents/make-documents.ts';
import { crawlHere, fatesOf } from './crawl-here.ts';
import { type CrawlProcess, startCrawlProcess } from './crawl-process.ts';
import { refreshHere } from './refresh/refresh-here.ts';
import { assertSound, dataFolder, storedUrls } from './stored-crawl.ts';

const PDF = 'application/pdf';

function links(...paths: string[]): string {
  return paths.map((path) => `<a href=${path}>${path}</a> `).join('');
}

function docx(target: string): Buffer {
  return makeZip({
    'word/document.xml': '<w:p><w:hyperlink r:id="r1"><w:t>link</w:t></w:hyperlink></w:p>',
    'word/_rels/document.xml.rels': `<r><Relationship Id="r1" Target="${target}" TargetMode="External"/></r>`,
  });
}

/** A document that takes more than a second. */
const SLOW = `{\\rtf1 ${'{}'.repeat(4_500_000)}`;

async function startSite(t: TestContext): Promise<LivingSite> {
  const site = await startLivingSite(t);
  site.web.on('/robots.txt', reply('User-agent: *\nDisallow: /private/', { 'content-type': 'text/plain' }));
  site.set('/', links('/a/report.pdf', '/a/letter', '/locked.pdf', '/broken.pdf', '/files.zip'));
  site.set('/a/report.pdf', makePdf({ lines: ['Text'], title: 'Report', link: 'next.html' }), PDF);
  site.set('/a/next.html', 'page');
  site.set('/a/letter', docx('../private/page'), 'application/octet-stream');
  const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >> /ID [<01> <01>]`;
  site.set('/locked.pdf', makePdf({ lines: ['a'], link: '/never', trailer: encrypt }), PDF);
  site.set('/broken.pdf', '%PDF-1.7\nnothing', PDF);
  site.set('/files.zip', makeZip({ 'a.txt': 'a' }), 'application/zip');
  return site;
}

const FATES = {
  '/': 'fetched',
  '/a/letter': 'fetched',
  '/a/next.html': 'fetched',
  '/a/report.pdf': 'fetched',
  '/broken.pdf': 'fetched/document-damaged',
  '/files.zip': 'fetched',
  '/locked.pdf': 'fetched/document-encrypted',
  '/private/page': 'skipped/robots-disallowed',
};

test('links in documents are followed like links of pages, and a document that cannot be read has a reason', async (t) => {
  const site = await startSite(t);
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')]);
  assert.deepEqual(await fatesOf(dir, site.web.origin), FATES);
  const report = (await storedUrls(dir)).get(site.web.url('/a/report.pdf'));
  assert.deepEqual([report?.title, report?.outlinks], ['Report', 1]);
  await assertSound(dir);

  const { stdout } = await runCli('links', site.web.url('/a/next.html'), '--dir', dir, '--json');
  const { from } = JSON.parse(stdout) as { from: { url: string; title: string; anchor: string }[] };
  assert.deepEqual(
    from.map(({ url, title, anchor }) => [url, title, anchor]),
    [[site.web.url('/a/report.pdf'), 'Report', '']],
  );
  const explained = JSON.parse((await runCli('explain', site.web.url('/a/next.html'), '--dir', dir, '--json')).stdout);
  assert.deepEqual(explained.via, [site.web.url('/'), site.web.url('/a/report.pdf')]);
});

test('a recovery reads the documents of the archive', async (t) => {
  const site = await startSite(t);
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')]);
  const whole = await storedUrls(dir);
  rmSync(join(dir, 'crawl.db'));
  await startRecovery({ dir, files: [], seeds: [], sources: [], rebuild: false }).summary;
  const rebuilt = await storedUrls(dir);
  const facts = (urls: typeof whole) =>
    [...urls.values()].map(({ url, title, outlinks }) => [url, title, outlinks]).sort();
  assert.deepEqual(facts(rebuilt), facts(whole));
});

test('nofollow, the depth and --sitemap-only hold for the links of documents', async (t) => {
  const site = await startSite(t);
  const found = async (given: object): Promise<string | undefined> => {
    const dir = dataFolder(t);
    await crawlHere(dir, [site.web.url('/')], given);
    return (await fatesOf(dir, site.web.origin))['/a/next.html'];
  };
  assert.equal(await found({ depth: 1 }), 'skipped/too-deep');
  assert.equal(await found({ sitemapOnly: true }), undefined);
  const nofollow = { 'content-type': PDF, 'x-robots-tag': 'nofollow' };
  site.web.on('/a/report.pdf', reply(makePdf({ lines: ['a'], link: 'next.html' }), nofollow));
  assert.equal(await found({}), undefined);
  assert.equal(await found({ ignoreNofollow: true }), 'fetched');
});

test('a refresh keeps the links of an unchanged document and reads a changed document again', async (t) => {
  const site = await startSite(t);
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')]);
  const outlinks = async (): Promise<number | undefined> =>
    (await storedUrls(dir)).get(site.web.url('/a/report.pdf'))?.outlinks;
  // More kinds of links are wanted, so the links of unchanged pages are read again.
  await refreshHere(dir, { images: true });
  assert.equal(await outlinks(), 1);
  assert.deepEqual(site.asked('/a/report.pdf'), [200, 304]);
  site.set('/a/report.pdf', makePdf({ lines: ['Text'], title: 'Second', link: '/new' }), PDF);
  site.set('/new', 'new page');
  await refreshHere(dir);
  const urls = await storedUrls(dir);
  assert.equal(urls.get(site.web.url('/a/report.pdf'))?.title, 'Second');
  assert.equal(urls.get(site.web.url('/new'))?.state, 'fetched');
});

/**
 * A slow document, another document that waits for it, and a chain of pages. The callback is called when the last page
 * of the chain is requested.
 */
async function startSlowSite(t: TestContext, onLast: () => void): Promise<LivingSite> {
  const site = await startLivingSite(t);
  site.set('/', links('/slow.rtf', '/1'));
  site.set('/slow.rtf', SLOW, 'application/rtf');
  for (let i = 1; i < 10; i++) site.set(`/${i}`, links(`/${i + 1}`, ...(i === 3 ? ['/next.pdf'] : [])));
  site.set('/next.pdf', makePdf({ lines: ['a'], link: '/end' }), PDF);
  site.set('/end', 'end');
  site.web.on('/10', ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('last');
    onLast();
  });
  return site;
}

/** An interrupted crawl finishes the document that it reads, and gives the others back. */
const WHILE_READING = {
  kill: ['waiting', 'waiting', 'fetched'],
  interrupt: ['read', 'waiting', 'fetched'],
};

for (const end of ['kill', 'interrupt'] as const) {
  test(`pages are fetched while documents are read, and a crawl that ends then (${end}) loses nothing`, async (t) => {
    let running: CrawlProcess | null = null;
    const site = await startSlowSite(t, () => running?.[end]());
    const dir = dataFolder(t);
    running = startCrawlProcess(dir, site.web.url('/'));
    const { signal, exitCode } = await running.ended;
    assert.deepEqual([signal, exitCode], end === 'kill' ? ['SIGKILL', null] : [null, 11]);
    const before = await fatesOf(dir, site.web.origin);
    const slow = before['/slow.rtf']?.replace(/^fetched.document-.*/, 'read');
    assert.deepEqual([slow, before['/next.pdf'], before['/5']], WHILE_READING[end]);

    await crawlHere(dir, [site.web.url('/')]);
    const after = await fatesOf(dir, site.web.origin);
    assert.match(after['/slow.rtf'] ?? '', /^fetched.document-/);
    assert.deepEqual([after['/10'], after['/next.pdf'], after['/end']], ['fetched', 'fetched', 'fetched']);
    await assertSound(dir);
  });
}
