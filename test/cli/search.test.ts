/** `orbweaver search` and `copy.search()` over a real crawl: results, passages, notes, corrections and hostile text. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openCopy } from '../../src/library/copy.ts';
import { type LivingSite, startLivingSite } from '../../testbed/web/living-site.ts';
import { crawlHere } from '../crawl/crawl-here.ts';
import { refreshHere } from '../crawl/refresh/refresh-here.ts';
import { allowWriting, contentOf, forbidWriting } from '../store/another-user.ts';
import { runCli } from './setup/run-cli.ts';
import { runCommands } from './setup/run-commands.ts';

const PARTS = ['hub', 'frame', 'radius', 'spiral', 'dragline', 'anchor', 'orchard', 'gate'];
const NAMES = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta'];
/** Different beginnings, so that the sentence is no template. */
const OPENINGS = ['Here', 'Our', 'This', 'The whole', 'Your', 'One short', 'Every', 'Her'];
/** Control characters, markup and a bidirectional override, which no terminal must see. */
const HOSTILE = 'evil \u001b[2J\u202e <script>alert(1)</script> \u009b31m ends';

let site: LivingSite;
let dir: string;
const cleanUp: (() => Promise<void>)[] = [];

before(async () => {
  site = await startLivingSite({ after: (work) => void cleanUp.push(work) });
  const menu = PARTS.map((part, i) => `<a href="/${part}">Item ${i}</a> `).join('');
  const extra =
    '<a href="/hostile">h</a><a href="/secret">s</a><a href="/zurich">z</a><a href="/short">s</a>' +
    '<a href="/glue-notes">n</a><a href="/glue-print">p</a><a href="/glue-history">h</a>';
  site.set('/', `<title>Front</title><nav>${menu}${extra}</nav><p>All about the webs of spiders.</p>`);
  for (const [i, part] of PARTS.entries()) {
    const next = PARTS[(i + 1) % PARTS.length]!;
    site.set(
      `/${part}`,
      `<html lang="en"><title>The ${part}</title><nav>${menu}</nav><p>${OPENINGS[i]} chapter ${i} describes the ${part} of a web and what it carries in the night, ${OPENINGS[7 - i]}.</p>
       <p>A spider ${i % 2 === 0 ? 'walks' : 'walked'} along it, and the wind tears at ${part} and silk alike.</p>
       <p>${OPENINGS[i]} next text is <a href="/${next}">see ${NAMES[i]} by name</a>, ${OPENINGS[7 - i]}</p>`,
    );
  }
  const notes = `Viscid droplets on the capture thread glue insects, and reeling stretches the capture thread. The araneid
    lays auxiliary turns first and eats them later. Droplets swell in damp air, cribellate combs need no glue.`;
  const history = 'Naturalists drew the capture thread and its viscid droplets long ago; the araneid was their model.';
  site.set('/glue-notes', `<html lang="en"><title>Notes</title><p>${notes}</p>`);
  site.set('/glue-print', `<html lang="en"><title>Notes to print</title><div>${notes}</div>`);
  site.set('/glue-history', `<html lang="en"><title>Old drawings</title><p>${history}</p>`);
  site.set('/hostile', `<title>${HOSTILE.replaceAll('<', '&lt;')}</title><p>${HOSTILE.replaceAll('<', '&lt;')}</p>`);
  site.set('/secret', '<title>Secret</title><meta name="robots" content="noindex"><p>A hidden gossamer page.</p>');
  site.set('/zurich', '<html lang="de"><title>Zürich</title><p>Müller und Söhne weben in Zürich.</p>');
  site.set('/short', '<title>漢字の頁</title><p>吾輩は猫である。名前はまだ無い。</p>');
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-search-cli-'));
  await crawlHere(dir, [site.web.url('/')], { patience: '0s' });
});

after(async () => {
  for (const work of cleanUp) await work();
  rmSync(dir, { recursive: true, force: true });
});

