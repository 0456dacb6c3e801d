/** Tests what crawls, refreshes and `orbweaver index` have in the search index, compared with the copy. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { type LivingSite, startLivingSite } from '../../../../testbed/web/living-site.ts';
import { runCli } from '../../../cli/setup/run-cli.ts';
import { runCommands } from '../../../cli/setup/run-commands.ts';
import { makePdf } from '../../../documents/make-documents.ts';
import { allowWriting, forbidWriting } from '../../../store/another-user.ts';
import { mountTmpfs } from '../../../store/mount-tmpfs.ts';
import { crawlHere } from '../../crawl-here.ts';
import { refreshHere } from '../../refresh/refresh-here.ts';
import { dataFolder, storedUrls } from '../../stored-crawl.ts';
import { indexedAnew, indexedPages, indexHere, lasting } from './indexed-pages.ts';

const TOPICS = ['radii', 'spirals', 'glue', 'silk', 'molts', 'venom', 'prey', 'eggs'];

/** Pages with the same navigation, each with a text of its own and a link to the next one. */
function article(i: number, edition = 1): string {
  const topic = TOPICS[i]!;
  return `<!doctype html><html lang="en-GB"><title>About ${topic}</title><meta name="description" content="All on ${topic}.">
    <nav><a href="/">Home</a> <a href="/about">About this site</a></nav><div>Guide to orb weavers</div>
    <main><h1>${topic}</h1><p>An orb weaver needs ${topic}, edition ${edition}. Th<b>ere</b> is mo&shy;re of them.</p>
    <p>See <a href="/${TOPICS[(i + 1) % TOPICS.length]}">what follows ${topic}</a>.</p></main>
    <script>var hidden = 'script';</script><noscript>noscript</noscript><footer>Printed on recycled threads</footer>`;
}

async function startSite(t: TestContext): Promise<LivingSite> {
  const site = await startLivingSite(t);
  const paths = [...TOPICS, 'about', 'noindex', 'plain.txt', 'notes.md', 'data.json', 'report.pdf', 'feed', 'copy'];
  site.set('/', `<title>Front</title>${paths.map((path) => `<a href="/${path}">${path}</a> `).join('')}`);
  for (const i of TOPICS.keys()) site.set(`/${TOPICS[i]}`, article(i));
  site.set('/copy', article(0));
  site.set(
    '/about',
    '<title>About</title><p>Diese Seite beschreibt, wie die Spinnen ihre Netze bauen und was sie fangen.',
  );
  site.set('/noindex', '<title>Secret</title><meta name="robots" content="noindex"><p>Not for search engines.');
  site.set('/plain.txt', 'First line\nof a text.\n\nSecond paragraph.', 'text/plain');
  site.set('/notes.md', '# Notes\n\nAbout *webs*.\n## More\nText', 'text/markdown');
  site.set('/data.json', '{"a": 1}', 'application/json');
  site.set('/report.pdf', makePdf({ lines: ['Threads are strong'], title: 'Report' }), 'application/pdf');
  site.set('/feed', '<rss><channel><title>Feed</title></channel></rss>', 'application/rss+xml');
  return site;
}

async function crawled(t: TestContext): Promise<{ site: LivingSite; dir: string }> {
  const site = await startSite(t);
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s' });
  return { site, dir };
}

