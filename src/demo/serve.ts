/**
 * Serves one site: finds the response, compresses it if the client accepts gzip, and
 * sends 304 if the client's copy is current.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { html, link } from './html.ts';
import { layout } from './layout.ts';
import { type Answer, htmlAnswer, type Site } from './site.ts';

/** `site` is set when all sites have an address, because they link to each other. */
export interface SiteServer {
  readonly server: Server;
  site: Site | null;
}

export function siteServer(): SiteServer {
  const holder: SiteServer = {
    server: createServer((request, response) => {
      if (holder.site === null) response.writeHead(503).end();
      else answer(holder.site, request, response);
    }),
    site: null,
  };
  return holder;
}

function answer(site: Site, request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  const found = find(site, request.url ?? '/') ?? notFound(site);
  if (found.delayMs === undefined) {
    send(found, request, response);
    return;
  }
  const timer = setTimeout(() => send(found, request, response), found.delayMs);
  response.on('close', () => clearTimeout(timer));
}

function find(site: Site, target: string): Answer | null {
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const visit = { path, query: new URLSearchParams(mark === -1 ? '' : target.slice(mark + 1)) };
  const page = site.pages.get(path);
  if (page) return page(visit);
  for (const [prefix, respond] of site.spaces) if (path.startsWith(prefix)) return respond(visit);
  return null;
}

function notFound({ face }: Site): Answer {
  const body = html`<p class="lead">Nothing hangs here. ${link('Back to the beginning', '/')}.</p>`;
  return htmlAnswer(layout(face, { path: '/', title: 'Not found', description: 'No such page.', body }), 404);
}

/** Smaller bodies fit into one packet without compression. */
const MIN_GZIP_BYTES = 512;

function send({ status, headers, body }: Answer, request: IncomingMessage, response: ServerResponse): void {
  const plain = typeof body === 'string' ? Buffer.from(body) : body;
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  const sent: Record<string, string | number> = { ...headers, vary: 'accept-encoding' };
  if (status === 200) {
    sent.etag = etag;
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, sent).end();
      return;
    }
  }
  const bytes = shrinks(plain, headers, request) ? gzipSync(plain) : plain;
  if (bytes !== plain) sent['content-encoding'] = 'gzip';
  response.writeHead(status, { ...sent, 'content-length': bytes.length });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

function shrinks(plain: Buffer, headers: Answer['headers'], request: IncomingMessage): boolean {
  const isText = /^(?:text\/|application\/(?:atom\+)?xml)/.test(headers['content-type'] ?? '');
  const accepted = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(request.headers['accept-encoding'] ?? ''));
  return isText && accepted && plain.length >= MIN_GZIP_BYTES;
}
