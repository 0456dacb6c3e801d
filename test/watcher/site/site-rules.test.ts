import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { UrlNormalizer } from '../../../src/url/normalize.ts';
import { type SiteRulesOptions, siteRules } from '../../../src/watcher/site/site-rules.ts';
import { SeededRandom } from '../../../testbed/random.ts';

const folder = mkdtempSync(join(tmpdir(), 'site-rules-'));
const root = join(folder, 'site');
mkdirSync(join(root, 'docs'), { recursive: true });
mkdirSync(join(folder, 'manual'));
mkdirSync(join(folder, 'a=b'));
writeFileSync(join(folder, 'file.html'), 'x');
symlinkSync(join(root, 'docs'), join(folder, 'link-into-site'));
after(() => rmSync(folder, { recursive: true, force: true }));

const SITE = 'https://www.example.org';
function rules(options: Partial<SiteRulesOptions> = {}) {
  return siteRules({ url: SITE, roots: [root], ...options });
}

test('a file has the URL at which it is served, and an index file the URL of its folder', () => {
  const { urlOf } = bound(rules());
  const urls = {
    'index.html': '/',
    'about.html': '/about.html',
    'docs/index.html': '/docs/',
    'docs/index.htm': '/docs/',
    'docs/index.xhtml': '/docs/',
    'docs/INDEX.html': '/docs/INDEX.html',
    'docs/a/b/c.HTM': '/docs/a/b/c.HTM',
    'feed.xml': '/feed.xml',
    'paper.pdf': '/paper.pdf',
    'notes.txt': '/notes.txt',
    'style.css': null,
    'data.json': null,
    README: null,
    'docs/.html': null,
    'robots.txt': null,
    'docs/robots.txt': '/docs/robots.txt',
    'sitemap.xml': null,
    'sitemap-2.xml': null,
    'docs/sitemap.xml': '/docs/sitemap.xml',
  };
  for (const [path, url] of Object.entries(urls)) assert.equal(urlOf(path), url, path);
});

test('assets and further types are pages if the options say so', () => {
  const { urlOf } = bound(rules({ assets: true, types: ['.md', 'JSON5'] }));
  assert.deepEqual(['a.css', 'b.png', 'c.woff2', 'd.md', 'e.json5', 'f.scss', 'g.js.map', 'package.json'].map(urlOf), [
    '/a.css',
    '/b.png',
    '/c.woff2',
    '/d.md',
    '/e.json5',
    null,
    null,
    null,
  ]);
});

test("unusual names get URLs in the crawler's normal form", () => {
  const { urlOf } = bound(rules());
  const urls = {
    'a b.html': '/a%20b.html',
    '100%.html': '/100%25.html',
    '%41.html': '/%2541.html',
    'what?.html': '/what%3F.html',
    'c#.html': '/c%23.html',
    'back\\slash.html': '/back%5Cslash.html',
    'tab\there.html': '/tab%09here.html',
    'line\nend.html': '/line%0Aend.html',
    'caf\u00e9.html': '/caf%C3%A9.html',
    'cafe\u0301.html': '/cafe%CC%81.html',
    '\u{1f577}.html': '/%F0%9F%95%B7.html',
    'a[1].html': '/a[1].html',
    'x^2.html': '/x%5E2.html',
    "it's(ok)!.html": "/it's(ok)!.html",
    'a;b=c&d,e.html': '/a;b=c&d,e.html',
    'a:b@c.html': '/a:b@c.html',
    '~me/x.html': '/~me/x.html',
    'broken\ufffd.html': null,
    'half\ud83d.html': null,
    [`${'long/'.repeat(1_000)}x.html`]: null,
  };
  for (const [path, url] of Object.entries(urls)) assert.equal(urlOf(path), url, path);
});

