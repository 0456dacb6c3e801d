/** Tests which stored response an address shows, and with which headers. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type AnyStore, readStoreAt } from '../../../src/crawl/place/open-store.ts';
import {
  archivedPath,
  archivedRoot,
  newArchivedKey,
  readArchivedPath,
  urlPart,
} from '../../../src/serve/archived/archived-address.ts';
import { replyArchived } from '../../../src/serve/archived/archived-reply.ts';
import { STORED_AT_MS as AT, type StoredResponse, storeResponses } from './attacked-copy.ts';

const SITE = 'http://site.test';
const HTML = 'text/html; charset=utf-8';
const moved = (location: string) => ({ status: 301, headers: ['Location', location], contentType: HTML, body: '' });
const RESPONSES: readonly (Omit<StoredResponse, 'url' | 'body'> & { path: string; body: string | Buffer })[] = [
  { path: '/', contentType: HTML, body: 'first <a href=/b?x=1&amp;y#z>b</a><img src=/late.png>' },
  { path: '/', contentType: HTML, body: 'second', atMs: AT + 5_000 },
  { path: '/', contentType: HTML, body: 'not now', status: 503, atMs: AT + 9_000 },
  { path: '/late.png', contentType: 'image/png', body: 'picture', atMs: AT + 2_000 },
  { path: '/late', contentType: HTML, body: 'late page', atMs: AT + 2_000 },
  { path: '/gone', contentType: HTML, body: 'gone page', status: 404 },
  { path: '/moved', ...moved('/moved-2') },
  { path: '/moved-2', ...moved('/') },
  { path: '/loop', ...moved('/loop-2') },
  { path: '/loop-2', ...moved('/loop') },
  { path: '/away', ...moved('http://other.test/') },
  {
    path: '/latin',
    contentType: 'text/html; charset=iso-8859-1',
    body: Buffer.from('caf\xe9 <a href="/?q=\xe9">', 'latin1'),
  },
  { path: '/a%22b%0d%0a.pdf', contentType: 'application/pdf', body: '%PDF' },
  { path: '/feed', contentType: 'application/atom+xml', body: '<feed/>' },
  { path: '/style', contentType: 'text/css', body: 'p{background:url(/late.png)}@import "http://other.test/x"' },
];

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-archived-'));
let store: AnyStore;

before(async () => {
  await storeResponses(
    folder,
    RESPONSES.map(({ path, body, ...more }) => ({ ...more, url: SITE + path, body: Buffer.from(body as string) })),
  );
  store = await readStoreAt(folder);
});

after(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function show(path: string, atMs = AT) {
  const url = path.startsWith('/') ? SITE + path : path;
  const { status, type, headers, body } = await replyArchived({ store, where: folder, url, atMs });
  return { status, type, headers, text: body.toString() };
}

test('an address is read only with its key, and names one copy, time and URL', () => {
  const key = newArchivedKey();
  const url = 'http://site.test/%E2%80%AE?q=<a>&b#c';
  const path = archivedPath(archivedRoot(key, 'a copy/x'), 12.7, url)!;
  assert.deepEqual(readArchivedPath(path, key), { copy: 'a copy/x', atMs: 12, url });
  assert.equal(readArchivedPath(path, newArchivedKey()), null);
  assert.equal(readArchivedPath(path.replace('/12/', '/../12/'), key), null);
  assert.equal(readArchivedPath(`${path}/..`, key), null);
  assert.equal(readArchivedPath(path.replace('a%20copy', '%ff'), key), null);
  assert.equal(urlPart(`http://site.test/${'x'.repeat(9_000)}`), null);
});

test('the newest response at or before the time is shown; errors that come and go are passed over', async () => {
  assert.match((await show('/')).text, /^first/);
  assert.equal((await show('/', AT + 5_000)).text, 'second');
  assert.equal((await show('/', AT + 20_000)).text, 'second');
  const gone = await show('/gone');
  assert.deepEqual([gone.status, gone.text], [404, 'gone page']);
});

test('references are the last part of their address; files that were fetched later are found, pages are not', async () => {
  const { text } = await show('/');
  assert.ok(text.includes(`<a href="${urlPart(`${SITE}/b?x=1&y`)}#z">`), text);
  assert.ok(text.includes(`<img src="${urlPart(`${SITE}/late.png`)}">`), text);
  const picture = await show('/late.png');
  assert.deepEqual([picture.status, picture.type, picture.text], [200, 'image/png', 'picture']);
  const late = await show('/late');
  assert.equal(late.status, 404);
  assert.ok(late.text.includes(`href="../${AT + 2_000}/${urlPart(`${SITE}/late`)}"`), late.text);
  const style = await show('/style');
  assert.ok(style.text.includes(`url("${urlPart(`${SITE}/late.png`)}")`), style.text);
  assert.doesNotMatch(style.text, /other\.test/);
});

test('redirects are followed inside the copy, and end', async () => {
  assert.match((await show('/moved')).text, /^first/);
  assert.match((await show('/loop')).text, /do not end/);
  const away = await show('/away');
  assert.equal(away.status, 404);
  assert.match(away.text, /<code dir="ltr">http:\/\/other\.test\/<\/code>/);
});

test('a URL that the copy does not have gives a page that shows its address as text', async () => {
  const { status, headers, text } = await show('http://x.test/?<script>alert(1)</script>');
  assert.equal(status, 404);
  assert.match(headers['content-security-policy']!, /^sandbox; default-src 'none'/);
  assert.doesNotMatch(text, /<script/);
  const bidi = await replyArchived({ store, where: folder, url: 'not a \u202eurl"', atMs: AT });
  assert.match(bidi.body.toString(), /not a {2}url&#34;|not a {1,2}url/);
});

test('pages are sent in UTF-8, and their links keep the bytes of the old charset', async () => {
  const { type, text } = await show('/latin');
  assert.equal(type, 'text/html; charset=utf-8');
  assert.equal(text, `café <a href="${urlPart(`${SITE}/?q=%E9`)}">`);
});

test('other types are text or a download with a safe name', async () => {
  const feed = await show('/feed');
  assert.deepEqual([feed.type, feed.text], ['text/plain; charset=utf-8', '<feed/>']);
  const { type, headers } = await show('/a%22b%0d%0a.pdf');
  assert.equal(type, 'application/octet-stream');
  assert.match(
    headers['content-disposition']!,
    /^attachment; filename="[\w.-]+\.pdf"; filename\*=UTF-8''[\w.%-]+\.pdf$/,
  );
  assert.equal(headers['access-control-allow-origin'], undefined);
  assert.equal((await show('/late.png')).headers['access-control-allow-origin'], '*');
});
