/**
 * A site of many small pages with everything that makes records differ: compressed and plain bodies,
 * large and incompressible bodies, equal bodies under several URLs, empty bodies, redirects and
 * errors. `revision` changes a share of the pages.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { noise } from '../archive/exchange.ts';

export interface MixedSite {
  readonly origin: string;
  /** Pages whose number is divisible by 7 change with it. */
  revision: number;
  close(): Promise<void>;
}

const LINKS_A_PAGE = 40;
const HTML = { 'content-type': 'text/html; charset=utf-8' };

export async function serveMixedSite(pages: number): Promise<MixedSite> {
  const site = { origin: '', revision: 1, close: async () => {} };
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path === '/') return void response.writeHead(200, HTML).end(listOf('/list', Math.ceil(pages / LINKS_A_PAGE)));
    const list = /^\/list(\d+)$/.exec(path)?.[1];
    if (list !== undefined) {
      const first = Number(list) * LINKS_A_PAGE;
      return void response.writeHead(200, HTML).end(listOf('/p', Math.min(pages, first + LINKS_A_PAGE), first));
    }
    const n = Number(/^\/p(\d+)$/.exec(path)?.[1] ?? Number.NaN);
    if (Number.isNaN(n)) return void response.writeHead(404).end();
    if (n % 41 === 0) return void response.writeHead(302, { location: `/p${n - 1}` }).end();
    if (n % 43 === 0) return void response.writeHead(410, { 'content-type': 'text/plain' }).end('gone');
    if (n % 47 === 0) return void response.writeHead(200, { 'content-type': 'image/png' }).end(noise(90_000 + n, n));
    if (n % 53 === 0) return void response.writeHead(200, { 'content-type': 'text/plain' }).end();
    const body = Buffer.from(pageText(n, n % 7 === 0 ? site.revision : 1));
    if (n % 3 === 0) return void response.writeHead(200, HTML).end(body);
    response.writeHead(200, { ...HTML, 'content-encoding': 'gzip' });
    response.end(gzipSync(body, { level: 1 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  site.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  site.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return site;
}

function listOf(path: string, to: number, from = 0): string {
  const links = Array.from({ length: to - from }, (_, i) => `<a href="${path}${from + i}">${from + i}</a>`);
  return `<!doctype html><title>From ${from} to ${to}</title>${links.join(' ')}`;
}

function pageText(n: number, revision: number): string {
  // Some bodies are equal under several URLs, so they become revisits.
  if (n % 19 === 0) return '<title>The same</title><p>This page is the same everywhere.</p>';
  const words = noise(300 + ((n * 977) % 3_000), n + 1).toString('hex');
  return `<!doctype html><title>Page ${n}</title><h1>Revision ${revision} of ${n}</h1><p>${words}</p>`;
}
