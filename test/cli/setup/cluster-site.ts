/**
 * A chain of pages for crawls in a database: each page links to the next, and the
 * last links to a page that does not exist.
 */
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';

export const SITE_PAGES = 9;

export async function site(t: TestContext): Promise<string> {
  const server = createServer(({ url = '/' }, response) => {
    const at = Number(/^\/(\d+)$/.exec(url)?.[1] ?? 0);
    const isPage = url === '/' || (at > 0 && at < SITE_PAGES);
    response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html' });
    response.end(
      isPage ? `<title>Page ${at}</title><p>number ${at} says ${at * 7919}<a href="/${at + 1}">on</a>` : 'no',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
}
