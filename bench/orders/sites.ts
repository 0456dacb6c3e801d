/**
 * The orders on real sites. In: the link graphs of sites (bench/site). Out: the share of the PageRank of each site that
 * a crawl holds at each tenth, and how best-first compares with the better of breadth-first and opic.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Machine } from '../report/machine.ts';
import { markdownRows } from '../report/tables.ts';
import type { Site } from '../site/read-site.ts';
import { compareOn, type Held, OURS, TENTHS } from './compare.ts';
import type { ModelWeb } from './crawl-model.ts';

const RIVALS: readonly string[] = ['breadth-first', 'opic'];
/** The aim: best-first holds at least this share of what the better rival holds, at each tenth of each site. */
const LEAST_OF_RIVALS = 0.98;

export interface SiteRuns {
  readonly site: string;
  readonly pages: number;
  readonly links: number;
  readonly runs: readonly Held[];
}

export interface SiteResults {
  readonly machine: Machine;
  readonly sites: readonly SiteRuns[];
}

export function webOf({ pages }: Site): ModelWeb {
  const links = pages.map((page) => Uint32Array.from(page.links, ({ to }) => to));
  const codes = pages.map((page) => Uint8Array.from(page.links, ({ code }) => code));
  return {
    pages: pages.length,
    links: (page) => links[page]!,
    codes: (page) => codes[page]!,
    folder: (page) => dirname(pages[page]!.path).replace(/\/$/, ''),
  };
}

export async function crawlSite(site: Site, report: (text: string) => void): Promise<SiteRuns> {
  const runs: Held[] = [];
  for await (const run of compareOn(webOf(site))) {
    runs.push(run);
    report(`${site.name} ${run.order}: ${run.mass.map(percent).join(' ')}, ${run.seconds.toFixed(1)} s`);
  }
  const links = site.pages.reduce((sum, page) => sum + page.links.length, 0);
  return { site: site.name, pages: site.pages.length, links, runs };
}

/** The share that best-first holds at each tenth, divided by the share of its better rival. */
export function againstRivals({ runs }: SiteRuns): number[] {
  const at = (order: string, tenth: number) => runs.find((run) => run.order === order)!.mass[tenth]!;
  return Array.from({ length: TENTHS }, (_, i) => at(OURS, i) / Math.max(...RIVALS.map((rival) => at(rival, i))));
}

export function isReachedOn({ sites }: SiteResults): boolean {
  return sites.every((site) => Math.min(...againstRivals(site)) >= LEAST_OF_RIVALS);
}

export function siteTable(site: SiteRuns): string {
  const headings = ['order', ...Array.from({ length: TENTHS }, (_, i) => String(i + 1))];
  const rows = site.runs.map(({ order, mass }) => [order, ...mass.map(percent)]);
  const ours = [
    `${OURS} ÷ the better of ${RIVALS.join(' and ')}`,
    ...againstRivals(site).map((ratio) => ratio.toFixed(3)),
  ];
  return markdownRows(headings, [...rows, ours]);
}

export async function writeSiteResults(folder: string, results: SiteResults): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'orders-sites');
  await writeFile(`${path}.json`, `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile(`${path}.md`, markdown(results));
  return path;
}

function markdown({ machine, sites }: SiteResults): string {
  const tables = sites.map((site) => {
    const size = `${site.pages.toLocaleString('en')} pages, ${site.links.toLocaleString('en')} links`;
    return `## ${site.site}\n\n${size}\n\n${siteTable(site)}\n`;
  });
  return `# orders on real sites

Percent of the PageRank of a site that a crawl holds at each tenth of it. The sites are folders of HTML files. PageRank, its weights of
links, the store and the orders are the real ones; only the network is left out. The oracle orders its frontier by the true ranks.

${tables.join('\n')}
- machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, ${machine.date} UTC
`;
}

function percent(share: number): string {
  return (share * 100).toFixed(1);
}
