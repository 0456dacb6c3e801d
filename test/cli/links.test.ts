/**
 * Tests `links` over a real crawl of two local hosts: which page links to which, with which
 * text, and how the link looks on the page.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { LinkFacts, UrlLinks } from '../../src/copy/read-links.ts';
import { encodeAttributes } from '../../src/graph/link-attributes.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { type LocalWeb, reply, startWeb } from '../../testbed/web/local-web.ts';
import { crawlHere } from '../crawl/crawl-here.ts';
import { storedUrls } from '../crawl/stored-crawl.ts';
import { temporaryFolder } from '../store/fresh-store.ts';
import { claimOne, commit, found, NOW_MS, page, resultOf } from '../store/rows.ts';
import { runCli } from './setup/run-cli.ts';

const FILLER = `<p>${'silk '.repeat(2_000)}</p>`;
const HOSTILE = 'spin\x1b[2J\u202e\x9b31m a &lt;b&gt; web';
const ISLANDS = 60;

let web: LocalWeb;
let other: LocalWeb;
let dir: string;
before(async () => {
  web = await startWeb();
  other = await startWeb({ address: '127.0.0.2' });
  const islands = Array.from({ length: ISLANDS }, (_, i) => `<a href="/island/${i}">Island ${i}</a>`).join('');
  web.on(
    '/',
    reply(`<title>Front</title><a href="/a"></a><b><i><a href="/a?utm_source=x">the <em>A</em> page</a></i></b> ${FILLER}
      <a href="/a">plain</a> ${FILLER} <a href="/b">B</a><a href="/old">old</a>
      <a href="/hidden" rel="nofollow">hidden</a><a href="/a;jsessionid=1a2b">again</a>${islands}`),
  );
  web.on('/a', reply(`<title>A</title><base href="/deep/"><a href="../b">to B</a><a href="/a">myself</a>`));
  web.on(
    '/b',
    reply(`<title>B ${HOSTILE}</title><a href="/a"><img alt="picture of A" src="x.png"></a><a href="/">home</a>`),
  );
  web.on('/old', reply('', { location: '/a' }, 301));
  for (let i = 0; i < ISLANDS; i++) {
    web.on(`/island/${i}`, reply(`<title>Island ${i}</title><p>${i}<a href="/">${i === 7 ? HOSTILE : 'home'}</a>`));
  }
  other.on('/', reply(`<title>Other</title><a href="${web.url('/a')}">elsewhere</a>${FILLER}`));
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-links-'));
  const given = { patience: '0s', units: 1, concurrency: 1, dropTracking: true };
  await crawlHere(dir, [web.url('/'), other.url('/')], given);
  const store = openSqliteStore(dir, Date.now());
  const known = await storedUrls(dir);
  const ranks = new Float32Array(known.size + 1);
  ranks[known.get(web.url('/'))!.id] = 0.25;
  ranks[known.get(other.url('/'))!.id] = 0.5;
  ranks[known.get(web.url('/a'))!.id] = 0.125;
  await store.setPageRanks(ranks);
  await store.close();
});
after(async () => {
  await Promise.all([web.close(), other.close()]);
  rmSync(dir, { recursive: true, force: true });
});

function links(path: string, ...words: string[]) {
  return runCli('links', web.url(path), '--dir', dir, ...words);
}

async function linksJson(path: string, ...words: string[]) {
  const { stdout, stderr, exitCode } = await links(path, '--json', ...words);
  assert.deepEqual([exitCode, stderr], [0, '']);
  return JSON.parse(stdout);
}

test('P6 --json has the other pages that link to a page, highest PageRank first, and the links from it', async () => {
  const found = await linksJson('/a');
  const { from, to, ...totals } = found;
  assert.deepEqual(Object.keys(found), ['url', 'backlinks', 'forwardLinks', 'rank', 'from', 'to']);
  assert.deepEqual(totals, { url: web.url('/a'), backlinks: 3, forwardLinks: 1, rank: 0.125 });
  assert.deepEqual(Object.keys(from[0]), 'url title anchor elsewhere visibility position distance rank'.split(' '));
  assert.deepEqual(
    (from as LinkFacts[]).map(({ url, title, anchor, distance, rank }) => [url, title, anchor, distance, rank]),
    [
      [other.url('/'), 'Other', 'elsewhere', 5, 0.5],
      [web.url('/'), 'Front', 'the A page', 1, 0.25],
      [web.url('/b'), from[2].title, 'picture of A', 1, null],
    ],
  );
  assert.deepEqual(
    (to as LinkFacts[]).map(({ url, anchor }) => [url, anchor]),
    [[web.url('/b'), 'to B']],
  );
});

test('links describes the same facts in words', async () => {
  const { stdout, exitCode } = await links('/a');
  assert.equal(exitCode, 0);
  const lines = stdout.split('\n');
  assert.deepEqual(lines.slice(0, 7), [
    web.url('/a'),
    '3 pages link to it; it links to one URL.',
    'Its PageRank is 0.125.',
    `Another URL redirects to it. Links to that URL are listed separately: orbweaver links ${web.url('/old')} --dir ${dir}`,
    '',
    'Links to it, highest PageRank first:',
    `  ${other.url('/')}  "Other"`,
  ]);
  assert.match(lines[7]!, /^ {4}"elsewhere"; plain, (?:first|middle|last) third, other host; PageRank 0\.5$/);
  assert.match(lines[9]!, /^ {4}"the A page"; .*, same host; PageRank 0\.25$/);
  assert.ok(lines.includes('Links from it:'));
});

test('links of a redirecting URL names the target for which they do not count', async () => {
  const { stdout } = await links('/old');
  assert.match(stdout, /One page links to it; it links to 0 URLs\.\nIts PageRank is not computed yet\.\n/);
  assert.match(stdout, new RegExp(`It redirects\\. Links .*: orbweaver links ${web.url('/a')} --dir \\S+\n`));
  assert.match(stdout, /"old"; plain, last third, same host; PageRank 0\.25\n/);
  assert.ok(!stdout.includes('Links from it'));
});

test('text of a page is made safe for the terminal', async () => {
  const [text, json] = await Promise.all([links('/', '--limit', '100'), links('/', '--json', '--limit', '100')]);
  assert.match(text.stdout, /"spin \[2J 31m a <b> web"/);
  for (const { stdout } of [text, json]) assert.ok(!/[\x1b\x7f-\x9f]/.test(stdout), 'a terminal would run it');
  assert.ok(!text.stdout.includes('\u202e'));
  const { from } = JSON.parse(json.stdout) as UrlLinks;
  assert.equal(from.filter(({ anchor }) => anchor === 'home').length, ISLANDS);
});

test('--limit, --from and --to select the shown links, and the totals stay exact', async () => {
  const [three, from, to, none] = await Promise.all([
    linksJson('/', '--limit', '3'),
    linksJson('/', '--from'),
    links('/', '--to', '--limit', '2'),
    links('/', '--limit', '0'),
  ]);
  for (const { backlinks } of [three, from]) assert.equal(backlinks, ISLANDS + 1);
  assert.deepEqual([three.from.length, three.to.length], [3, 3]);
  assert.deepEqual([from.from.length, from.to.length], [50, 0]);
  assert.ok(!to.stdout.includes('Links to it'));
  // The 64 URLs are A, A with the session id, B, old and the 60 islands. The link with nofollow does not count.
  assert.match(to.stdout, /it links to 64 URLs\.\n[\s\S]*\n {2}… and 62 more; --limit 64 shows all\n$/);
  assert.equal(none.stdout.trimEnd().split('\n').length, 3);
});

test('links describes an unknown URL like explain', async () => {
  const [unknown, outside, json] = await Promise.all([
    links('/never-heard-of'),
    runCli('links', 'https://elsewhere.test/', '--dir', dir),
    linksJson('/never-heard-of'),
  ]);
  assert.deepEqual([unknown.exitCode, outside.exitCode], [0, 0]);
  assert.equal(
    unknown.stdout,
    `${web.url('/never-heard-of')}\nThis crawl does not know the URL: it was not found on any page so far.\n`,
  );
  assert.match(outside.stdout, /would not fetch it: .*\[out-of-scope\]/);
  const nothing = { url: web.url('/never-heard-of'), backlinks: 0, forwardLinks: 0, rank: null, from: [], to: [] };
  assert.deepEqual(json, nothing);
});

test('links of pages whose bytes are lost have everything except the anchor text', async () => {
  const archive = join(dir, 'archive');
  const names = readdirSync(archive);
  for (const name of names) renameSync(join(archive, name), join(dir, name));
  try {
    const [{ backlinks, from }, text] = await Promise.all([linksJson('/a'), links('/a')]);
    assert.equal(backlinks, 3);
    assert.deepEqual([from[0].title, from[0].anchor, from[0].distance], ['Other', null, 5]);
    assert.match(text.stdout, /its text is not in the archive; plain, .*, other host/);
  } finally {
    for (const name of names) renameSync(join(dir, name), join(archive, name));
  }
});

test('E6 links show style and position in words and as data', async (t) => {
  const folder = temporaryFolder(t);
  const store = openSqliteStore(folder, NOW_MS);
  await store.seed([found('http://a.test/')], NOW_MS);
  const lease = await claimOne(store);
  const looks = [
    { visibility: 2, position: 3, distance: 5 },
    { visibility: 3, position: 2, distance: 1 },
    { visibility: 1, position: 1, distance: 1 },
  ] as const;
  const foundLinks = looks.map((_, i) => found(`http://b.test/${i}`));
  const result = resultOf(lease, lease.urls[0]!, { page: page('x'), foundLinks });
  await commit(store, [{ ...result, foundAttributes: looks.map(encodeAttributes) }]);
  await store.close();
  const ask = (...words: string[]) => runCli('links', 'http://a.test/', '--dir', folder, ...words);
  const [text, json] = await Promise.all([ask(), ask('--json')]);
  const lines = text.stdout.split('\n').filter((line) => line.startsWith('    '));
  assert.deepEqual(lines, [
    '    its text is not in the archive; bold or italic, first third, other host',
    '    its text is not in the archive; bold and italic, middle third, same host',
    '    its text is not in the archive; plain, last third, same host',
  ]);
  const { to } = JSON.parse(json.stdout) as UrlLinks;
  assert.deepEqual(
    to.map(({ visibility, position, distance }) => ({ visibility, position, distance })),
    looks,
  );
});

test('links reads while another process writes', async () => {
  const writer = openSqliteStore(dir, Date.now());
  try {
    assert.equal((await linksJson('/a')).backlinks, 3);
  } finally {
    await writer.close();
  }
});

test('bad input gets one line that says what to write', async () => {
  const asked: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /the URL is missing; write: orbweaver links <url> \[ERR_BAD_URL\]/],
    [['http://a.test/', '--limit', 'many', '--dir', dir], /--limit needs a whole number .*\[ERR_BAD_OPTION\]/],
    [['http://a.test/', '--form'], /did you mean --from\? \[ERR_UNKNOWN_OPTION\]/],
    [['ftp://a.test/', '--dir', dir], /\[ERR_BAD_URL\]/],
  ];
  await Promise.all(
    asked.map(async ([words, right]) => {
      const { exitCode, stdout, stderr } = await runCli('links', ...words);
      assert.deepEqual([exitCode, stdout], [2, ''], words.join(' '));
      assert.match(stderr, right);
    }),
  );
});
