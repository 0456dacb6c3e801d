/**
 * Checks that a copy equals the web. In: a crawl and its web. Out: the differences.
 *
 * The check reads the data that a user would export. What always holds: every page must be stored once, with
 * one capture, and with the numbers of incoming and outgoing links that the plan of the web gives. Every
 * leaf must be known.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { orbweaverCommand } from '../../../testbed/measure/built-orbweaver.ts';
import type { ManyHosts } from '../many-hosts.ts';
import type { ClusterCrawl } from '../worker-process.ts';

const SHOWN = 5;

export interface CopyReport {
  readonly pages: number;
  readonly captures: number;
  /** One sentence per kind of difference, with examples. Empty when the copy equals the web. */
  readonly differences: readonly string[];
}

export interface KnownRow {
  readonly url: string;
  readonly state: string;
  readonly inlinks: number;
  readonly outlinks: number;
}

export async function readCopy(crawl: ClusterCrawl, plan: ManyHosts): Promise<CopyReport> {
  const rows: KnownRow[] = [];
  for await (const line of exported(crawl, 'jsonl')) rows.push(JSON.parse(line) as KnownRow);
  const captured: string[] = [];
  for await (const line of exported(crawl, 'cdxj')) {
    const begin = line.indexOf('{');
    if (begin !== -1) captured.push((JSON.parse(line.slice(begin)) as { url: string }).url);
  }
  return compareCopy(rows, captured, plan);
}

export function compareCopy(rows: readonly KnownRow[], captured: readonly string[], plan: ManyHosts): CopyReport {
  const wanted = linksOf(plan);
  const known = new Map<string, KnownRow>();
  const [twice, missing, notFetched, links]: [string[], string[], string[], string[]] = [[], [], [], []];
  for (const row of rows) {
    if (known.has(row.url)) twice.push(row.url);
    known.set(row.url, row);
  }
  const captures = new Map<string, number>();
  for (const url of captured) captures.set(url, (captures.get(url) ?? 0) + 1);
  for (const [url, { isPage, inlinks, outlinks }] of wanted) {
    const row = known.get(url);
    if (row === undefined) {
      missing.push(url);
      continue;
    }
    if (isPage && row.state !== 'fetched') notFetched.push(`${url} (${row.state})`);
    if (row.inlinks !== inlinks) links.push(`${url} has ${row.inlinks} links to it instead of ${inlinks}`);
    if (isPage && row.outlinks !== outlinks) links.push(`${url} has ${row.outlinks} links instead of ${outlinks}`);
  }
  const pages = [...wanted].filter(([, { isPage }]) => isPage).map(([url]) => url);
  const differences = [
    told('URLs are not known', missing),
    told('URLs are known twice', twice),
    told('pages are not fetched', notFetched),
    told('counts of links differ', links),
    told(
      'pages are not in the archive exactly once',
      pages.filter((url) => captures.get(url) !== 1).map((url) => `${url} (${captures.get(url) ?? 0})`),
    ),
  ].filter((each) => each !== undefined);
  return {
    pages: pages.filter((url) => known.get(url)?.state === 'fetched').length,
    captures: pages.reduce((sum, url) => sum + (captures.get(url) ?? 0), 0),
    differences,
  };
}

interface WantedUrl {
  isPage: boolean;
  inlinks: number;
  outlinks: number;
}

function linksOf(plan: ManyHosts): Map<string, WantedUrl> {
  const wanted = new Map<string, WantedUrl>();
  const entry = (url: string) => {
    const found = wanted.get(url) ?? { isPage: false, inlinks: 0, outlinks: 0 };
    wanted.set(url, found);
    return found;
  };
  for (let page = 0; page < plan.shape.pages; page++) {
    const { navigation, near, far } = plan.links(page);
    const links = new Set([...navigation, ...near, ...far]);
    // A link of a page to itself does not count.
    links.delete(plan.url(page));
    Object.assign(entry(plan.url(page)), { isPage: true, outlinks: links.size });
    for (const url of links) entry(url).inlinks++;
  }
  return wanted;
}

function told(what: string, found: readonly string[]): string | undefined {
  if (found.length === 0) return undefined;
  const more = found.length > SHOWN ? ', …' : '';
  return `${found.length} ${what}: ${found.slice(0, SHOWN).join(', ')}${more}`;
}

async function* exported({ store, password, folder }: ClusterCrawl, format: string): AsyncIterable<string> {
  const command = orbweaverCommand(['export', '--format', format, '--store', store, '--dir', folder]);
  const child = spawn(command.program, [...command.args], {
    cwd: command.cwd,
    env: { ...process.env, PGPASSWORD: password },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-1_000);
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  yield* createInterface({ input: child.stdout });
  const code = await ended;
  if (code !== 0) throw new Error(`export --format ${format} left with ${code}: ${stderr.trim()}`);
}
