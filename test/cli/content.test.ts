/** Tests the content of pages through the commands and the library, over a real crawl of a small local site. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { crawl, openCopy, type Page } from '../../src/index.ts';
import { type LocalWeb, reply, startWeb } from '../../testbed/web/local-web.ts';
import { crawlHere } from '../crawl/crawl-here.ts';
import { makePdf } from '../documents/make-documents.ts';
import { runCli } from './setup/run-cli.ts';

const TOPICS = ['wolf spiders', 'orb weavers', 'jumping spiders', 'trapdoor spiders', 'crab spiders', 'water spiders'];
/** A notice in a plain div, without a name or an element that tells what it is: only the other pages show that. */
const NOTICE =
  'The reading room of the museum is open on weekdays, and visitors find the lockers beside the entrance hall.';

function pageAbout(topic: string, at: number): string {
  const sentence = (part: string) =>
    `The ${part} of ${topic} was described in the year ${1800 + at * 7}, and many observers have added to it since.`;
  return `<!doctype html><html lang=en><head><title>About ${topic}</title>
<script type="application/ld+json">{"@type":"Article","headline":"About ${topic}","author":{"name":"Ada Web"}}</script>
</head><body><nav><a href="/">Home</a> <a href="/plain.txt">Notes</a> <a href="/picture">Picture</a></nav>
<div><h1>About ${topic}</h1><p>${sentence('hunt')} <a href="/p2">Read more</a>.</p>
<table><tr><th>Part</th><th>Size</th></tr><tr><td>leg</td><td>${at} mm</td></tr></table><p>${sentence('web')}</p>
<pre><code class="language-js">count("${topic}");</code></pre></div>
<div><p>${NOTICE}</p></div><footer>All rights reserved.</footer></body></html>`;
}

let web: LocalWeb;
let dir: string;
before(async () => {
  web = await startWeb();
  const links = TOPICS.map((_, at) => `<a href="/p${at}">page</a>`).join(' ');
  web.on(
    '/',
    reply(
      `<title>Spiders</title>${links}<a href="/plain.txt">notes</a><a href="/picture">picture</a><a href="/card.pdf">card</a><a href="/broken.pdf">broken</a>`,
    ),
  );
  const card = makePdf({ lines: ['Spiders of the museum'], title: 'The card' });
  web.on('/card.pdf', reply(card, { 'content-type': 'application/pdf' }));
  web.on('/broken.pdf', reply('%PDF-1.4 and nothing else', { 'content-type': 'application/pdf' }));
  for (const [at, topic] of TOPICS.entries()) web.on(`/p${at}`, reply(pageAbout(topic, at)));
  web.on('/plain.txt', reply('# not a heading\nplain `text`\n', { 'content-type': 'text/plain' }));
  web.on('/picture', reply(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]), { 'content-type': 'image/png' }));
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-content-'));
  await crawlHere(dir, [web.url('/')], { patience: '0s', units: 1, concurrency: 1 });
});
after(async () => {
  await web.close();
  rmSync(dir, { recursive: true, force: true });
});

function show(path: string, ...words: string[]) {
  return runCli('show', web.url(path), '--dir', dir, ...words);
}

