/**
 * Serves a web of many hosts and records each request, in a separate process that is controlled by messages.
 *
 * In: a shape. Out: a list of requests, each with its page, client, start and end. What always holds: pages are made
 * before the first request, so that serving a page costs almost nothing. All times come from the clock of this process.
 * The process ends with the process that started it.
 */
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { renderPage } from '../web/page.ts';
import { ManyHosts, type ManyHostsShape, ROBOTS_TXT } from './many-hosts.ts';
import { ROBOTS_PAGE, type WebRequest } from './web-log.ts';

const GZIP_LEVEL = 6;
const KEEP_ALIVE_MS = 120_000;
const BACKLOG = 1_024;
const PAGE_HEADERS = { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' };

export type ToWeb = { readonly serve: ManyHostsShape } | 'take';
export type FromWeb = 'listening' | { readonly failure: string } | { readonly requests: readonly WebRequest[] };

let requests: WebRequest[] = [];

function answersOf(plan: ManyHosts, pages: readonly Buffer[], host: number) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? '/';
    const page = path === '/robots.txt' ? ROBOTS_PAGE : plan.pageAt(host, path);
    const beganMs = performance.now();
    const from = request.socket.remoteAddress ?? '';
    let sentMs: number | undefined;
    const send = (status: number, headers: OutgoingHttpHeaders, body: string | Buffer) => {
      if (response.destroyed) return;
      // The client cannot have the response before this moment. A busy server notices the end of the response later,
      // and then the next request would look too early.
      const beforeMs = performance.now();
      response.writeHead(status, { ...headers, 'content-length': body.length }).end(body);
      if (response.writableLength === 0) sentMs = beforeMs;
    };
    // This event also comes when the client has closed the connection: the request has then ended, too.
    response.once('close', () => {
      const isWhole = response.writableFinished;
      requests.push({ host, page, from, beganMs, endedMs: sentMs ?? performance.now(), isWhole });
    });
    const body = pages[page];
    if (page === ROBOTS_PAGE) send(200, { 'content-type': 'text/plain' }, ROBOTS_TXT);
    else if (body === undefined) send(404, {}, '');
    else setTimeout(send, plan.answerMs(page), 200, PAGE_HEADERS, body);
  };
}

async function serve(shape: ManyHostsShape): Promise<void> {
  const plan = new ManyHosts(shape);
  const pages = Array.from({ length: shape.pages }, (_, page) =>
    gzipSync(renderPage(plan, page), { level: GZIP_LEVEL }),
  );
  for (const [host, address] of plan.hosts.entries()) {
    const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, answersOf(plan, pages, host));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(plan.port, address, BACKLOG, () => resolve());
    });
  }
}

function tell(message: FromWeb): void {
  process.send!(message);
}

process.on('disconnect', () => process.exit());
process.on('message', (message: ToWeb) => {
  if (message === 'take') {
    tell({ requests });
    requests = [];
    return;
  }
  serve(message.serve).then(
    () => tell('listening'),
    (error: Error) => tell({ failure: error.message }),
  );
});
// The parent process receives the Ctrl-C too, and ends this process when it is done.
process.on('SIGINT', () => {});