test('after a crawl the index has each page for people once, with its text, its links and its facts', async (t) => {
  const { site, dir } = await crawled(t);
  const pages = indexedPages(dir);
  const at = (path: string) => pages.get(site.web.url(path))!;
  const known = await storedUrls(dir);
  const paths = [...pages.keys()].map((url) => url.replace(site.web.url('/'), '')).sort();
  // A page with the same content is a duplicate of the first one, which represents it.
  const wanted = ['', 'about', 'noindex', 'notes.md', 'plain.txt', 'report.pdf', ...TOPICS].sort();
  const duplicate = [...known.values()].find(({ state }) => state === 'duplicate')!.url;
  assert.deepEqual(paths, [...wanted, 'copy'].filter((path) => site.web.url(`/${path}`) !== duplicate).sort());

  const eggs = at('/eggs');
  const { urlId, title, description, language, fileType, isNoindex, depth, changedAtMs } = eggs;
  assert.deepEqual(
    { urlId, title, description, language, fileType, isNoindex, depth, changedAtMs },
    {
      urlId: known.get(site.web.url('/eggs'))!.id,
      ...{ title: 'about eggs', description: 'all on eggs', language: 'en', fileType: 'html' },
      ...{ isNoindex: false, depth: 1, changedAtMs: null },
    },
  );
  const { fetchedAtMs } = known.get(site.web.url('/eggs'))!.capture!;
  assert.equal(eggs.fetchedAtMs, 1_000 * Math.floor(fetchedAtMs / 1_000));
  assert.deepEqual(eggs.blocks, [
    'home about this site',
    'guide to orb weavers',
    'eggs',
    'an orb weaver needs eggs edition 1 there is more of them',
    'see what follows eggs',
    'printed on recycled threads',
  ]);
  assert.equal(at('/notes.md').title, 'notes');
  assert.deepEqual(at('/notes.md').blocks, ['notes', 'about webs', 'more', 'text']);
  assert.deepEqual(at('/plain.txt').blocks, ['first line of a text', 'second paragraph']);
  assert.deepEqual(
    ['/plain.txt', '/notes.md', '/report.pdf', '/eggs'].map((path) => at(path).fileType),
    ['txt', 'md', 'pdf', 'html'],
  );
  assert.deepEqual([at('/report.pdf').title, at('/report.pdf').blocks[0]], ['report', 'threads are strong']);
  assert.deepEqual([at('/noindex').isNoindex, at('/about').language], [true, 'de']);

  // An index that is made now knows the template that the crawl has learned.
  await indexHere(dir, true);
  const again = indexedPages(dir).get(site.web.url('/eggs'))!;
  const next = known.get(site.web.url('/radii'))!;
  assert.deepEqual(again.links, [{ targetId: next.id, text: 'what follows eggs' }]);
});

test('C12 after refreshes with changed, gone, moved and returned pages the index equals one that is made anew', async (t) => {
  const { site, dir } = await crawled(t);
  site.set('/silk', article(3, 2));
  site.pages.set('/glue', { status: 410 });
  site.pages.set('/venom', { status: 301, to: '/venom-2' });
  site.set('/venom-2', article(5, 3));
  await refreshHere(dir);
  const silk = indexedPages(dir).get(site.web.url('/silk'))!;
  assert.match(silk.blocks.join(), /edition 2/);
  assert.equal(silk.changedAtMs, silk.fetchedAtMs);
  const paths = [...indexedPages(dir).keys()].map((url) => new URL(url).pathname);
  assert.deepEqual(
    ['/glue', '/venom', '/venom-2'].map((path) => paths.includes(path)),
    [false, false, true],
  );
  assert.deepEqual(lasting(dir), await indexedAnew(t, dir));

  site.set('/glue', article(2, 4));
  await refreshHere(dir, { maxInterval: '1ms' });
  assert.ok(indexedPages(dir).has(site.web.url('/glue')));
  assert.deepEqual(lasting(dir), await indexedAnew(t, dir));
});

test('--no-search keeps no index, is a rule of the crawl, and orbweaver index makes the index later', async (t) => {
  const site = await startSite(t);
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s', search: false });
  site.set('/silk', article(3, 2));
  await refreshHere(dir);
  assert.deepEqual(
    readdirSync(dir).filter((file) => file.startsWith('search')),
    [],
  );
  assert.match((await runCli('status', '--dir', dir)).stdout, /^No search index\. To make it: orbweaver index --dir/m);
  const { pages, followers, unread, ending } = await indexHere(dir);
  assert.equal(pages, indexedPages(dir).size);
  assert.deepEqual([pages > 10, unread, ending], [true, { pages: 0, files: [] }, 'done']);
  assert.deepEqual(
    followers.map(({ name, isDone, failure }) => ({ name, isDone, failure })),
    [{ name: 'search index', isDone: true, failure: null }],
  );
  // Nothing is left to do, and the next run says so.
  assert.deepEqual((await indexHere(dir)).followers[0]!.followed, 0);
  const status = JSON.parse((await runCli('status', '--dir', dir, '--json')).stdout).search;
  assert.deepEqual([status.pages, status.behind, status.unread.pages], [pages, 0, 0]);
  // With the option given again, the next run catches up.
  site.set('/silk', article(3, 5));
  await refreshHere(dir, { search: true });
  assert.match(JSON.stringify(indexedPages(dir).get(site.web.url('/silk'))), /edition 5/);
});

