/**
 * Serves the files of a folder, as a plain web server does. In: a folder. Out: a behaviour; mount it with `web.on('/*',
 * …)`. It is for sites that the project did not make, such as the documentation in a system package.
 */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Behaviour } from './local-web.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.gif': 'image/gif',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain',
};

export function serveFolder(folder: string): Behaviour {
  const root = realpathSync(folder);
  return ({ path, response }) => {
    const file = fileFor(root, path);
    if (file === null) return void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>not found</h1>');
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    response.end(readFileSync(file));
  };
}

/** Links out of the folder are followed: packages share files by them. Only the path of the URL must stay inside. */
function fileFor(root: string, path: string): string | null {
  let name: string;
  try {
    name = decodeURIComponent(path.split('?', 1)[0]!);
  } catch {
    return null;
  }
  if (name.includes('\0') || name.split('/').includes('..')) return null;
  const asked = join(root, name);
  const file = existsSync(asked) && statSync(asked).isDirectory() ? join(asked, 'index.html') : asked;
  return existsSync(file) && statSync(file).isFile() ? file : null;
}
