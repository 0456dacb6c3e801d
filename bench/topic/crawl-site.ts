/**
 * Crawls a real site with the program itself. In: a site, the folder with its files, and perhaps a topic. Out: its pages
 * in the order in which the server was asked for them. What always holds: state, archive, threads and politeness are
 * those of any crawl, and the options are the defaults.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCrawl } from '../../src/crawl/crawl.ts';
import { serveFolder } from '../../testbed/web/folder-site.ts';
import { startWeb } from '../../testbed/web/local-web.ts';
import type { Site } from '../site/read-site.ts';

/** The indexes of the pages. A page that is asked for twice counts once. */
export async function crawlSite({ pages }: Site, folder: string, topic: string | null): Promise<number[]> {
  const web = await startWeb();
  const dir = await mkdtemp(join(tmpdir(), 'orbweaver-topic-'));
  try {
    web.on('/*', serveFolder(folder));
    const given = topic === null ? {} : { topic };
    const sources = [{ from: 'benchmark', given }];
    await startCrawl({ dir, seeds: [web.url(encodeURI(pages[0]!.path))], sources }).summary;
    const places = new Map(pages.map(({ path }, place) => [encodeURI(path), place]));
    const asked = web.ledger.entries.map(({ path }) => placeOf(places, path.split('?', 1)[0]!));
    return [...new Set(asked)].filter((place) => place !== undefined);
  } finally {
    await web.close();
    await rm(dir, { recursive: true, force: true });
  }
}

/** A folder stands for its index page. */
function placeOf(places: ReadonlyMap<string, number>, path: string): number | undefined {
  return places.get(path) ?? places.get(`${path.replace(/\/$/, '')}/index.html`);
}
