/**
 * The files that the browser gets: the pages of the interface, built from src/web. They are read once, at the start.
 * In: the path of a request. Out: a file, or the main page for every path that is a view.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { OrbweaverError } from '../../core/errors.ts';
import { COMMON_HEADERS } from './answer.ts';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webmanifest: 'application/manifest+json',
};

/** Everything comes from this server; frames show only archived pages, which have a stricter policy of their own. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

interface WebFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly zipped: Buffer;
  readonly isHashed: boolean;
}

export class WebFiles {
  readonly #files: ReadonlyMap<string, WebFile>;

  constructor(folder = webFolder()) {
    this.#files = new Map(namesIn(folder).map((name) => [`/${name}`, readWebFile(join(folder, name), name)]));
    if (!this.#files.has('/index.html')) {
      throw new OrbweaverError('ERR_DIR', 'the pages of the web interface are not built; run: npm run build:web');
    }
  }

  send(path: string, request: IncomingMessage, response: ServerResponse): void {
    const isFile = this.#files.has(path);
    const file = this.#files.get(path) ?? this.#files.get('/index.html')!;
    const isMissing = !isFile && /^\/[^/]+\.\w{1,12}$/.test(path);
    const isZipped = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const body = isZipped ? file.zipped : file.bytes;
    response.writeHead(isMissing ? 404 : 200, {
      ...COMMON_HEADERS,
      'content-type': file.type,
      'content-length': body.length,
      'content-security-policy': POLICY,
      // The name of a built file contains the hash of its content.
      'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      ...(isZipped && { 'content-encoding': 'gzip' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }
}

function webFolder(): string {
  // In the bundle, all files are in one folder.
  const isSource = import.meta.url.endsWith('.ts');
  return fileURLToPath(new URL(isSource ? '../../../dist/web' : './web', import.meta.url));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile() && typeOf(name) !== null);
  } catch {
    return [];
  }
}

function readWebFile(path: string, name: string): WebFile {
  const bytes = readFileSync(path);
  return { type: typeOf(name)!, bytes, zipped: gzipSync(bytes), isHashed: /-[\w]{8,}\.(?:js|css)$/.test(name) };
}

function typeOf(name: string): string | null {
  return TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? null;
}
