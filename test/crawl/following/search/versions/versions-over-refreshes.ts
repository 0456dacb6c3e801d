/**
 * A site with pages that change, go, move, return, hide and equal each other, crawled and refreshed several times. And a
 * reference for searches in the past: a new index of what `export --at` says about that time.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contentLines } from '../../../../../src/cli/commands/export-content.ts';
import { placeAt } from '../../../../../src/crawl/place/crawl-place.ts';
import { IndexWriter } from '../../../../../src/search/index/index-writer.ts';
import { parseQuery } from '../../../../../src/search/query/parse-query.ts';
import { SearchIndex } from '../../../../../src/search/search-index.ts';
import { URL_STATES } from '../../../../../src/store/contract.ts';
import { readSqliteStore } from '../../../../../src/store/sqlite/sqlite-store.ts';
import type { LivingSite } from '../../../../../testbed/web/living-site.ts';
import { crawlHere } from '../../../crawl-here.ts';
import { refreshHere } from '../../../refresh/refresh-here.ts';

const NAMES = ['/steady', '/turns', '/leaves', '/moves', '/twin', '/other-twin', '/hidden', '/soon-hidden'];

/** What each round of the site changes. A number is a status; a path is a redirect. */
const ROUNDS: readonly Readonly<Record<string, string | number>>[] = [
  {
    '/steady': 'The orb weaver keeps its silk in the orchard.',
    '/turns': 'A radius of silk is laid at dawn.',
    '/leaves': 'The old gate has a web of amber.',
    '/moves': 'The bridge thread drifts in the wind.',
    '/twin': 'Twin pages say the same about a spiral.',
    '/other-twin': 'Twin pages say the same about a spiral.',
    '/hidden': 'HIDDEN gossamer of silk.',
    '/soon-hidden': 'A burrow of silk is open now.',
  },
  {
    '/turns': 'A frame of silk is laid at dusk.',
    '/leaves': 410,
    '/moves': '/moved',
    '/moved': 'The bridge thread drifts in the wind.',
    '/other-twin': 'This twin left the spiral for a funnel.',
    '/soon-hidden': 'HIDDEN burrow of silk, closed for good.',
  },
  { '/steady': 503, '/moved': 'The bridge thread of silk is fixed.' },
  { '/turns': 'A radius of silk is laid at dawn.', '/other-twin': 'Twin pages say the same about a spiral.' },
];

/** Crawls the site and refreshes the copy. Returns the time after each round. */
export async function keepVersions(site: LivingSite, dir: string): Promise<number[]> {
  const links = NAMES.map((path) => `<a href="${path}">${path.slice(1)}</a>`).join(' ');
  site.set('/', `<title>Front</title><p>All about silk and webs.</p>${links}`);
  const times: number[] = [];
  for (const [round, changes] of ROUNDS.entries()) {
    for (const [path, change] of Object.entries(changes)) answer(site, path, change);
    if (round === 0) await crawlHere(dir, [site.web.url('/')], { patience: '0s' });
    else await refreshHere(dir);
    times.push(Date.now());
  }
  return times;
}

function answer(site: LivingSite, path: string, change: string | number): void {
  if (typeof change === 'number') site.pages.set(path, { status: change });
  else if (change.startsWith('/')) site.pages.set(path, { status: 301, to: change });
  else {
    const robots = change.startsWith('HIDDEN') ? '<meta name="robots" content="noindex">' : '';
    site.set(
      path,
      `<html lang="en"><title>${change.startsWith('Twin') ? 'Twins' : `Chapter ${path.slice(1)}`}</title>${robots}<p>${change}</p>`,
    );
  }
}

export interface Exported {
  readonly url: string;
  readonly digest: string;
  readonly title: string;
  readonly content: string;
}

/** The pages of the copy as `export --at --content text` has them. */
export async function exportedAt(dir: string, atMs: number): Promise<Exported[]> {
  const store = readSqliteStore(dir);
  try {
    const wanted = { store, place: placeAt(dir), form: 'text', states: new Set(URL_STATES), atMs } as const;
    const lines: string[] = [];
    for await (const line of contentLines({ ...wanted, warn: () => {} })) lines.push(line);
    return lines
      .map((line) => JSON.parse(line))
      .filter(({ state, content }) => state === 'fetched' && content !== null);
  } finally {
    await store.close();
  }
}

/** By query: the digests of the pages that a new index of these pages finds. Equal pages are one. */
export function foundAnew(pages: readonly Exported[], queries: readonly string[]): string[][] {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-anew-'));
  try {
    const writer = IndexWriter.open(dir, 'reference');
    for (const [i, { url, title, content }] of pages.entries()) {
      const blocks = [{ text: content, role: 'text' as const }];
      const facts = { language: 'en', fileType: 'html', isNoindex: false, depth: 0, fetchedAtMs: 0, changedAtMs: null };
      writer.add({ urlId: i + 1, url, title, description: '', blocks, links: [], pageRank: 0, ...facts });
    }
    writer.commit('1');
    writer.close();
    const index = SearchIndex.open(dir)!;
    const found = queries.map((text) => {
      const { hits } = index.search({ query: parseQuery(text).query, limit: 100, withNoindex: true });
      return [...new Set(hits.map(({ urlId }) => pages[urlId - 1]!.digest))].sort();
    });
    index.close();
    return found;
  } finally {
    rmSync(dir, { recursive: true });
  }
}