test('show --markdown prints the main content with absolute links, without navigation and template', async () => {
  const { stdout, stderr, exitCode } = await show('/p4', '--markdown');
  assert.deepEqual([exitCode, stderr], [0, '']);
  assert.match(stdout, /^# About crab spiders\n/);
  assert.ok(stdout.includes(`[Read more](${web.url('/p2')})`));
  assert.match(stdout, /\| leg +\| 4 mm +\|/);
  assert.match(stdout, /```js\ncount\("crab spiders"\);\n```/);
  for (const other of ['Home', NOTICE, 'All rights reserved']) assert.ok(!stdout.includes(other), other);
});

test('show --text prints the same content without markup', async () => {
  const { stdout, exitCode } = await show('/p4', '--text');
  assert.equal(exitCode, 0);
  assert.ok(stdout.startsWith('About crab spiders\n') && stdout.includes('leg\t4 mm') && !stdout.includes('**'));
  assert.ok(!stdout.includes(NOTICE) && stdout.endsWith('\n'));
});

test('plain text keeps its signs in Markdown, and an image has no text', async () => {
  assert.equal((await show('/plain.txt', '--markdown')).stdout, '```\n# not a heading\nplain `text`\n```\n');
  assert.equal((await show('/plain.txt', '--text')).stdout, '# not a heading\nplain `text`\n');
  const picture = await show('/picture', '--text');
  assert.equal(picture.exitCode, 2);
  assert.match(picture.stderr, /has no text: it is image\/png; leave out --text/);
  assert.match((await show('/p1', '--text', '--markdown')).stderr, /--text and --markdown exclude each other/);
});

test('the text of a PDF is printed, and the command ends by itself; a damaged one gives its reason', async () => {
  const card = await show('/card.pdf', '--text');
  assert.deepEqual([card.exitCode, card.stdout.trim()], [0, 'Spiders of the museum']);
  const broken = await show('/broken.pdf', '--text');
  assert.match(broken.stderr, /has no text: the document \(application\/pdf\) is damaged; leave out --text/);
});

async function exportRows(...words: string[]) {
  const result = await runCli('export', '--dir', dir, ...words);
  const rows = result.stdout.split('\n').filter((line) => line !== '');
  return { ...result, rows: rows.map((line) => JSON.parse(line) as { url: string; state: string; content?: string }) };
}

test('export --content adds the content of each page to its row, and nothing changes without it', async () => {
  const [text, markdown, html, none] = await Promise.all([
    ...['text', 'markdown', 'html'].map((form) => exportRows('--content', form)),
    exportRows(),
  ]);
  const contentOf = ({ rows }: { rows: { url: string; content?: string }[] }, path: string) =>
    rows.find(({ url }) => url === web.url(path))?.content;
  assert.ok(contentOf(text!, '/p3')?.startsWith('About trapdoor spiders\n'));
  assert.equal(`${contentOf(markdown!, '/p3')}`.trim(), (await show('/p3', '--markdown')).stdout.trim());
  assert.equal(contentOf(html!, '/p3'), pageAbout(TOPICS[3]!, 3));
  assert.equal(contentOf(text!, '/picture'), null);
  for (const { rows } of [text!, markdown!, html!]) {
    assert.ok(rows.every((row) => 'content' in row));
    assert.equal(rows.length, none!.rows.length);
  }
  assert.ok(none!.rows.every((row) => !('content' in row)));
  assert.match((await exportRows('--format', 'csv', '--content', 'text')).stderr, /--content works only with jsonl/);
  assert.match((await exportRows('--content', 'pdf')).stderr, /text, markdown(?:,| or) html|text\|markdown\|html/);
});

test('the library returns main content, facts and structured data of a page', async () => {
  await using copy = await openCopy(dir);
  const content = await (await copy.page(web.url('/p0')))!.content();
  assert.ok(content.text.includes('Home'));
  assert.ok(content.mainText.startsWith('About wolf spiders') && !content.mainText.includes('Home'));
  assert.ok(content.markdown.startsWith('# About wolf spiders'));
  assert.deepEqual([content.facts?.title, content.facts?.authors], ['About wolf spiders', ['Ada Web']]);
  assert.deepEqual(content.structured?.items[0]?.types, ['Article']);
  const roles = new Map(content.blocks.map(({ text, role }) => [text, role]));
  assert.equal(roles.get('About wolf spiders'), 'content');
  assert.equal(roles.get('All rights reserved.'), 'footer');
  const plain = await (await copy.page(web.url('/plain.txt')))!.content();
  assert.deepEqual([plain.facts?.authors, plain.structured, plain.blocks], [[], null, []]);
});

test('the library reads a page as show does: with the template of the host, at any time, and after the copy was closed', async () => {
  const shown = (await show('/p4', '--markdown')).stdout;
  const text = (await show('/p4', '--text')).stdout.trim();
  const copy = await openCopy(dir);
  const page = (await copy.page(web.url('/p4')))!;
  const response = (await copy.response(web.url('/p4'), new Date()))!;
  await copy.close();
  for (const content of [await page.content(), await response.content(), await (await page.response()).content()]) {
    assert.deepEqual([content.markdown.trim(), content.mainText.trim()], [shown.trim(), text]);
    assert.ok(content.text.includes(NOTICE));
    const [{ rows, heading } = { rows: [], heading: '' }] = content.tables;
    assert.deepEqual(
      [heading, rows],
      [
        'About crab spiders',
        [
          ['Part', 'Size'],
          ['leg', '4 mm'],
        ],
      ],
    );
  }
});

test('a running crawl reads its pages with what it has learned by then', async () => {
  const contents: string[] = [];
  let last: Page | null = null;
  for await (const event of crawl(web.url('/'), { patience: '0s', units: 1 }).events()) {
    if (event.type === 'page' && event.page.url === web.url('/p4')) last = event.page;
    // The copy of this crawl is deleted when the loop ends.
    if (event.type === 'done') contents.push((await last!.content()).markdown);
  }
  assert.equal(contents[0]?.trim(), (await show('/p4', '--markdown')).stdout.trim());
  await assert.rejects(last!.content(), { code: 'ERR_NOT_IN_COPY' });
});

test('export --format markdown writes a file for each page, with its facts and links from file to file', async () => {
  const out = join(dir, 'notes');
  const host = new URL(web.url('/')).host.replace(':', '+');
  const exported = (...words: string[]) =>
    runCli('export', '--dir', dir, '--format', 'markdown', '--out', out, ...words);
  const first = JSON.parse((await exported('--json')).stdout) as Record<string, number>;
  assert.deepEqual([first.files, first.unchanged, first.unreadable], [TOPICS.length + 4, 0, 0]);
  const page = readFileSync(join(out, host, 'p1.md'), 'utf8');
  const [, facts, text] = page.split(/^---\n/m);
  assert.match(facts!, new RegExp(`^title: About orb weavers\nurl: ${web.url('/p1')}\nfetchedAt: 2[^]*- Ada Web\n$`));
  assert.ok(text!.startsWith('\n# About orb weavers\n') && text!.includes('[Read more](p2.md)'));
  assert.match(readFileSync(join(out, host, 'card.pdf.md'), 'utf8'), /^---\ntitle: The card\n.*Spiders of the museum/s);
  assert.match(readFileSync(join(out, host, 'broken.pdf.md'), 'utf8'), /^reason: damaged$/m);
  assert.deepEqual(readdirSync(join(out, host)).sort().slice(2, 4), ['index.md', 'p0.md']);
  const second = JSON.parse((await exported('--json')).stdout) as Record<string, number>;
  assert.deepEqual([second.unchanged, second.removed], [first.files, 0]);
  const past = await exported('--at', '2020');
  assert.match(past.stderr, /the copy has no pages for the format markdown from 2020-/);
  const mirror = await runCli('export', '--dir', dir, '--format', 'mirror', '--out', out);
  assert.match(mirror.stderr, /has other files and is no earlier export with --format mirror/);
  assert.match((await runCli('export', '--dir', dir, '--format', 'markdown')).stderr, /name it with --out <folder>/);
});

test('a page whose archive is damaged has no content in the export, and a message says so', async () => {
  const [file] = readdirSync(join(dir, 'archive')).filter((name) => name.endsWith('.warc.gz'));
  truncateSync(join(dir, 'archive', file!), 200);
  const { rows, stderr, exitCode } = await exportRows('--content', 'text', '--state', 'fetched');
  assert.equal(exitCode, 0);
  assert.ok(rows.length > 0 && rows.every(({ content }) => content === null));
  assert.match(stderr, /the content of http\S+ is left out: /);
});
