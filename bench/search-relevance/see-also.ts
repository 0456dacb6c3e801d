/**
 * Similar pages: do the pages come up that an author names under "See also"? In: the folders of sites, their pages and an
 * index. Out: for each site, how often such a page is among the first results.
 *
 * What always holds: nobody's taste decides. The text of a page is read without its "See also", and results of other
 * sites are left out. Links of a "See also" count in the index for the pages that they lead to, as all links do.
 */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseQuery } from '../../src/search/query/parse-query.ts';
import type { SearchIndex } from '../../src/search/search-index.ts';
import type { SearchPage } from '../../src/search/search-page.ts';
import { similarQuery } from '../../src/search/similar/strong-terms.ts';
import type { ServedSite } from './crawl-sites.ts';
import { type Figures, figuresOf, type PageOf } from './measure.ts';

export interface SeeAlsoFigures {
  readonly site: string;
  /** The 25 strongest terms of the page, and, to compare, the words of its title. */
  readonly similar: Figures;
  readonly title: Figures;
}

const MOST_RESULTS = 200;
const MOST_PAGES = 100;
const SECTIONS: Readonly<Record<string, RegExp>> = {
  PostgreSQL: /<h2>See Also<\/h2>.*?<\/div>/gs,
  Python: /<div class="admonition seealso">.*?<\/div>/gs,
  cppreference: /id="See_also".*?<\/table>/gs,
};

export function seeAlsoFigures(
  { site, folder }: ServedSite,
  pages: ReadonlyMap<string, SearchPage>,
  index: SearchIndex,
  pageOf: PageOf,
): SeeAlsoFigures | null {
  const section = SECTIONS[site.name];
  if (section === undefined) return null;
  const all = [...pages].flatMap(([path, page]) => {
    const html = readFileSync(join(folder, decodeURIComponent(new URL(page.url).pathname)), 'utf8');
    const links = [...html.matchAll(section)].flatMap(([text]) => [...text.matchAll(/href="([^"#:]+)/g)]);
    const named = links.map(([, href = '']) => posix.join(posix.dirname(path), decodeURI(href)));
    const answers = new Set(named.filter((other) => other !== path && pages.has(other)));
    return answers.size === 0 ? [] : [{ path, page: withoutSeeAlso(page), answers }];
  });
  const step = Math.ceil(all.length / MOST_PAGES);
  const asked = all.filter((_, i) => i % step === 0);
  const ranks = (find: (page: SearchPage) => readonly number[]): number[] =>
    asked.map(({ path, page, answers }) => {
      const found = find(page).map(pageOf);
      const own = found.filter((other) => other.site === site.name && other.path !== path);
      return own.findIndex((other) => answers.has(other.path)) + 1;
    });
  const similar = ranks((page) => {
    const feedback = [{ blocks: page.blocks, language: page.language, score: 1 }];
    const { hits } = index.search({ query: similarQuery(index.strongTerms(page)), limit: MOST_RESULTS, feedback });
    return hits.map(({ urlId }) => urlId);
  });
  const title = ranks(({ title: text }) =>
    index.search({ query: parseQuery(text).query, limit: MOST_RESULTS }).hits.map(({ urlId }) => urlId),
  );
  return { site: site.name, similar: figuresOf(similar), title: figuresOf(title) };
}

function withoutSeeAlso(page: SearchPage): SearchPage {
  const at = page.blocks.findIndex(({ text }) => /^see also/i.test(text.trim()));
  return at < 0 ? page : { ...page, blocks: page.blocks.slice(0, at) };
}
