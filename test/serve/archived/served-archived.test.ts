/** Tests archived pages and metrics through the whole server. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { resolveServeOptions } from '../../../src/core/options/serve-options.ts';
import { placeAt } from '../../../src/crawl/place/crawl-place.ts';
import { METRICS_TYPE } from '../../../src/serve/metrics/metrics-page.ts';
import { type RunningServer, startServer } from '../../../src/serve/serve.ts';
import { storeResponses } from './attacked-copy.ts';

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-served-'));
let server: RunningServer;

before(async () => {
  const page = {
    url: 'http://site.test/',
    contentType: 'text/html',
    headers: ['Set-Cookie', 'a=b', 'X-Frame-Options', 'DENY'],
  };
  await storeResponses(folder, [{ ...page, body: Buffer.from(`<title>old</title><p>${'text '.repeat(400)}`) }]);
  const options = resolveServeOptions([{ from: 'command line', given: { port: 0 } }]);
  server = await startServer({ places: [{ place: placeAt(folder), again: '--dir x' }], options });
});

after(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function get(path: string, init: RequestInit = {}) {
  const response = await fetch(server.url.slice(0, -1) + path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test('the API tells the address of an archived page, which a document without an origin may ask for', async () => {
  const [copy] = server.copies.all;
  const content = await get(`/api/copies/${copy!.id}/page/content?url=http://site.test/`);
  const { archived } = JSON.parse(content.text) as { archived: string };
  const shown = await get(archived, { headers: { origin: 'null', 'sec-fetch-site': 'cross-site' } });
  assert.equal(shown.status, 200);
  assert.match(shown.text, /^<title>old/);
  assert.equal(shown.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(shown.headers.get('content-security-policy')!, /^sandbox; default-src 'none'; img-src/);
  for (const name of ['set-cookie', 'x-frame-options']) assert.equal(shown.headers.get(name), null, name);
  const wrong = await get(archived.replace(/\/archived\/[^/]+/, '/archived/another-key'));
  assert.equal(wrong.status, 404);
  assert.doesNotMatch(wrong.text, /old/);
  const posted = await get(archived, { method: 'POST' });
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
});

test('metrics are read with the right to read, and not by other sites', async () => {
  const { status, headers, text } = await get('/metrics');
  assert.deepEqual([status, headers.get('content-type')], [200, METRICS_TYPE]);
  assert.match(text, /^orbweaver_copy_readable\{copy="[\w-]+"\} 1$/m);
  assert.match(text, /^orbweaver_http_requests_total\{route="archived",status="2xx"\} 1$/m);
  assert.equal((await get('/metrics', { headers: { origin: 'http://evil.test' } })).status, 403);
});

test('a request that is too large is answered', async () => {
  const answer = await new Promise<number>((resolve, reject) => {
    const sent = request(`${server.url}?${'a'.repeat(20_000)}`, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.on('error', reject);
    sent.end();
  });
  assert.equal(answer, 431);
});
