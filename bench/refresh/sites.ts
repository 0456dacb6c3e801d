/**
 * Makes the site before and after its change. In: a web. Out: folders that differ in the changed pages.
 *
 * An unchanged file is a hard link to the old file, with the same time, so the server's validators are the same, too.
 * What always holds: the web itself is never written to. Every changed page is at least one second newer than its old
 * version, because validators and sitemaps count in seconds.
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

/** One state of the web: its files, and the pages that have changed. */
export interface Site extends LocalWeb {
  readonly changed: ReadonlySet<number>;
}

/** Changed versions of all pages. A site takes the ones that it needs. */
export interface ChangedPages {
  readonly folder: string;
  readonly changedAtMs: number;
}

export async function changePages({ folder: from, plan }: LocalWeb, folder: string): Promise<ChangedPages> {
  await rm(folder, { recursive: true, force: true });
  // The next whole second, which is after every earlier fetch.
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

/** When `changedPages` is null, this makes the old site. */
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

/** Links the files that are not pages: robots.txt and images. */
async function linkRest(from: string, to: string): Promise<void> {
  await mkdir(join(to, 'images'), { recursive: true });
  await link(join(from, 'robots.txt'), join(to, 'robots.txt'));
  for (const name of await readdir(join(from, 'images'))) {
    await link(join(from, 'images', name), join(to, 'images', name));
  }
}
