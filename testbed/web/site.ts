import type { Behaviour } from './local-web.ts';

/**
 * A plain web site, the same one every time for the same numbers. Page 0 is `/`,
 * and every other page can be reached from it.
 */
export interface SiteOptions {
  readonly pages: number;
  readonly linksPerPage?: number;
  /** Approximate length of a page. */
  readonly bytes?: number;
  readonly seed?: number;
}

export interface Site {
  readonly paths: readonly string[];
  html(page: number): string;
  /** Mount it with `web.on('/*', site.serve)`. */
  readonly serve: Behaviour;
}

const WORDS = 'silk orb spiral radius hub frame anchor bridge thread weave spin catch dew prey night dawn'.split(' ');

export function site({ pages, linksPerPage = 10, bytes = 2_000, seed = 1 }: SiteOptions): Site {
  const paths = Array.from({ length: pages }, (_, page) => pathOf(page));
  const cache = new Map<number, Buffer>();
  const html = (page: number): string => pageHtml(page, pages, linksPerPage, bytes, seed);
  return {
    paths,
    html,
    serve: ({ path, response }) => {
      const page = pageOf(path);
      if (page === null || page >= pages) {
        response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>no such page</h1>');
        return;
      }
      const body = cache.get(page) ?? Buffer.from(html(page));
      cache.set(page, body);
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
    },
  };
}

function pathOf(page: number): string {
  return page === 0 ? '/' : `/page/${page}.html`;
}

function pageOf(path: string): number | null {
  if (path === '/') return 0;
  const match = /^\/page\/(\d+)\.html$/.exec(path);
  return match ? Number(match[1]) : null;
}

function pageHtml(page: number, pages: number, linksPerPage: number, bytes: number, seed: number): string {
  const random = generator(seed * 1_000_003 + page);
  // Half of the links make a tree, so that every page can be reached. The other links go anywhere.
  const branches = Math.max(1, Math.floor(linksPerPage / 2));
  const links: number[] = [];
  for (let i = 1; i <= branches; i++) if (page * branches + i < pages) links.push(page * branches + i);
  while (links.length < linksPerPage) links.push(random(pages));
  const anchors = links.map((to) => `<li><a href="${pathOf(to)}">${WORDS[random(WORDS.length)]} ${to}</a></li>`);
  let html = `<!doctype html><html><head><title>Page ${page}</title></head><body><ul>${anchors.join('')}</ul><p>`;
  while (html.length < bytes - 20) html += `${WORDS[random(WORDS.length)]} `;
  return `${html}</p></body></html>`;
}

/** A linear congruential generator: whole numbers below `limit`. */
function generator(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
