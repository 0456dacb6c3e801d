/** A web interface over a small copy of a site that changed once, in the test's own process. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveServeOptions } from '../../../src/core/options/serve-options.ts';
import { placeAt } from '../../../src/crawl/place/crawl-place.ts';
import { type RunningServer, startServer } from '../../../src/serve/serve.ts';
import { type LivingSite, startLivingSite } from '../../../testbed/web/living-site.ts';
import { crawlHere } from '../../crawl/crawl-here.ts';
import { refreshHere } from '../../crawl/refresh/refresh-here.ts';

interface Test {
  after(callback: () => Promise<void>): void;
}

export interface ServedSite {
  readonly site: LivingSite;
  readonly dir: string;
}

/** A copy with changed pages, a broken link, a skipped URL, and text from the web that is hostile. */
export async function copyOfSite(t: Test): Promise<ServedSite> {
  const site = await startLivingSite(t);
  site.set(
    '/',
    '<title>Home</title><a href="/a">A</a><a href="/lost">lost</a><a href="/deep/x/y">deep</a><p>Welcome.</p>',
  );
  site.set('/a', '<title>Page A</title><p>The price is 12 euros. <a href="/">back</a></p>');
  site.set('/deep/x/y', '<title>&lt;img src=x onerror=alert(1)&gt;</title><p>Deep text about spiders.</p>');
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-serve-'));
  t.after(async () => rmSync(dir, { recursive: true, force: true }));
  await crawlHere(dir, [site.web.url('/')], { patience: '0s', exclude: ['*/never/*'] });
  site.set('/a', '<title>Page A</title><p>The price is 14 euros. <a href="/">back</a></p>');
  site.set('/new', '<title>New</title><p>Something new.</p>');
  await refreshHere(dir);
  return { site, dir };
}

export async function serveHere(
  t: Test,
  dirs: readonly string[],
  given: Record<string, unknown> = {},
): Promise<RunningServer> {
  const server = await startServer({
    places: dirs.map((dir) => ({ place: placeAt(dir), again: `--dir ${dir}` })),
    options: resolveServeOptions([{ from: 'test', given: { port: 0, ...given } }]),
    webFolder: webFolderHere(t),
  });
  t.after(() => server.close());
  return server;
}

/** The pages of the interface have tests of their own. */
function webFolderHere(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-web-'));
  t.after(async () => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Orbweaver</title>');
  writeFileSync(join(folder, 'app-0123456789ab.js'), 'export {};');
  return folder;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at any field.
  readonly json: any;
}

export interface Asked {
  readonly method?: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request with exactly these headers; `fetch` would refuse some of them. */
export function ask(server: RunningServer, path: string, asked: Asked = {}): Promise<Reply> {
  const { method = 'GET', token, body, headers } = asked;
  const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const sent = request(
    {
      ...{ host: '127.0.0.1', port: server.port, path, method, agent: false },
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(text !== null && { 'content-type': 'application/json' }),
        ...headers,
      },
    },
    (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const answer = Buffer.concat(chunks).toString('utf8');
        const isJson = String(response.headers['content-type']).startsWith('application/json');
        const json: unknown = isJson && answer !== '' ? JSON.parse(answer) : null;
        resolve({ status: response.statusCode!, headers: response.headers, text: answer, json });
      });
    },
  );
  sent.on('error', reject);
  sent.end(text ?? undefined);
  return promise;
}
