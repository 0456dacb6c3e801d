/**
 * Writes the served pages of a plan. In: the plan. Out: a folder for the benchmark's server.
 *
 * The pages exist only gzipped, because Orbweaver requests nothing else. This halves the time to make them and leaves
 * the page cache to the database. What always holds: a folder with a `web.json` is complete. A folder that does not
 * match is made again.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { filePath, type LocalWeb } from '../web/make.ts';
import { renderPage } from '../web/page.ts';
import type { KnownPlan } from './plan.ts';

/** Increase this when the pages change, so that existing webs are made again. */
const GENERATOR_VERSION = 1;
const WRITERS = 8;
const GZIP_LEVEL = 6;
const gzipAsync = promisify(gzip);

export async function makeServedPages(
  parentFolder: string,
  plan: KnownPlan,
  report: (text: string) => void,
): Promise<LocalWeb> {
  const folder = join(parentFolder, `${plan.series}-${plan.known}`);
  const manifestPath = join(folder, 'web.json');
  const manifest = JSON.stringify({ generator: GENERATOR_VERSION, ...plan.shape, known: plan.known, port: plan.port });
  if ((await readFile(manifestPath, 'utf8').catch(() => '')) === manifest) return { plan, folder };
  report(`making ${plan.shape.pages} pages with ${plan.series} links into ${plan.known} known URLs`);
  await rm(folder, { recursive: true, force: true });
  for (const host of plan.hosts) {
    await mkdir(join(folder, host), { recursive: true });
    await writeFile(join(folder, host, 'robots.txt'), 'User-agent: *\nDisallow:\n');
  }
  let nextPage = 0;
  const writePages = async () => {
    while (nextPage < plan.shape.pages) await writePage(folder, plan, nextPage++);
  };
  await Promise.all(Array.from({ length: WRITERS }, writePages));
  await writeFile(manifestPath, manifest);
  return { plan, folder };
}

async function writePage(folder: string, plan: KnownPlan, page: number): Promise<void> {
  const path = filePath(folder, plan, page);
  const html = renderPage(plan, page);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.gz`, await gzipAsync(html, { level: GZIP_LEVEL }));
  // nginx finds the page of `/` only through the file that is not gzipped.
  if (plan.path(page) === '/') await writeFile(path, html);
}

/** Otherwise one run would wait for the disk while another finds the files in memory. */
export async function readPagesIntoMemory({ folder, plan }: LocalWeb): Promise<void> {
  for (let page = 0; page < plan.shape.pages; page++) await readFile(`${filePath(folder, plan, page)}.gz`);
}
