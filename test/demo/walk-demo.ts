import { DOCUMENT_LINK_KINDS, parsePage } from '../../src/page/page.ts';

export interface Walk {
  /** Pages that answered with 200. */
  readonly pages: number;
  /** Entries such as `404 http://…`. */
  readonly failed: string[];
  readonly outside: string[];
}

/** The default depth of a crawl. */
const MAX_DEPTH = 10;

/** The simplest crawler: it follows every link of every page, breadth first, with one request at a time. */
export async function walkDemo(seeds: readonly string[]): Promise<Walk> {
  const origins = new Set(seeds.map((seed) => new URL(seed).origin));
  const depths = new Map(seeds.map((seed) => [seed, 0]));
  const walk = { pages: 0, failed: [] as string[], outside: [] as string[] };
  // A loop over a Map also visits entries that are added during the loop.
  for (const [url, depth] of depths) {
    if (url.includes('/toys/computers/toys/')) continue;
    const response = await fetch(url, { redirect: 'manual' });
    const body = Buffer.from(await response.arrayBuffer());
    if (response.status === 200) walk.pages++;
    else if (response.status >= 400) walk.failed.push(`${response.status} ${url}`);
    if (depth >= MAX_DEPTH) continue;
    for (const href of hrefsOf(response, body, url)) {
      const target = URL.parse(href, url);
      if (target === null || !target.protocol.startsWith('http')) continue;
      target.hash = '';
      if (!origins.has(target.origin)) walk.outside.push(target.href);
      else if (!depths.has(target.href)) depths.set(target.href, depth + 1);
    }
  }
  return walk;
}

function hrefsOf(response: Response, body: Buffer, url: string): string[] {
  const location = response.headers.get('location');
  if (location !== null) return [location];
  const options = { wantText: false, maxLinks: 1_000 };
  const { links } = parsePage(body, response.headers.get('content-type') ?? '', url, options);
  return links.filter(({ kind }) => DOCUMENT_LINK_KINDS.includes(kind)).map(({ href }) => href);
}
