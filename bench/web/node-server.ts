/**
 * The stand-in for nginx where it cannot be had: static files over node:http, in a process of its own.
 *
 *     node node-server.ts <web-folder> <host,host,…> <port> <log-path>
 *
 * Slower than nginx, so it may be the bottleneck; the results say when it was used.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join, normalize } from 'node:path';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  gif: 'image/gif',
};

const [webFolder, hostList, portText, logPath] = process.argv.slice(2);
if (webFolder === undefined || hostList === undefined || portText === undefined || logPath === undefined) {
  process.stderr.write('usage: node-server.ts <web-folder> <host,host,…> <port> <log-path>\n');
  process.exit(2);
}

const lines: string[] = [];

function log(status: number, host: string, target: string, bytes: number, encoding: string): void {
  lines.push(`${status} ${host} ${target} ${bytes} ${encoding} ${(Date.now() / 1000).toFixed(3)}`);
}

function readOrUndefined(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function answer(host: string, request: IncomingMessage, response: ServerResponse): void {
  const target = request.url ?? '/';
  const query = target.indexOf('?');
  const name = normalize(query < 0 ? target : target.slice(0, query));
  const path = join(webFolder!, host, name.endsWith('/') ? `${name}index.html` : name);
  const wantsGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  const packed = wantsGzip ? readOrUndefined(`${path}.gz`) : undefined;
  const body = packed ?? readOrUndefined(path);
  if (body === undefined) {
    response.writeHead(404).end();
    log(404, host, target, 0, '-');
    return;
  }
  response.setHeader(
    'content-type',
    CONTENT_TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
  );
  response.setHeader('content-length', body.length);
  if (packed !== undefined) response.setHeader('content-encoding', 'gzip');
  response.writeHead(200).end(request.method === 'HEAD' ? undefined : body);
  log(200, host, target, body.length, packed === undefined ? '-' : 'gzip');
}

for (const host of hostList.split(',')) {
  createServer({ keepAliveTimeout: 120_000 }, (request, response) => answer(host, request, response)).listen(
    Number(portText),
    host,
  );
}

process.once('SIGQUIT', () => {
  writeFileSync(logPath, lines.map((line) => `${line}\n`).join(''));
  process.exit(0);
});
