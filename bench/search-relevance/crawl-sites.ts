/**
 * Crawls the sites with the program itself and makes the search index. In: the folders of the sites. Out: the
 * copy with its `search.db`. What always holds: templates, links and PageRank are those of
 * a real crawl, and the options are the defaults. Pages that give the right answers away are not served.
 */
import { startCrawl } from '../../src/crawl/crawl.ts';
import { startIndex } from '../../src/crawl/following/search/run-index.ts';
import { placeAt } from '../../src/crawl/place/crawl-place.ts';
import { serveFolder } from '../../testbed/web/folder-site.ts';
import { type LocalWeb, startWeb } from '../../testbed/web/local-web.ts';
import type { SearchSite } from './sites.ts';

export interface ServedSite {
  readonly site: SearchSite;
  /** The folder with the files of the site. */
  readonly folder: string;
}

/** The index is made after the crawl, so that the template and the PageRank of each page are known. */
export async function crawlSites(sites: readonly ServedSite[], dir: string): Promise<void> {
  const webs: LocalWeb[] = [];
  try {
    for (const { site, folder } of sites) {
      const web = await startWeb({ address: site.address });
      webs.push(web);
      const serve = serveFolder(folder);
      web.on('/*', (visit) => {
        if (!site.heldBack.test(visit.path)) serve(visit);
        else visit.response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>not found</h1>');
      });
    }
    const seeds = webs.map((web, i) => web.url(`/${sites[i]!.site.start}`));
    const sources = [{ from: 'benchmark', given: { search: 'false' } }];
    await startCrawl({ dir, seeds, sources }).summary;
    await startIndex({ place: placeAt(dir), sources: [], rebuild: true }).summary;
  } finally {
    for (const web of webs) await web.close();
  }
}
