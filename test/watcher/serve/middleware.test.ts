import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { REPORT_PATH, reportHandler } from '../../../src/watcher/serve/handler.ts';
import { type MiddlewareOptions, watcherMiddleware } from '../../../src/watcher/serve/middleware.ts';
import { ServedPages, type ServedPagesOptions } from '../../../src/watcher/serve/served-pages.ts';
import { hashOf, SiteInMemory, sourceOf } from '../report/site-in-memory.ts';
import { ask, linesOf, NO_RATE } from './local-report.ts';

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

async function program(
  listener: RequestListener,
  options: Partial<ServedPagesOptions> = {},
  more: Partial<MiddlewareOptions> = {},
) {
  const site = new SiteInMemory();
  const served = new ServedPages(site, options);
  const handler = reportHandler([{ source: sourceOf(site), lease: null }], { perClient: NO_RATE });
  const middleware = watcherMiddleware(handler, { served, ...more });
  let finished: Promise<unknown> = Promise.resolve();
  const server = createServer((request, response) => {
    finished = once(response, 'close');
    middleware(request, response, () => listener(request, response));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await ask(port, path, headers, method);
    // The watcher sees a response when the server has finished it, which may be later than its arrival here.
    await finished;
    await served.settled();
    return answer;
  };
  return { site, served, get };
}

const html = { 'Content-Type': 'text/html; charset=utf-8' };

test('a response is hashed while it is sent, however the program writes it', async () => {
  const { site, get } = await program((request, response) => {
    const ways: Record<string, () => void> = {
      '/end': () => response.writeHead(200, html).end('héllo'),
      '/set': () => response.setHeader('Content-Type', 'text/html').end(Buffer.from('héllo')),
      '/write': () => {
        response.writeHead(200, 'Fine', Object.entries(html).flat() as never);
        response.write('h');
        response.write('e9', 'hex');
        response.write(Uint8Array.from(Buffer.from('llo')));
        response.end(() => undefined);
      },
      '/latin1': () => response.writeHead(200, html).end('héllo', 'latin1'),
    };
    ways[request.url!]!();
  });
  for (const path of ['/end', '/set', '/write', '/latin1']) {
    const { body, headers } = await get(path);
    const [noted] = await site.changes(site.lastSeq - 1, 1);
    assert.deepEqual([noted!.kind, noted!.page.url, noted!.page.key], ['new', path, `~${path}`]);
    assert.equal(noted!.page.hash, hashOf(body as never), path);
    assert.equal(noted!.page.stamp.size, body.length);
    assert.equal(headers.link, `<${REPORT_PATH}>; rel="orbweaver-report"`, path);
  }
  await get('/end');
  assert.equal(site.lastSeq, 4, 'equal content is no change');
  const report = linesOf((await get(REPORT_PATH)).body);
  assert.deepEqual(
    report
      .slice(1, -1)
      .map(({ url }) => url)
      .sort(),
    ['/end', '/latin1', '/set', '/write'],
  );
});

test('only responses that every visitor would get are observed', async () => {
  const { site, get } = await program(
    (request, response) => {
      const { searchParams, pathname } = new URL(request.url!, 'http://x');
      const header = searchParams.get('h');
      if (pathname === '/gzip')
        return void response.writeHead(200, { ...html, 'Content-Encoding': 'gzip' }).end(gzipSync('x'));
      if (header !== null) response.setHeader(header.split(':')[0]!, header.split(':')[1]!);
      response.writeHead(
        pathname === '/500' ? 500 : 200,
        pathname === '/json' ? { 'content-type': 'application/json' } : html,
      );
      response.end('page');
    },
    { parameters: ['h', 'page'] },
  );
  for (const header of ['Set-Cookie:a=b', 'Cache-Control:private', 'Cache-Control:max-age=1, No-Store', 'Vary:*']) {
    await get(`/?h=${encodeURIComponent(header)}`);
  }
  await get(`/?h=${encodeURIComponent('Vary:Accept-Encoding, Accept-Language')}`, { 'Accept-Language': 'de' });
  await get('/', { Cookie: 'a=b' });
  await get('/', { Authorization: 'Basic x' });
  await get('/', { Range: 'bytes=0-1' });
  await get('/', {}, 'HEAD');
  await get('/', {}, 'POST');
  for (const path of [
    '/gzip',
    '/500',
    '/json',
    '/?other=1',
    '/?page=1&page=2',
    `/?page=${'x'.repeat(200)}`,
    '//x/y',
    '/a/../b',
    '/%2e%2e/b',
    `/${'x'.repeat(2_000)}`,
  ])
    await get(path);
  assert.equal(site.lastSeq, 0, JSON.stringify(await site.changes(0, 9)));
  await get('/?page=2&h=Vary:Accept-Language');
  await get('/?h=Vary:Accept-Language&page=2');
  await get('/%e4');
  assert.deepEqual([...site.state().keys()], ['/?h=Vary:Accept-Language&page=2', '/%E4']);
});

test('pages are updated, deleted after two 404 or one 410, and changed by calls of the program', async () => {
  let [status, text] = [200, 'one'];
  const { site, served, get } = await program((_, response) => response.writeHead(status, html).end(text));
  const kinds = async () => (await site.changes(0, 99)).map(({ kind, page }) => `${kind} ${page.url} ${page.updates}`);
  await get('/a');
  text = 'two';
  await get('/a');
  status = 404;
  await get('/a');
  await get('/unknown');
  await get('/unknown');
  status = 200;
  await get('/a');
  status = 404;
  await get('/a');
  assert.deepEqual(await kinds(), ['new /a 0', 'updated /a 1'], 'one missing response proves nothing');
  await get('/a');
  status = 200;
  await get('/a');
  status = 410;
  await get('/a');
  assert.deepEqual((await kinds()).slice(2), ['deleted /a 1', 'new /a 0', 'deleted /a 0']);
  assert.equal(served.changed('/b', 'content'), true);
  assert.equal(served.changed('https://www.example.org/b', 'content'), true);
  assert.equal(served.changed('/c'), true);
  assert.equal(served.changed('/c'), true);
  assert.equal(served.deleted('/b'), true);
  assert.equal(served.changed('no path'), false);
  await served.settled();
  assert.deepEqual((await kinds()).slice(5), ['new /b 0', 'new /c 0', 'updated /c 1', 'deleted /b 0']);
  const entry = linesOf((await get(REPORT_PATH)).body)[1]!;
  assert.deepEqual([entry.url, Object.hasOwn(entry, 'hash')], ['/c', false]);
});

test('a page that differs in each response is warned about once, and is reported again when it is stable', async () => {
  const volatileUrls: string[] = [];
  let [now, count, isCalm] = [1_000_000, 0, false];
  const { site, get } = await program(
    (_, response) => response.writeHead(200, html).end(isCalm ? 'calm' : `token ${count++}`),
    {
      nowMs: () => now,
      onVolatile: (url) => volatileUrls.push(url),
    },
  );
  for (let i = 0; i < 30; i++) await get('/token');
  assert.deepEqual(volatileUrls, ['/token']);
  assert.equal(site.lastSeq, 4, 'the changes before the page counted as volatile');
  isCalm = true;
  for (let i = 0; i < 6; i++) await get('/token');
  assert.equal(site.lastSeq, 5);
  // A page that changes every day is checked every day, and is an ordinary page.
  isCalm = false;
  for (let i = 0; i < 12; i++) {
    now += 86_400_000;
    await get('/daily');
  }
  assert.equal(site.lastSeq, 5 + 12);
  assert.deepEqual(volatileUrls, ['/token']);
});

test('the number of pages is limited, events are found in responses, and other content types are ignored', async () => {
  const examined: [string, number][] = [];
  const event = { events: ['onload' as const], sources: ['body'], target: '', value: 'f()' };
  const { site, get } = await program(
    (request, response) => {
      if (request.url === '/text')
        return void response.writeHead(200, { 'Content-Type': 'text/plain', Link: '</x>; rel="y"' }).end('text');
      response.writeHead(200, { ...html, link: '</style.css>; rel="preload"' });
      for (let i = 0; i < (request.url === '/large' ? 40 : 2); i++) response.write('x'.repeat(30_000));
      response.end();
    },
    {
      maxPages: 2,
      examine: (content, url) => {
        examined.push([url, content.length]);
        return { events: [event] };
      },
    },
  );
  const { headers } = await get('/small');
  assert.equal(headers.link, '</style.css>; rel="preload", </.well-known/orbweaver-report>; rel="orbweaver-report"');
  assert.equal((await get('/text')).headers.link, '</x>; rel="y"');
  await get('/large');
  await get('/third');
  assert.deepEqual([...site.state().keys()], ['/small', '/large']);
  assert.deepEqual(examined, [['/small', 60_000]]);
  assert.deepEqual((await site.find('~/small'))!.events, [event]);
});

test('an incomplete response is not a page', async () => {
  const { site, get } = await program((_, response) => {
    response.writeHead(200, html);
    response.write('half');
    response.destroy();
  });
  await assert.rejects(get('/broken'));
  assert.equal(site.lastSeq, 0);
});