async function search(...words: string[]) {
  const run = await runCli('search', ...words, '--dir', dir, '--json');
  assert.equal(run.exitCode, 0, run.stderr);
  const answer = JSON.parse(run.stdout);
  const paths = answer.results.map(({ url }: { url: string }) => new URL(url).pathname);
  return { ...answer, paths: paths as string[] };
}

test('E9 the page about the words comes first, with its title and the passage that has them', async () => {
  const { paths, results, total, didYouMean, notes } = await search('dragline', 'chapter');
  assert.equal(paths[0], '/dragline');
  assert.equal(results[0].title, 'The dragline');
  assert.match(results[0].snippet, /Your chapter 4 describes the dragline of a web/);
  const marked = results[0].marks.map(({ from, to }: { from: number; to: number }) =>
    results[0].snippet.slice(from, to),
  );
  assert.deepEqual(marked, ['chapter', 'dragline']);
  assert.ok(total >= PARTS.length, 'pages with one of the words follow');
  assert.deepEqual([didYouMean, notes], [null, []]);
});

test('E9 operators, phrases, filters and forms of words select pages', async () => {
  const chapters = (paths: string[]) => paths.filter((path) => PARTS.includes(path.slice(1))).sort();
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['"of a web" AND dragline', ['dragline']],
    ['describes -dragline -hub', PARTS.filter((part) => part !== 'dragline' && part !== 'hub')],
    ['intitle:gate OR intitle:orchard', ['gate', 'orchard']],
    ['=walked', PARTS.filter((_, i) => i % 2 === 1)],
    ['walking', PARTS],
    ['describes XOR spiral', PARTS.filter((part) => part !== 'spiral')],
    ['spider NEAR/2 along', PARTS],
    ['orch*', ['orchard']],
    ['inanchor:"see epsilon"', [PARTS[5]!]],
    ['inurl:radius describes', ['radius']],
  ];
  for (const [query, parts] of cases) {
    const { paths } = await search(query, '--limit', '100');
    const expected = parts.map((part) => `/${part}`).sort();
    const found = chapters(paths);
    assert.deepEqual(found, expected, query);
  }
  assert.deepEqual((await search('mueller')).paths, ['/zurich']);
  assert.deepEqual((await search('lang:de', 'weben')).paths, ['/zurich']);
  assert.deepEqual((await search('猫')).paths, ['/short']);
  assert.deepEqual((await search(`link:${site.web.url('/gate')}`, 'intitle:orchard')).paths, ['/orchard']);
});

test('pages about the same subject as a page are found, without the page and its near duplicates', async () => {
  const like = site.web.url('/glue-notes');
  const { paths, results, total } = await search('--like', like);
  assert.equal(paths[0], '/glue-history');
  assert.deepEqual([paths.includes('/glue-notes'), paths.includes('/glue-print')], [false, false]);
  assert.match(results[0].snippet, /capture thread/);
  const pieces = [await search('--like', like, '--limit', '1'), await search('--like', like, '--offset', '1')];
  assert.deepEqual(
    pieces.flatMap((piece) => piece.paths),
    paths,
  );
  assert.equal(pieces[0]!.total, total);
  assert.deepEqual((await search('--like', like, 'intitle:orchard')).paths, []);
  await using copy = await openCopy(dir);
  assert.deepEqual(
    (await copy.similar(like)).results.map(({ url }) => new URL(url).pathname),
    paths,
  );
  const none = await runCli('search', '--like', site.web.url('/nothing'), '--dir', dir);
  assert.equal(none.exitCode, 1);
  assert.match(none.stderr, /no page to compare with; orbweaver explain says why/);
});

test('a page that asks not to be shown is shown with --noindex only', async () => {
  assert.deepEqual((await search('gossamer')).paths, []);
  assert.deepEqual((await search('gossamer', '--noindex')).paths, ['/secret']);
});

test('E12 a misspelt word is corrected, and a query that cannot be read is explained', async () => {
  assert.equal((await search('spidr', 'AND', 'describes')).didYouMean, 'spider AND describes');
  const { notes, paths } = await search('"dragline');
  assert.deepEqual([notes[0].code, paths[0]], ['quote-not-closed', '/dragline']);
});

