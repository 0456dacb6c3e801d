/**
 * Crawls one version of a site, replaces its files by the next version, refreshes the copy and compares the changes
 * that the refresh reports with a comparison of the files. In: the folders of two versions. Out: figures, and the pages
 * on which the two disagree. The crawl, the refresh and the store are the real ones.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startCrawl } from '../../src/crawl/crawl.ts';
import { startRefresh } from '../../src/crawl/refresh.ts';
import type { ChangeEntry } from '../../src/store/contract.ts';
import { readSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { serveFolder } from '../../testbed/web/folder-site.ts';
import { startWeb } from '../../testbed/web/local-web.ts';
import { htmlFilesBelow } from '../site/debian-package.ts';
import { readerContent } from './reader-content.ts';

export interface PairFigures {
  readonly site: string;
  /** Pages of the copy that exist in both versions. */
  readonly pages: number;
  /** Pages with other bytes, and those of them with other content by the independent comparison. */
  readonly bytes: number;
  readonly content: number;
  /** Pages with other content that were reported, or that are copies of a reported page in both versions. */
  readonly caught: number;
  readonly copies: number;
  /** Pages that were reported without other content. */
  readonly alarms: number;
  /** Pages with other bytes that have no entry in the change log at any level, and are no such copies. */
  readonly denied: number;
  /** Edits that stand for several pages, and the pages that were reported one by one. */
  readonly edits: readonly { readonly pages: number; readonly example: string }[];
  readonly single: number;
  readonly added: readonly [reported: number, real: number];
  readonly gone: readonly [reported: number, real: number];
  readonly disagreements: readonly string[];
}

const SEED_PAGE = '/all-pages-of-the-benchmark';
/** Equal edits on at least this many pages are one message. */
const MANY = 5;

export async function measurePair(
  site: string,
  [before, after]: readonly [string, string],
  folder: string,
): Promise<PairFigures> {
  const dir = join(folder, 'copy');
  await rm(dir, { recursive: true, force: true });
  const web = await startWeb();
  let current = before;
  web.on('/*', (visit) => serveFolder(current)(visit));
  web.on(SEED_PAGE, async ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(await listPages(current));
  });
  try {
    const sources = [{ from: 'the benchmark', given: { patience: '0s' } }];
    await startCrawl({ dir, seeds: [web.url(SEED_PAGE)], sources }).summary;
    current = after;
    await startRefresh({ dir, sources }).summary;
    const changes = await changesIn(dir);
    // A page is gone when a second visit does not find it either.
    await startRefresh({ dir, sources }).summary;
    const gone = (await changesIn(dir)).filter(({ kind }) => kind === 'gone').map(({ url }) => url);
    const urlOf = (path: string) => web.url(`/${encodeURI(path)}`);
    return await compare(site, { before, after, changes, gone: new Set(gone), urlOf });
  } finally {
    await web.close();
  }
}

async function listPages(folder: string): Promise<string> {
  const paths = await htmlFilesBelow(folder);
  return `<title>All pages</title>${paths.map((path) => `<a href="/${encodeURI(path)}">${path}</a>`).join('\n')}`;
}

interface Compared {
  readonly before: string;
  readonly after: string;
  /** What the first refresh reported. */
  readonly changes: readonly ChangeEntry[];
  readonly gone: ReadonlySet<string>;
  urlOf(path: string): string;
}

async function changesIn(dir: string): Promise<readonly ChangeEntry[]> {
  const store = readSqliteStore(dir);
  return store.changes(0, 10_000_000).finally(() => store.close());
}

async function compare(
  site: string,
  { before, after, changes, gone: reportedGone, urlOf }: Compared,
): Promise<PairFigures> {
  const byUrl = new Map(changes.map((entry) => [entry.url, entry]));
  const [old, now] = [await htmlFilesBelow(before), await htmlFilesBelow(after)];
  const [inOld, inNow] = [new Set(old), new Set(now)];
  const both = old.filter((path) => inNow.has(path));
  const counts = { bytes: 0, content: 0, caught: 0, copies: 0, alarms: 0, denied: 0 };
  const disagreements: string[] = [];
  const reported: ChangeEntry[] = [];
  const digestOf = (path: string) => [before, after].map((of) => hash('sha256', readFileSync(join(of, path)))).join();
  const heard = both.filter((path) => byUrl.get(urlOf(path))?.kind === 'changed');
  const digests = new Set(heard.map(digestOf));
  // A server of files answers `index.html?a` with the same page, and either may be the copy of the other.
  const variants = new Set(changes.filter(({ kind }) => kind === 'changed').map(({ url }) => url.split('?', 1)[0]));
  for (const path of both) {
    const [was, is] = [readFileSync(join(before, path)), readFileSync(join(after, path))];
    const entry = byUrl.get(urlOf(path));
    const isReported = entry?.kind === 'changed';
    if (isReported) reported.push(entry);
    if (was.equals(is)) {
      if (isReported) disagreements.push(`reported without other bytes: ${path}`);
      continue;
    }
    counts.bytes++;
    const isCopy = !isReported && (digests.has(digestOf(path)) || variants.has(urlOf(path)));
    if (isCopy) counts.copies++;
    if (entry === undefined && !isCopy) counts.denied++;
    const differs = readerContent(was) !== readerContent(is);
    if (differs) counts.content++;
    if (differs && (isReported || isCopy)) counts.caught++;
    if (!differs && isReported) counts.alarms++;
    if (differs !== isReported && !isCopy) disagreements.push(`${isReported ? 'reported' : 'not reported'}: ${path}`);
  }
  const byEdit = Map.groupBy(reported, (entry) => entry.edit ?? entry.url);
  const edits = [...byEdit.values()].filter((group) => group.length >= MANY).sort((a, b) => b.length - a.length);
  const added = now.filter((path) => !inOld.has(path));
  const gone = old.filter((path) => !inNow.has(path));
  return {
    ...{ site, pages: both.length, ...counts },
    edits: edits.map((group) => ({ pages: group.length, example: group[0]!.url })),
    single: reported.length - edits.reduce((sum, group) => sum + group.length, 0),
    added: [added.filter((path) => byUrl.get(urlOf(path))?.kind === 'new').length, added.length],
    gone: [gone.filter((path) => reportedGone.has(urlOf(path))).length, gone.length],
    disagreements,
  };
}
