/**
 * The replay of crawled sites in a real browser. Three sites are crawled with `--assets`, exported as WACZ, replayed by
 * pywb and opened in Chromium. A request of the browser is missing if pywb answers it with 404 although the live site
 * has the file.
 *
 * The third site is documentation that the project did not make: a folder, named by the environment variable PROOF_DOCS
 * or by the first word of the command line.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startDemoWeb } from '../src/demo/demo-web.ts';
import { runCli } from '../test/cli/setup/run-cli.ts';
import { needChromium } from '../testbed/servers/chromium-program.ts';
import { serveAssetSite } from '../testbed/web/asset-site.ts';
import { serveFolder } from '../testbed/web/folder-site.ts';
import { startWeb } from '../testbed/web/local-web.ts';
import type { Proof, ProofContext, ProofRow } from './proof.ts';
import { Chromium } from './replay/chromium.ts';
import { installPywb, Pywb, validateWacz } from './replay/pywb.ts';

/** More pages of one site need the same kinds of files. */
const PAGES_PER_SITE = 20;

interface ServedSite {
  readonly name: string;
  readonly what: string;
  readonly seeds: readonly string[];
  close(): Promise<void>;
}

/** A request of the browser that the archive could not answer. */
interface Miss {
  readonly site: string;
  readonly url: string;
  readonly kind: string;
  readonly page: string;
}

export const proof: Proof = {
  claim: 'Three sites crawled with --assets replay in pywb and Chromium without a missing request.',

  async run(context) {
    const sites = await serveSites(context);
    try {
      const programs = await installPywb(join(context.workFolder, '..', 'replay-tools'), context.report);
      const rows: ProofRow[] = [];
      const copies = new Map<string, string>();
      for (const site of sites) {
        const { file, pages } = await crawlSite(context, site);
        copies.set(site.name, file);
        const verdict = await validateWacz(programs, file);
        rows.push({
          what: `${site.what}: WACZ file of ${pages} pages, by wacz validate`,
          target: 'valid',
          measured: verdict,
          holds: /\bsucceeded\b/i.test(verdict),
        });
      }
      const { misses, requests } = await replay(context, sites, programs, copies);
      for (const { name, what } of sites) {
        const missed = misses.filter(({ site }) => site === name).length;
        const measured = `${missed} of ${requests.get(name)}`;
        rows.push({ what: `${what}: missing requests`, target: '0', measured, holds: missed === 0 });
      }
      for (const { site, kind, url, page } of misses) context.report(`missing in ${site}: ${kind} ${url} of ${page}`);
      return { rows, notes: notesOn(sites), details: { misses } };
    } finally {
      for (const site of sites) await site.close();
    }
  },
};

async function serveSites({ words, report }: ProofContext): Promise<ServedSite[]> {
  const demo = await startDemoWeb();
  const assets = await startWeb();
  assets.on('/*', serveAssetSite);
  const sites: ServedSite[] = [
    { name: 'demo', what: 'demo web', seeds: demo.seeds, close: () => demo.close() },
    {
      name: 'assets',
      what: 'static site with many kinds of files',
      seeds: [assets.url('/')],
      close: () => assets.close(),
    },
  ];
  const folder = words[0] ?? process.env.PROOF_DOCS;
  if (folder === undefined) {
    report('no documentation site: name its folder with PROOF_DOCS=<folder>');
    return sites;
  }
  const docs = await startWeb();
  docs.on('/*', serveFolder(folder));
  return [
    ...sites,
    { name: 'docs', what: 'documentation of a system package', seeds: [docs.url('/')], close: () => docs.close() },
  ];
}

async function crawlSite({ workFolder, report }: ProofContext, { name, seeds }: ServedSite) {
  const dir = join(workFolder, name);
  await mkdir(dir, { recursive: true });
  const limits = ['--patience', '5s', '--near-duplicate', '0', '--json'];
  const crawled = await runCli('crawl', ...seeds, '--assets', '--dir', dir, ...limits);
  const { pages } = JSON.parse(crawled.stdout) as { pages: number };
  const file = join(workFolder, `${name}.wacz`);
  await runCli('export', '--format', 'wacz', '--dir', dir, '--output', file);
  report(`${name}: ${pages} pages crawled`);
  return { file, pages };
}

async function replay(
  { workFolder, report }: ProofContext,
  sites: readonly ServedSite[],
  programs: string,
  copies: ReadonlyMap<string, string>,
): Promise<{ misses: Miss[]; requests: Map<string, number> }> {
  const pywb = await Pywb.start(programs, join(workFolder, 'pywb'), copies);
  const browser = await Chromium.start(await needChromium(report));
  const misses = new Map<string, Miss>();
  const requests = new Map<string, number>();
  try {
    for (const { name } of sites) {
      const asked = new Set<string>();
      const pages = await pagesOf(join(workFolder, name));
      for (const page of pages) {
        for (const { url, status, kind } of await browser.open(`${pywb.origin}/${name}/${page}`)) {
          const archived = pywb.archivedUrl(url);
          if (archived === null) continue;
          asked.add(archived);
          if (status === 404 && !misses.has(archived) && (await isLive(archived))) {
            misses.set(archived, { site: name, url: archived, kind, page });
          }
        }
      }
      requests.set(name, asked.size);
      report(`${name}: ${pages.length} pages replayed, ${asked.size} different requests`);
    }
  } finally {
    await browser.close();
    await pywb.close();
  }
  return { misses: [...misses.values()], requests };
}

/** The HTML pages of a copy, at most PAGES_PER_SITE, evenly chosen. */
async function pagesOf(dir: string): Promise<string[]> {
  const { stdout } = await runCli('export', '--dir', dir, '--state', 'fetched');
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { url: string; contentType: string | null });
  const pages = rows.filter(({ contentType }) => contentType === 'text/html').map(({ url }) => url);
  const step = Math.max(1, pages.length / PAGES_PER_SITE);
  return pages.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
}

async function isLive(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => null);
  await response?.body?.cancel();
  return response !== null && response.status !== 404;
}

function notesOn(sites: readonly ServedSite[]): string[] {
  const isRoot = process.getuid?.() === 0;
  return [
    isRoot
      ? 'Chromium ran with its sandbox, as an account without rights, because it refuses to run as root.'
      : 'Chromium ran with its sandbox, as the user of the proof.',
    `Sites: ${sites.map(({ what }) => what).join(', ')}. At most ${PAGES_PER_SITE} pages of a site were opened, evenly chosen.`,
    'A request counts as missing if pywb answered 404 and the live site did not.',
  ];
}
