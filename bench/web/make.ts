/**
 * Writes the local web to disk. In: a shape. Out: a folder with one sub-folder per host.
 *
 * Every page exists plain and as `.gz`, so that the server only has to send it. What always holds: a folder with a
 * `web.json` is complete (this file is written last). A folder that does not match the requested shape is made again.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { IMAGES_A_HOST, renderPage } from './page.ts';
import { WebPlan, type WebShape } from './plan.ts';

/** Increase this when the pages change, so that existing webs are made again. */
const GENERATOR_VERSION = 2;
/** Below the ports that systems assign automatically, so that the port stays free between two runs. */
const FIRST_PORT = 21_400;
const PORTS_TO_TRY = 500;
const WRITERS = 8;
const GZIP_LEVEL = 6;
const EMPTY_GIF = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');
const ROBOTS_TXT = 'User-agent: *\nDisallow:\n';

const gzipAsync = promisify(gzip);

export interface LocalWeb {
  readonly plan: WebPlan;
  readonly folder: string;
}

/** Makes the web, or reuses the existing one when it still matches and its port is free. */
export async function makeWeb(
  parentFolder: string,
  shape: WebShape,
  report: (text: string) => void,
): Promise<LocalWeb> {
  const folder = join(parentFolder, `${shape.pages}-pages-${shape.hosts}-hosts-seed-${shape.seed}`);
  const known = await readManifest(folder);
  if (known !== undefined && known.generator === GENERATOR_VERSION) {
    const plan = new WebPlan(shape, known.port);
    if (await isPortFree(plan.hosts, plan.port)) return { plan, folder };
  }
  await rm(folder, { recursive: true, force: true });
  const hosts = new WebPlan(shape, 0).hosts;
  const plan = new WebPlan(shape, await pickPort(hosts, shape));
  report(`making ${shape.pages} pages on ${shape.hosts} host(s)`);
  await writeWeb(folder, plan);
  await writeFile(
    join(folder, 'web.json'),
    JSON.stringify({ generator: GENERATOR_VERSION, ...shape, port: plan.port }),
  );
  return { plan, folder };
}

/** The file of a page; `/` is the index of the folder. */
export function filePath(folder: string, plan: WebPlan, page: number): string {
  const path = plan.path(page);
  return join(folder, plan.host(page), path === '/' ? 'index.html' : path);
}

async function writeWeb(folder: string, plan: WebPlan): Promise<void> {
  for (const host of plan.hosts) {
    await mkdir(join(folder, host, 'images'), { recursive: true });
    await writeFile(join(folder, host, 'robots.txt'), ROBOTS_TXT);
    for (let image = 0; image < IMAGES_A_HOST; image++) {
      await writeFile(join(folder, host, 'images', `${image}.gif`), EMPTY_GIF);
    }
  }
  const madeFolders = new Set<string>();
  let nextPage = 0;
  const writePages = async () => {
    while (nextPage < plan.shape.pages) {
      const page = nextPage++;
      const path = filePath(folder, plan, page);
      const html = renderPage(plan, page);
      if (!madeFolders.has(dirname(path))) {
        await mkdir(dirname(path), { recursive: true });
        madeFolders.add(dirname(path));
      }
      await writeFile(path, html);
      await writeFile(`${path}.gz`, await gzipAsync(html, { level: GZIP_LEVEL }));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writePages));
}

async function readManifest(folder: string): Promise<{ generator: number; port: number } | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, 'web.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

async function pickPort(hosts: readonly string[], shape: WebShape): Promise<number> {
  // Webs start at different ports, so that a leftover crawler of one web does not disturb the count of another.
  const start = (shape.pages * 31 + shape.hosts * 7 + shape.seed) % PORTS_TO_TRY;
  for (let tried = 0; tried < PORTS_TO_TRY; tried++) {
    const port = FIRST_PORT + ((start + tried) % PORTS_TO_TRY);
    if (await isPortFree(hosts, port)) return port;
  }
  throw new Error(`no port from ${FIRST_PORT} to ${FIRST_PORT + PORTS_TO_TRY} is free on all of ${hosts.join(', ')}`);
}

async function isPortFree(hosts: readonly string[], port: number): Promise<boolean> {
  for (const host of hosts) {
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, host, () => server.close(() => resolve(true)));
    });
    if (!free) return false;
  }
  return true;
}