test('the URL of a file is the normal form of a link to it, and two names never have the same URL', () => {
  const normalizer = new UrlNormalizer();
  const random = new SeededRandom(7);
  const signs = [...'abcXYZ019 %?#\\/&;=+,:@!$\'()*[]{}|<>"`^~-_.éü漢\u0301\t\n\u007f', '%41', '..', '\u{1f600}'];
  const seen = new Map<string, string>();
  const { urlOf } = bound(rules());
  let reported = 0;
  for (let count = 0; count < 20_000; count++) {
    let path = '';
    for (let left = 1 + random.below(12); left > 0; left--) path += random.pick(signs);
    // A path from a walk has no empty segments and no dot segments.
    if (path.split('/').some((part) => part === '' || part === '.' || part === '..')) continue;
    path += '.html';
    const url = urlOf(path);
    if (url === null) continue;
    reported++;
    assert.equal(normalizer.normalize(SITE + url), SITE + url, JSON.stringify(path));
    const asLinked = path.split('/').map(encodeURIComponent).join('/');
    assert.equal(decodeURIComponent(url), decodeURIComponent(`/${asLinked}`), JSON.stringify(path));
    assert.equal(seen.get(url) ?? path, path);
    seen.set(url, path);
  }
  assert.ok(reported > 10_000, `${reported}`);
});

test('with dropped extensions /a is a.html, and files shadow each other in the order of try_files', () => {
  const site = rules({ droppedExtensions: ['.html', 'htm'] });
  const { urlOf } = bound(site);
  assert.equal(urlOf('a.html'), '/a');
  assert.equal(urlOf('a.htm'), '/a');
  assert.equal(urlOf('a/index.html'), '/a/');
  assert.equal(urlOf('v1.2.html'), '/v1.2');
  assert.equal(urlOf('end .html'), '/end%20');
  assert.equal(urlOf('a.pdf'), '/a.pdf');
  assert.deepEqual(site.before(0, 'x/a.html'), ['x/a']);
  assert.deepEqual(site.before(0, 'x/a.htm'), ['x/a', 'x/a.html']);
  assert.deepEqual(site.before(0, 'x/a.pdf'), []);
});

test('of several index files, the first in the list is served', () => {
  const site = rules();
  assert.deepEqual(site.before(0, 'index.html'), []);
  assert.deepEqual(site.before(0, 'docs/index.xhtml'), ['docs/index.html', 'docs/index.htm']);
  assert.deepEqual(site.before(0, 'docs/a.html'), []);
  const program = rules({ indexNames: ['index.php', 'index.html'] });
  assert.equal(program.urlOf(0, 'index.php'), null);
  assert.deepEqual(program.before(0, 'index.html'), ['index.php']);
});

test('each root has its prefix, and a URL that another root answers is not reported twice', () => {
  const manual = join(folder, 'manual');
  const site = rules({ url: 'HTTP://Example.org:80/blog', roots: [root, `${manual}=/blog/man%75al/`] });
  assert.equal(site.site, 'http://example.org');
  assert.equal(site.mainPage, '/blog/');
  assert.deepEqual(site.roots, [
    { folder: root, prefix: '/blog/' },
    { folder: manual, prefix: '/blog/manual/' },
  ]);
  assert.equal(site.urlOf(0, 'index.html'), '/blog/');
  assert.equal(site.urlOf(1, 'a b.html'), '/blog/manual/a%20b.html');
  assert.equal(site.urlOf(0, 'manual/a.html'), null);
  assert.deepEqual(rules({ roots: [join(folder, 'a=b')] }).roots, [{ folder: join(folder, 'a=b'), prefix: '/' }]);
  assert.equal(rules({ roots: [`${join(folder, 'a=b')}=/x/`] }).roots[0]!.prefix, '/x/');
});

test('a link is resolved to the URL under which the page is reported', () => {
  const site = rules();
  const links = { '/docs/index.html': '/docs/', '/docs': '/docs/', '/a.html?x=1': '/a.html', '/': '/', '/?q': '/' };
  for (const [link, url] of Object.entries(links)) assert.equal(site.urlOfLink(link), url, link);
  assert.equal(rules({ droppedExtensions: ['.html'] }).urlOfLink('/docs.html'), '/docs');
  assert.equal(rules({ droppedExtensions: ['.html'] }).urlOfLink('/docs'), '/docs');
});

