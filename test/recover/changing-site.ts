/**
 * A site that is crawled, changes, and is refreshed over several rounds. The rounds include every
 * finding that leaves an answer in the archive.
 */
import { type LivingSite, startLivingSite } from '../../testbed/web/living-site.ts';

export async function startChangingSite(t: Parameters<typeof startLivingSite>[0], pages = 16): Promise<LivingSite> {
  const site = await startLivingSite(t);
  // Nothing in the archive leads to the sitemap, because robots.txt is not archived.
  site.set('/robots.txt', `User-agent: *\nAllow: /\nSitemap: ${site.web.url('/sitemap.xml')}\n`, 'text/plain');
  site.set('/sitemap.xml', sitemap(site, pages), 'application/xml');
  for (let n = 0; n < pages; n++) site.set(n === 0 ? '/' : `/p${n}`, page(n, 0, pages));
  site.set('/copy', page(3, 0, pages));
  // Each resembles its canonical page. /p2 changes in round 2, /p12 in no round.
  for (const n of [2, 12]) {
    site.set(`/print${n}`, `<title>c</title><link rel=canonical href="/p${n}"><p>Page ${n} ${words(n, 0)}</p>`);
  }
  site.pages.set('/moves', { status: 302, to: '/p4' });
  site.pages.set('/broken', { status: 410 });
  return site;
}

/** Makes the changes of a round. Rounds start at 1. */
export function change(site: LivingSite, round: number, pages = 16): void {
  for (let n = 1; n < pages; n++) if ((n + round) % 4 === 0) site.set(`/p${n}`, page(n, round, pages));
  if (round === 1) site.pages.set('/p7', { status: 410 });
  if (round === 2) site.set('/p7', page(7, 2, pages));
  if (round === 2) site.pages.set('/p8', { status: 301, to: '/p9' });
  if (round >= 2) site.pages.set('/p10', { status: 404 });
  if (round === 2)
    site.set(
      `/new${round}`,
      `<title>New ${round}</title><p>A page that was not there, ${round}</p><a href="/p1">x</a>`,
    );
  // The same content as in the first round, so that the archive refers to an existing payload.
  if (round === 3) site.set('/p5', page(5, 0, pages));
}

function page(n: number, round: number, pages: number): string {
  const links = [1, 2, 7]
    .map((step) => `<a href="/p${1 + ((n * 3 + step + round) % (pages - 1))}">to ${step}</a>`)
    .join(' ');
  const paths = n === 0 ? ['/copy', '/print2', '/print12', '/moves', '/broken'] : [];
  const special = paths.map((path) => `<a href="${path}">x</a>`).join(' ');
  const more = round >= 2 && n % 3 === 0 ? '<a href="/new2">new</a>' : '';
  return `<!doctype html><html lang=en><title>Page ${n}</title><h1>Page ${n}</h1><p>${words(n, round)}</p>${links}${special}${more}`;
}

/** Enough unique text that no two pages are near duplicates. */
function words(n: number, round: number): string {
  return Array.from({ length: 60 }, (_, i) => `w${(n * 7919 + round * 104_729 + i * 31) % 9_973}`).join(' ');
}

function sitemap({ web }: LivingSite, pages: number): string {
  const urls = Array.from({ length: pages - 1 }, (_, n) => `<url><loc>${web.url(`/p${n + 1}`)}</loc></url>`).join('');
  return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`;
}
