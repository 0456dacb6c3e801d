import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { countUpdate } from '../../bench/refresh/update-log.ts';
import { readAccessLog, readPageTimes } from '../../bench/web/access-log.ts';
import { filePath, type LocalWeb, makeWeb } from '../../bench/web/make.ts';
import { renderPage } from '../../bench/web/page.ts';
import { findNginx, type ServerProgram, serveWeb } from '../../bench/web/serve.ts';

const NODE_SERVER: ServerProgram = { kind: 'node', command: process.execPath, version: 'node' };

describe('a web on disk', () => {
  let folder: string;
  let web: LocalWeb;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bench-web-'));
    web = await makeWeb(folder, { seed: 1, pages: 6, hosts: 2 }, () => {});
  });
  after(() => rm(folder, { recursive: true }));

  it('is reused the second time', async () => {
    const messages: string[] = [];
    const again = await makeWeb(folder, web.plan.shape, (text) => messages.push(text));
    assert.equal(again.plan.port, web.plan.port);
    assert.deepEqual(messages, []);
    assert.equal(await readFile(filePath(again.folder, web.plan, 3), 'utf8'), renderPage(web.plan, 3));
  });

  it('is served and logged in the same way by nginx and by its replacement', async (context) => {
    const nginx = await findNginx();
    for (const program of nginx === undefined ? [NODE_SERVER] : [nginx, NODE_SERVER]) {
      const logPath = join(folder, `${program.kind}.log`);
      const server = await serveWeb(program, web, join(folder, program.kind), logPath);
      try {
        for (const page of [0, 1, 3, 3]) {
          const response = await fetch(web.plan.url(page), { headers: { 'accept-encoding': 'gzip' } });
          assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
          assert.equal(await response.text(), renderPage(web.plan, page));
        }
        const missing = await fetch(`${web.plan.seedUrl}missing`);
        assert.equal(missing.status, 404);
        await missing.text();
      } finally {
        await server.stop();
      }
      const { distinctPages, repeatedPages, failures, gzippedPages } = await readAccessLog(logPath, web.plan);
      assert.deepEqual(
        { distinctPages, repeatedPages, failures, gzippedPages },
        { distinctPages: 3, repeatedPages: 1, failures: 1, gzippedPages: 4 },
      );
      const times = await readPageTimes(logPath, web.plan);
      assert.ok(times !== null && Math.abs(Date.now() - times.lastAtMs) < 60_000 && times.firstAtMs <= times.lastAtMs);
      context.diagnostic(`served by ${program.version}`);
    }
  });

  it('has validators, or none if told so, from nginx and from its replacement', async () => {
    const nginx = await findNginx();
    const url = web.plan.url(3);
    const headers = { 'accept-encoding': 'gzip' };
    for (const program of nginx === undefined ? [NODE_SERVER] : [nginx, NODE_SERVER]) {
      for (const validators of [true, false]) {
        const logPath = join(folder, `${program.kind}-${validators}.log`);
        const server = await serveWeb(program, web, join(folder, program.kind), logPath, { validators });
        try {
          const first = await fetch(url, { headers });
          await first.text();
          const tag = first.headers.get('etag');
          const date = first.headers.get('last-modified');
          assert.deepEqual([tag !== null, date !== null], [validators, validators], program.kind);
          // A client could still use the time of the file if the server sends no validators.
          const since = date ?? (await stat(`${filePath(web.folder, web.plan, 3)}.gz`)).mtime.toUTCString();
          for (const asked of [{ 'if-none-match': tag ?? '"1-2"' }, { 'if-modified-since': since }]) {
            const again = await fetch(url, { headers: { ...headers, ...asked } });
            await again.text();
            assert.equal(again.status, validators ? 304 : 200, `${program.kind} ${JSON.stringify(asked)}`);
          }
        } finally {
          await server.stop();
        }
        const count = countUpdate(await readFile(logPath, 'latin1'), { plan: web.plan, changed: new Set() });
        assert.deepEqual([count.requests, count.notModified, count.failures], [3, validators ? 2 : 0, 0]);
        const heads = count.sentBytes - count.bodyBytes;
        assert.ok(heads > 3 * 80 && heads < 3 * 600, `${program.kind}: ${heads} bytes of heads`);
      }
    }
  });
});
