/**
 * Makes a site of the HTML files of a documentation package of Debian. In: the name of a package. Out: a folder that the
 * server of the benchmarks can serve, with each page also gzipped, and a first page that links to all of them.
 */
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Site } from '../refresh/sites.ts';
import { WebPlan } from '../web/plan.ts';
import { htmlFilesBelow, unpackPackage } from './debian-package.ts';

const gzipAsync = promisify(gzip);

export async function makePackageSite(
  workFolder: string,
  name: string,
  folder: string,
  port: number,
  report: (text: string) => void,
): Promise<Site> {
  const files = await unpackPackage(workFolder, name);
  const paths = await htmlFilesBelow(files);
  report(`making a site of the ${paths.length} pages of ${name}`);
  const plan = new WebPlan({ seed: 1, pages: paths.length + 1, hosts: 1 }, port);
  const root = join(folder, plan.host(0));
  await rm(folder, { recursive: true, force: true });
  for (const path of paths) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await copyFile(join(files, path), join(root, path));
    await writeFile(join(root, `${path}.gz`), await gzipAsync(await readFile(join(files, path))));
  }
  const links = paths.map(
    (path) => `<li><a href="/${encodeURI(path).replaceAll('?', '%3F').replaceAll('#', '%23')}">${path}</a>`,
  );
  await writeFile(join(root, 'index.html'), `<title>${name}</title><ul>${links.join('\n')}</ul>`);
  await writeFile(join(root, 'robots.txt'), 'User-agent: *\nAllow: /\n');
  return { plan, folder, changed: new Set() };
}