test('a deleted index, the index of another crawl and a damaged one are made again', async (t) => {
  const { site, dir } = await crawled(t);
  const expected = lasting(dir);
  rmSync(join(dir, 'search.db'));
  assert.equal(JSON.parse((await runCli('status', '--dir', dir, '--json')).stdout).search, null);
  site.set('/silk', article(3, 2));
  await refreshHere(dir);
  assert.equal(lasting(dir).length, expected.length);

  const other = dataFolder(t);
  await crawlHere(other, [site.web.url('/about')], { patience: '0s', scope: 'page' });
  for (const file of ['search.db', 'search-notes.db']) renameSync(join(other, file), join(dir, file));
  const { pages, followers } = await indexHere(dir);
  assert.deepEqual([pages, followers[0]!.isDone], [expected.length, true]);
  assert.deepEqual(lasting(dir), await indexedAnew(t, dir));

  writeFileSync(join(dir, 'search.db'), 'no database '.repeat(100));
  const { exitCode, stderr } = await runCli('index', '--dir', dir);
  assert.deepEqual([exitCode === 0, /search\.db/.test(stderr)], [false, true], stderr);
  // A run does not fail because of its index.
  assert.equal((await refreshHere(dir)).ending, 'done');
  assert.equal((await indexHere(dir, true)).pages, expected.length);
  assert.deepEqual(lasting(dir), await indexedAnew(t, dir));
});

test('pages that the archive cannot give are left out and named, and tried again later', async (t) => {
  const { dir } = await crawled(t);
  const expected = lasting(dir);
  const [file] = readdirSync(join(dir, 'archive')) as [string];
  renameSync(join(dir, 'archive', file), join(dir, 'moved'));
  const { unread, pages, followers } = await indexHere(dir, true);
  assert.equal(followers[0]!.isDone, true);
  assert.deepEqual([pages, unread.files[0]!.file], [0, file]);
  assert.ok(unread.pages >= expected.length, `${unread.pages} pages`);
  const { stdout } = await runCli('status', '--dir', dir);
  assert.match(stdout, new RegExp(`${unread.pages} pages could not be read for the search index.*\\n.*${file}`));
  renameSync(join(dir, 'moved'), join(dir, 'archive', file));
  assert.deepEqual((await indexHere(dir)).unread, { pages: 0, files: [] });
  assert.deepEqual(lasting(dir), expected);
});

test('one process writes an index at a time: a second one is refused, and a run waits for it', async (t) => {
  const { dir, site } = await crawled(t);
  const lock = new DatabaseSync(join(dir, 'search.lock'));
  lock.exec('BEGIN EXCLUSIVE');
  await assert.rejects(indexHere(dir), { code: 'ERR_LOCKED' });
  lock.close();
  site.set('/silk', article(3, 2));
  await refreshHere(dir);
  assert.match(JSON.stringify(indexedPages(dir).get(site.web.url('/silk'))), /edition 2/);
});

test('a folder that cannot be written is refused by orbweaver index, and status shows the index that is there', async (t) => {
  const { dir } = await crawled(t);
  const before = lasting(dir);
  forbidWriting(dir);
  const runs = runCommands('another', {}, [
    ['index', '--dir', dir],
    ['index', '--rebuild', '--dir', dir],
    ['status', '--dir', dir],
  ]);
  allowWriting(dir);
  for (const { outcome } of runs.slice(0, 2)) assert.match(outcome, /^ERR_DIR cannot write the search index in .*: /);
  assert.match(runs[2]!.stdout, new RegExp(`^Search index: ${before.length} pages, .*, up to date\\.$`, 'm'));
  assert.deepEqual(lasting(dir), before);
});

test('a full disk stops the index and not the run, and the index continues when there is space', async (t) => {
  const { dir } = await crawled(t);
  const expected = lasting(dir);
  const small = join(dataFolder(t), 'small');
  mkdirSync(small);
  const mounted = mountTmpfs(small, 'size=16m,mode=700');
  if (typeof mounted === 'string') return t.skip(mounted);
  try {
    cpSync(dir, small, { recursive: true, filter: (from) => !from.includes('search') });
    fill(join(small, 'ballast'));
    const { exitCode, stderr, stdout } = await runCli('index', '--dir', small);
    assert.notEqual(exitCode, 0);
    assert.match(stdout + stderr, /full/);
    rmSync(join(small, 'ballast'));
    assert.equal((await runCli('index', '--dir', small)).exitCode, 0);
    assert.deepEqual(lasting(small), expected);
  } finally {
    mounted.unmount();
  }
});

function fill(file: string): void {
  const chunk = Buffer.alloc(4_096);
  try {
    for (;;) writeFileSync(file, chunk, { flag: 'a' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
