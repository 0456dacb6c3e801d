/**
 * The benchmark of ranking: how far up the right page is for queries whose right page is known.
 *
 * In: flags. Out: tables on stdout, progress on stderr, and bench/results/search-relevance.json and .md. A partial run
 * writes to bench/work/results instead. What always holds: the sites are crawled by the program, and all contenders
 * search the same pages in the same run. The exit code is 1 if plain BM25 is better than Orbweaver on the test sites.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseQuery } from '../src/search/query/parse-query.ts';
import { SearchIndex } from '../src/search/search-index.ts';
import type { SearchPage } from '../src/search/search-page.ts';
import { BadOption, readFlags, wholeNumber } from './options.ts';
import { fts5, plainBm25, type Rank } from './search-relevance/contenders.ts';
import { crawlSites, type ServedSite } from './search-relevance/crawl-sites.ts';
import { type KnownItem, knownItems } from './search-relevance/known-items.ts';
import { ranksOf } from './search-relevance/measure.ts';
import { paperFigures } from './search-relevance/paper-queries.ts';
import { readCrawledPages } from './search-relevance/read-pages.ts';
import {
  type Answered,
  figureTables,
  isBetter,
  paperTable,
  type Relevance,
  seeAlsoTable,
  writeRelevance,
} from './search-relevance/report.ts';
import { seeAlsoFigures } from './search-relevance/see-also.ts';
import { SEARCH_SITES } from './search-relevance/sites.ts';
import { unpackPackage } from './site/debian-package.ts';

const QUICK_SITES = ['SQLite', 'Debian handbook'];
const USUAL_QUERIES = '40';
/** A page that is further down is not found. */
const MOST_RESULTS = 1_000;

const HELP = `npm run bench -- search-relevance [flags]

  --only <a,b>         of ${SEARCH_SITES.map(({ name }) => name).join(', ')} (default all)
  --queries <n>        queries of each kind and site, at most (default ${USUAL_QUERIES})
  --quick              ${QUICK_SITES.join(' and ')}

The sites are documentation packages of Debian. They are downloaded with apt-get and unpacked into bench/work.
`;

export async function benchSearchRelevance(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const values = readFlags(args, ['only', 'queries']);
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const only = values.only?.split(',') ?? (values.quick ? QUICK_SITES : SEARCH_SITES.map(({ name }) => name));
  const most = wholeNumber('queries', values.queries ?? USUAL_QUERIES);
  const served: ServedSite[] = [];
  for (const name of only) {
    const site = SEARCH_SITES.find((each) => each.name === name);
    if (site === undefined) throw new BadOption(`--only: there is no site "${name}"`);
    served.push({ site, folder: join(await unpackPackage(workFolder, site.package), site.folder) });
  }
  const dir = join(workFolder, 'search-relevance');
  await rm(dir, { recursive: true, force: true });
  report(`crawling ${only.join(', ')}`);
  await crawlSites(served, dir);
  const relevance = await askAll(served, dir, most, report);
  const isPartial = [values.only, values.queries, values.quick].some((value) => value !== undefined);
  const written = await writeRelevance(isPartial ? join(workFolder, 'results') : resultsFolder, relevance);
  process.stdout.write(
    `\n${figureTables(relevance.answered)}\n\n${paperTable(relevance.paper)}\n\n${seeAlsoTable(relevance.seeAlso)}\n`,
  );
  report(`written: ${written}.md and .json`);
  return isBetter(relevance.answered) ? 0 : 1;
}

async function askAll(
  served: readonly ServedSite[],
  dir: string,
  most: number,
  report: (text: string) => void,
): Promise<Relevance> {
  const pages = await readCrawledPages(dir);
  const places = new Map<number, { readonly site: string; readonly path: string }>();
  const items: KnownItem[] = [];
  const pathsOf: ReadonlyMap<string, SearchPage>[] = [];
  for (const one of served) {
    const { name, address } = one.site;
    const own = pages.filter(({ url }) => new URL(url).hostname === address);
    // Sorted, so that the draw does not depend on the order of the crawl.
    const named = own.map((page) => [decodeURI(new URL(page.url).pathname), page] as const);
    const byPath = new Map(named.sort(([a], [b]) => (a < b ? -1 : 1)));
    for (const [path, { urlId }] of byPath) places.set(urlId, { site: name, path });
    items.push(...knownItems(one, byPath, most));
    pathsOf.push(byPath);
  }
  report(`asking ${items.length} questions about ${pages.length} pages`);
  const index = SearchIndex.open(dir)!;
  const search: Rank = (text) =>
    index.search({ query: parseQuery(text).query, limit: MOST_RESULTS }).hits.map(({ urlId }) => urlId);
  const queries = items.map(({ query }) => query);
  const contenders = { orbweaver: search, bm25: plainBm25(pages, queries), fts5: fts5(pages) };
  const ranks = Object.entries(contenders).map(
    ([name, rank]) => [name, ranksOf(items, rank, (id) => places.get(id)!)] as const,
  );
  const paper = paperFigures(index, (id) => places.get(id)!);
  const seeAlso = served.flatMap((one, i) => seeAlsoFigures(one, pathsOf[i]!, index, (id) => places.get(id)!) ?? []);
  index.close();
  const answered = items.map((item, i): Answered => {
    const ofItem = Object.fromEntries(ranks.map(([name, all]) => [name, all[i]!]));
    return { ...item, ranks: ofItem as Answered['ranks'] };
  });
  return { answered, paper, seeAlso };
}