test('paging, hosts and facets agree with the total', async () => {
  const all = await search('web', '--limit', '100', '--facets');
  const pieces = [await search('web', '--limit', '4'), await search('web', '--limit', '100', '--offset', '4')];
  assert.deepEqual(
    pieces.flatMap(({ paths }) => paths),
    all.paths,
  );
  assert.equal(all.facets.host[0].pages, all.total);
  assert.equal(
    all.facets.language.reduce((sum: number, { pages }: { pages: number }) => sum + pages, 0),
    all.total,
  );
  assert.equal((await search('web', '--per-host', '2')).results.length, 2);
});

test('text of pages reaches the terminal without control characters', async () => {
  const run = await runCli('search', 'evil', 'ends', '--dir', dir, '--explain');
  assert.equal(run.exitCode, 0, run.stderr);
  assert.match(run.stdout, /<script>/);
  assert.doesNotMatch(run.stdout, /[\u001b\u202e\u009b]/);
  assert.match(run.stdout, /rarity \d/);
});

test('bad usage, a copy without an index, and hostile queries have clear ends', async () => {
  const empty = await runCli('search', '--dir', dir);
  assert.deepEqual([empty.exitCode, /needs a query/.test(empty.stderr)], [2, true]);
  const bare = mkdtempSync(join(tmpdir(), 'orbweaver-no-index-'));
  try {
    await crawlHere(bare, [site.web.url('/hub')], { patience: '0s', search: false, limit: 1 });
    const without = await runCli('search', 'hub', '--dir', bare);
    assert.equal(without.exitCode, 1);
    assert.match(without.stderr, /has no search index; make it with: orbweaver index --dir .*\[ERR_NO_INDEX\]/);
  } finally {
    rmSync(bare, { recursive: true, force: true });
  }
  for (const query of ['((((', 'AND OR NOT', '*', '-', '"', 'NEAR/0', `${'a OR '.repeat(5_000)}b`, '\u0001\u0002']) {
    const run = await runCli('search', query, '--dir', dir, '--json');
    assert.equal(run.exitCode, query.trim() === '' ? 2 : 0, `${query.slice(0, 20)} ${run.stderr}`);
  }
});

test('a user who may only read searches a copy, and writes nothing into the folder', (t) => {
  const other = mkdtempSync(join(tmpdir(), 'orbweaver-search-read-only-'));
  t.after(() => {
    allowWriting(other);
    rmSync(other, { recursive: true });
  });
  cpSync(dir, other, { recursive: true });
  forbidWriting(other);
  const content = contentOf(other);
  const [found, corrected] = runCommands('another', {}, [
    ['search', 'dragline', '--dir', other],
    ['search', 'spidr', '--dir', other],
  ]);
  assert.deepEqual([found!.outcome, corrected!.outcome], ['0', '0']);
  assert.match(found!.stdout, /The dragline\n/);
  assert.match(corrected!.stdout, /Did you mean: spider/);
  assert.deepEqual(contentOf(other), content);
});

test('a program searches a copy, also after a refresh, and gets completions', async () => {
  const copy = await openCopy(dir);
  try {
    const { results, total } = await copy.search('spiral', { limit: 1 });
    assert.equal(results[0]!.url, site.web.url('/spiral'));
    assert.ok(total >= 1 && results[0]!.fetchedAt instanceof Date);
    assert.ok((await copy.completions('drag')).includes('dragline'));
    const more = await copy.search('spiral', { feedback: true });
    assert.equal(more.results[0]!.url, site.web.url('/spiral'));
    site.set('/hub', '<title>The hub</title><p>Nothing but petrichor is left.</p>');
    await refreshHere(dir);
    assert.deepEqual(
      (await copy.search('petrichor')).results.map(({ url }) => url),
      [site.web.url('/hub')],
    );
    await assert.rejects(copy.search('x', { limit: -1 }), { code: 'ERR_BAD_OPTION' });
  } finally {
    await copy.close();
  }
});
