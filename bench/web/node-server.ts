/**
 * The replacement for nginx where it is not available: static files over node:http, in a separate process.
 *
 *     node node-server.ts <web-folder> <host,host,…> <port> <log-path> validators|plain
 *
 * This server is slower than nginx, so it may be the bottleneck. The results mention it when it was used.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join, normalize } from 'node:path';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  gif: 'image/gif',
  xml: 'application/xml',
  gz: 'application/gzip',
};

const [webFolder, hostList, portText, logPath, mode] = process.argv.slice(2);
if (webFolder === undefined || hostList === undefined || portText === undefined || logPath === undefined) {
  process.stderr.write('usage: node-server.ts <web-folder> <host,host,…> <port> <log-path> validators|plain\n');
  process.exit(2);
}

interface FoundFile {
  readonly body: Buffer;
  readonly modifiedAtMs: number;
}

const lines: string[] = [];

function readOrUndefined(path: string): FoundFile | undefined {
  try {
    return { body: readFileSync(path), modifiedAtMs: statSync(path).mtimeMs };
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
  const found = packed ?? readOrUndefined(path);
  if (found === undefined) {
    send(host, request, response, 404, undefined);
    return;
  }
  if (mode === 'validators' && isKnown(found, request, response)) {
    send(host, request, response, 304, undefined);
    return;
  }
  const ending = path.slice(path.lastIndexOf('.') + 1);
  response.setHeader('content-type', CONTENT_TYPES[ending] ?? 'application/octet-stream');
  response.setHeader('content-length', found.body.length);
  if (packed !== undefined) response.setHeader('content-encoding', 'gzip');
  send(host, request, response, 200, request.method === 'HEAD' ? undefined : found.body);
}

/** Follows the rules of nginx: the tag is the time and length of the sent body, and a date must be exactly equal. */
function isKnown({ body, modifiedAtMs }: FoundFile, request: IncomingMessage, response: ServerResponse): boolean {
  const seconds = Math.floor(modifiedAtMs / 1000);
  const tag = `"${seconds.toString(16)}-${body.length.toString(16)}"`;
  const date = new Date(seconds * 1000).toUTCString();
  response.setHeader('etag', tag);
  response.setHeader('last-modified', date);
  const { 'if-none-match': askedTag, 'if-modified-since': askedDate } = request.headers;
  return askedTag === undefined ? askedDate === date : askedTag.split(/\s*,\s*/).includes(tag);
}

function send(
  host: string,
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: Buffer | undefined,
): void {
  const { socket } = request;
  const writtenBefore = socket.bytesWritten;
  response.once('finish', () => {
    const [bytes, encoding] = [body?.length ?? 0, response.getHeader('content-encoding') ?? '-'];
    const [at, sentBytes] = [(Date.now() / 1000).toFixed(3), socket.bytesWritten - writtenBefore];
    lines.push(`${status} ${host} ${request.url ?? '/'} ${bytes} ${encoding} ${at} ${sentBytes}`);
  });
  response.writeHead(status).end(body);
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
