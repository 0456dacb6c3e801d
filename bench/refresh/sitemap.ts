/**
 * Writes the sitemaps of a site. In: a plan and the time of change of each page. Out: files and an
 * index, which robots.txt names.
 *
 * One file exists only gzipped, as on large sites. The others exist both plain and gzipped, like pages.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { WebPlan } from '../web/plan.ts';

const FILES = 4;
/** Includes the index. */
export const SITEMAP_DOCUMENTS = FILES + 1;
const GZIPPED_FILE = 1;
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';

const gzipAsync = promisify(gzip);

export interface SitemapFile {
  readonly name: string;
  readonly text: string;
}

/** Returns the index first. The web must have one host. */
export function writeSitemaps(plan: WebPlan, modifiedAtMs: readonly number[]): SitemapFile[] {
  const { pages } = plan.shape;
  const pagesAFile = Math.ceil(pages / FILES);
  const origin = new URL(plan.seedUrl).origin;
  const files: SitemapFile[] = [];
  const entries: string[] = [];
  for (let first = 0; first < pages; first += pagesAFile) {
    const times = modifiedAtMs.slice(first, Math.min(pages, first + pagesAFile));
    const number = files.length;
    const name = `sitemap-${number}.xml${number === GZIPPED_FILE ? '.gz' : ''}`;
    const urls = times.map((atMs, place) => entry('url', plan.url(first + place), atMs));
    files.push({ name, text: document('urlset', urls) });
    entries.push(entry('sitemap', `${origin}/${name}`, Math.max(...times)));
  }
  return [{ name: 'sitemap.xml', text: document('sitemapindex', entries) }, ...files];
}

export async function putSitemaps(hostFolder: string, plan: WebPlan, modifiedAtMs: readonly number[]): Promise<void> {
  for (const { name, text } of writeSitemaps(plan, modifiedAtMs)) {
    const packed = await gzipAsync(text);
    if (name.endsWith('.gz')) {
      await writeFile(join(hostFolder, name), packed);
      continue;
    }
    await writeFile(join(hostFolder, name), text);
    await writeFile(join(hostFolder, `${name}.gz`), packed);
  }
  const origin = new URL(plan.seedUrl).origin;
  await writeFile(join(hostFolder, 'robots.txt'), `User-agent: *\nDisallow:\nSitemap: ${origin}/sitemap.xml\n`);
}

function document(root: string, entries: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${NAMESPACE}">\n${entries.join('\n')}\n</${root}>\n`;
}

function entry(element: string, url: string, modifiedAtMs: number): string {
  const lastmod = `${new Date(modifiedAtMs).toISOString().slice(0, 19)}Z`;
  return `<${element}><loc>${url}</loc><lastmod>${lastmod}</lastmod></${element}>`;
}
