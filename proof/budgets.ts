/**
 * The budget of a path pattern (C8) at full size: large honest sites are fetched completely, although each has five times
 * as many pages of one pattern as the budget, and endless spaces end.
 */
import { join } from 'node:path';
import { crawlHere, fatesOf } from '../test/crawl/crawl-here.ts';
import { isPage } from '../testbed/web/ledger.ts';
import { reply, startWeb } from '../testbed/web/local-web.ts';
import { type ENDLESS_SPACES, endless, forum, news, serve, type WideSite } from '../testbed/web/wide-sites.ts';
import type { Proof, ProofContext, ProofRow } from './proof.ts';

const PAGES = 50_000;
/** The default. */
const BUDGET = 10_000;
const BUDGET_OF_ENDLESS = 300;
/** Requests of each endless space with the same budget when a pattern was cut after a fixed number of URLs. */
const EARLIER: Readonly<Record<keyof typeof ENDLESS_SPACES, number>> = {
  calendar: 305,
  facets: 335,
  paths: 25,
  sessions: 905,
  pager: 315,
};

export const proof: Proof = {
  claim:
    'The budget of a path pattern loses no page of a site whose pages bring something new, and ends endless spaces.',

  async run(context) {
    const pages = Number(context.words[0] ?? PAGES);
    const budget = Math.round((BUDGET * pages) / PAGES);
    const rows: ProofRow[] = [];
    for (const [name, site] of [
      ['forum, topics known far ahead', forum(pages, true)],
      ['forum, lists found page by page', forum(pages, false)],
      ['news archive, articles link to later ones', news(pages)],
      ['news archive, articles known far ahead', news(pages, true)],
    ] as const) {
      const { fates, requests } = await crawlSite(context, site, budget);
      const wanted = site.paths();
      const fetched = wanted.filter((path) => /^fetched(\/|$)/.test(fates[path] ?? '')).length;
      const what = `${name}: distinct pages fetched, with ${requests} requests`;
      rows.push({ what, target: `${wanted.length}`, measured: `${fetched}`, holds: fetched === wanted.length });
      context.report(`${what}: ${fetched} of ${wanted.length}`);
    }
    for (const [name, earlier] of Object.entries(EARLIER)) {
      const site = endless(name as keyof typeof ENDLESS_SPACES);
      const { requests } = await crawlSite(context, site, BUDGET_OF_ENDLESS);
      const what = `endless space "${name}": requests`;
      rows.push({ what, target: `≤ ${2 * earlier}`, measured: `${requests}`, holds: requests <= 2 * earlier });
      context.report(`${what}: ${requests}`);
    }
    return {
      rows,
      notes: [
        `The honest sites have a budget of ${budget} for each pattern, the endless spaces one of ${BUDGET_OF_ENDLESS}.`,
        'An endless space may take twice the requests that it took when a pattern was cut after a fixed number of URLs.',
        'The sites are generated (testbed/web/wide-sites.ts); their texts differ from page to page and have no meaning.',
      ],
    };
  },
};

async function crawlSite({ workFolder }: ProofContext, site: WideSite, patternBudget: number) {
  const web = await startWeb();
  try {
    web.on('/robots.txt', reply('', {}, 404));
    web.on('/sitemap.xml', reply('', {}, 404));
    web.on('/*', serve(site));
    const dir = join(workFolder, web.host.replace(':', '-'));
    await crawlHere(dir, [web.url('/')], { patternBudget, depth: 255 });
    const requests = web.ledger.entries.filter(({ path }) => isPage(path) && path !== '/sitemap.xml').length;
    return { fates: await fatesOf(dir, web.origin), requests };
  } finally {
    await web.close();
  }
}
