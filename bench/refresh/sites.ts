/**
 * The site as it is before and after its change: a web in, folders out that differ in the pages that changed.
 *
 * What did not change is the same file as before (a hard link), with the same time; so a server's validators are the same too.
 * What always holds: the web itself is never written to, and every changed page is younger than what it was by a second at
 * least, since validators and sitemaps count in seconds.
 */
import { link, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { filePath, type LocalWeb } from '../web/make.ts';
import { changePage, pickPages } from './change-page.ts';
import { putSitemaps } from './sitemap.ts';

const FORMS = ['', '.gz'] as const;
const gzipAsync = promisify(gzip);

/** One state of the web: its files, and which of its pages are not as they were. */
export interface Site extends LocalWeb {
  readonly changed: ReadonlySet<number>;
}

/** All pages changed, from which the sites take those they need. */
export interface ChangedPages {
  readonly folder: string;
  readonly changedAtMs: number;
}

export async function changePages({ folder: from, plan }: LocalWeb, folder: string): Promise<ChangedPages> {
  await rm(folder, { recursive: true, force: true });
  // The next whole second: after everything that was fetched before.
  const changedAtMs = Math.ceil(Date.now() / 1000) * 1000;
  for (let page = 0; page < plan.shape.pages; page++) {
    const before = await readFile(filePath(from, plan, page), 'utf8');
    const path = filePath(folder, plan, page);
    const html = changePage(plan, page, before);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, html);
    await writeFile(`${path}.gz`, await gzipAsync(html));
    for (const form of FORMS) await utimes(path + form, changedAtMs / 1000, changedAtMs / 1000);
  }
  return { folder, changedAtMs };
}

/** With `changedPages` of null, the site as it was. */
export async function makeSite(
  web: LocalWeb,
  folder: string,
  changedPages: ChangedPages | null,
  count: number,
  hasSitemaps: boolean,
): Promise<Site> {
  const { plan } = web;
  await rm(folder, { recursive: true, force: true });
  const changed = changedPages === null ? new Set<number>() : pickPages(plan, count);
  const modifiedAtMs: number[] = [];
  for (const host of plan.hosts) await linkRest(join(web.folder, host), join(folder, host));
  for (let page = 0; page < plan.shape.pages; page++) {
    const isChanged = changedPages !== null && changed.has(page);
    const from = filePath(isChanged ? changedPages.folder : web.folder, plan, page);
    const to = filePath(folder, plan, page);
    await mkdir(dirname(to), { recursive: true });
    for (const form of FORMS) await link(from + form, to + form);
    if (hasSitemaps) modifiedAtMs.push(isChanged ? changedPages.changedAtMs : (await stat(from)).mtimeMs);
  }
  if (hasSitemaps) {
    const hostFolder = join(folder, plan.host(0));
    await rm(join(hostFolder, 'robots.txt'));
    await putSitemaps(hostFolder, plan, modifiedAtMs);
  }
  return { plan, folder, changed };
}

/** What is no page: robots.txt and images. */
async function linkRest(from: string, to: string): Promise<void> {
  await mkdir(join(to, 'images'), { recursive: true });
  await link(join(from, 'robots.txt'), join(to, 'robots.txt'));
  for (const name of await readdir(join(from, 'images'))) {
    await link(join(from, 'images', name), join(to, 'images', name));
  }
}
