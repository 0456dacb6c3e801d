/** The files that a site offers to crawlers: robots.txt, sitemap.xml, an Atom feed. */
import { escapeText } from './html.ts';
import { type SiteBuilder, textAnswer } from './site.ts';

export interface FeedEntry {
  readonly path: string;
  readonly title: string;
  readonly summary: string;
  /** Year, month and day: `2024-05-17`. */
  readonly day: string;
}

export function addRobots(site: SiteBuilder, disallowed: readonly string[]): void {
  const rules = disallowed.map((path) => `Disallow: ${path}\n`).join('');
  const body = `# ${site.face.name} likes visitors.\nUser-agent: *\n${rules}\nSitemap: ${site.face.origin}/sitemap.xml\n`;
  site.answer('/robots.txt', () => textAnswer(body, 'text/plain'));
}

/** Lists every page of `listed`, so it must be added last. */
export function addSitemap(site: SiteBuilder): void {
  const rows = site.listed.map((path) => `<url><loc>${escapeText(site.face.origin + path)}</loc></url>\n`).join('');
  const body = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${rows}</urlset>
`;
  site.answer('/sitemap.xml', () => textAnswer(body, 'application/xml'));
}

export function addFeed(site: SiteBuilder, path: string, entries: readonly FeedEntry[]): void {
  const { origin, name } = site.face;
  const rows = entries.map(
    (entry) => `<entry>
<title>${escapeText(entry.title)}</title>
<link href="${escapeText(origin + entry.path)}"/>
<id>${escapeText(origin + entry.path)}</id>
<updated>${entry.day}T06:00:00Z</updated>
<summary>${escapeText(entry.summary)}</summary>
</entry>
`,
  );
  const body = `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>${escapeText(name)}</title>
<link rel="self" href="${escapeText(origin + path)}"/>
<link href="${escapeText(origin)}/"/>
<id>${escapeText(origin)}/</id>
<updated>${entries[0]?.day ?? '2024-01-01'}T06:00:00Z</updated>
<author><name>${escapeText(name)}</name></author>
${rows.join('')}</feed>
`;
  site.answer(path, () => textAnswer(body, 'application/atom+xml'));
}