test('patterns: a path that begins at the root is not a regular expression', () => {
  const { urlOf } = bound(rules({ exclude: ['/private/notes.html', '/drafts/*.pdf', '/old/'] }));
  for (const path of ['private/notes.html', 'drafts/a.pdf', 'old/a.html']) assert.equal(urlOf(path), null, path);
  for (const path of ['private/a.html', 'x/private/notes.html', 'drafts/a.html'])
    assert.notEqual(urlOf(path), null, path);
});

test('patterns: exclude overrides include, and a folder matches everything in it', () => {
  const site = rules({
    include: ['docs', '*.pdf', '/^blog\\/[0-9]+/'],
    exclude: ['drafts', 'docs/**/old/*.html', '/private'],
  });
  const { urlOf } = bound(site);
  const kept = [
    'docs/a.html',
    'docs/x/y.html',
    'a.pdf',
    'x/y.pdf',
    'blog/12.html',
    'x/private/a.pdf',
    'docs/old/x/a.html',
  ];
  const left = ['a.html', 'blog/x.html', 'docs/drafts/a.html', 'docs/old/a.html', 'docs/x/old/a.html', 'private/a.pdf'];
  for (const path of kept) assert.notEqual(urlOf(path), null, path);
  for (const path of left) assert.equal(urlOf(path), null, path);
  assert.deepEqual(['', 'docs', 'docs/drafts', 'x/drafts', 'private', 'x/private'].map(site.isWalked.bind(site)), [
    true,
    true,
    false,
    false,
    false,
    true,
  ]);
});

test('invalid options are refused, and the message says what to do', () => {
  const wrong: [Partial<SiteRulesOptions>, RegExp][] = [
    [{ url: 'www.example.org' }, /ERR_BAD_URL.*https:\/\/www\.example\.org/],
    [{ url: 'ftp://example.org/' }, /ERR_BAD_URL/],
    [{ url: '' }, /ERR_BAD_URL/],
    [{ url: 'https://example.org/?a' }, /not have a query/],
    [{ roots: [] }, /needs a root/],
    [{ roots: [''] }, /names no folder/],
    [{ roots: [join(folder, 'none')] }, /There is no folder/],
    [{ roots: [join(folder, 'file.html')] }, /is a file/],
    [{ roots: [root, join(root, 'docs=/docs/')] }, /inside the root/],
    [{ roots: [root, `${join(folder, 'link-into-site')}=/docs/`] }, /inside the root/],
    [{ roots: [root, `${root}=/x/`] }, /inside the root/],
    [{ roots: [root, join(folder, 'manual')] }, /both served at \//],
    [{ roots: [`${root}=docs/`] }, /begin and end with a slash: .*=\/docs\//],
    [{ roots: [`${root}=/docs`] }, /begin and end with a slash/],
    [{ roots: [`${root}=/a/../b/`] }, /not a URL path/],
    [{ roots: [`${root}=/a?b/`] }, /not a URL path/],
    [{ indexNames: ['a/index.html'] }, /not a valid name of an index file/],
    [{ droppedExtensions: ['.php'] }, /never reported \(run\)/],
    [{ types: ['.env'] }, /never reported \(configuration\)/],
    [{ types: ['*.md'] }, /not an extension/],
    [{ include: [''] }, /matches no path/],
    [{ exclude: ['../x'] }, /matches no path/],
    [{ exclude: ['/(/'] }, /not a valid regular expression/],
  ];
  for (const [options, message] of wrong) {
    assert.throws(
      () => rules(options),
      (error: Error & { code?: string }) => message.test(`${error.code} ${error.message}`),
      JSON.stringify(options),
    );
  }
});

test('a hostile path is judged in linear time', () => {
  const site = rules({ exclude: ['**/a*a*a*a*a*b/**/a*a*a*b'], include: ['**/*a*/**'] });
  const started = process.hrtime.bigint();
  for (let count = 0; count < 1_000; count++) site.urlOf(0, `${'aaaaaaaa/'.repeat(400)}x.html`);
  assert.ok(process.hrtime.bigint() - started < 10_000_000_000n);
});

function bound(site: ReturnType<typeof siteRules>) {
  return { urlOf: (path: string) => site.urlOf(0, path) };
}
