/**
 * A site whose pages change while it is watched. A test sets the text of each page, and the answers have validators, or
 * not. The site can also lie: a page may claim that it was not modified although it was.
 */
import { createHash } from 'node:crypto';
import { type LocalWeb, startWeb, type Visit, type WebOptions } from './local-web.ts';

export type Validators = 'etag' | 'last-modified' | 'none';

export interface LivingSite {
  readonly web: LocalWeb;
  /** Path → answer. A number is a status. Missing paths answer 404. */
  readonly pages: Map<string, LivingPage>;
  set(path: string, body: string | Buffer, contentType?: string): void;
  /** The statuses of all answers of a path since the last call of `forget`. */
  asked(path: string): readonly number[];
  /** The paths that were requested since the last call of `forget`. */
  askedPaths(): Iterable<string>;
  /** Number of all requests. */
  readonly requests: number;
  readonly bytesSent: number;
  forget(): void;
}

export type LivingPage =
  | { body: string | Buffer; contentType: string; version: number }
  | { status: number; to?: string };

export async function startLivingSite(
  t: { after(callback: () => Promise<void>): void },
  validators: Validators = 'etag',
  options: WebOptions = {},
): Promise<LivingSite> {
  const web = await startWeb(options);
  t.after(() => web.close());
  const pages = new Map<string, LivingPage>();
  let answers = new Map<string, number[]>();
  let bytesSent = 0;
  let version = 0;
  const answer = ({ path, request, response }: Visit): void => {
    const said = answers.get(path) ?? [];
    answers.set(path, said);
    const page = pages.get(path) ?? { status: 404 };
    if ('status' in page) {
      said.push(page.status);
      response.writeHead(page.status, page.to === undefined ? {} : { location: page.to }).end();
      return;
    }
    const etag = `"${createHash('sha1').update(page.body).digest('hex')}"`;
    const modified = new Date(Date.UTC(2026, 0, 1) + page.version * 60_000).toUTCString();
    const { 'if-none-match': match, 'if-modified-since': since } = request.headers;
    const isSame =
      (validators === 'etag' && match === etag) ||
      (validators === 'last-modified' && match === undefined && since === modified);
    const headers: Record<string, string> = { 'content-type': page.contentType };
    if (validators === 'etag') headers.etag = etag;
    if (validators === 'last-modified') headers['last-modified'] = modified;
    said.push(isSame ? 304 : 200);
    if (isSame) {
      response.writeHead(304, headers).end();
      return;
    }
    bytesSent += Buffer.byteLength(page.body);
    response.writeHead(200, headers).end(page.body);
  };
  web.on('/*', answer);
  return {
    web,
    pages,
    set(path, body, contentType = 'text/html; charset=utf-8') {
      pages.set(path, { body, contentType, version: ++version });
    },
    asked: (path) => answers.get(path) ?? [],
    askedPaths: () => answers.keys(),
    get requests() {
      return [...answers.values()].reduce((sum, { length }) => sum + length, 0);
    },
    get bytesSent() {
      return bytesSent;
    },
    forget() {
      answers = new Map();
      bytesSent = 0;
    },
  };
}
