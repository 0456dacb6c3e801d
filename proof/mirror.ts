/**
 * The mirror of crawled sites in a real browser. Sites are crawled with `--assets`, exported as mirrors, stopped, and
 * opened in Chromium from the disk. All requests of Chromium to the network go to a proxy of the proof, which counts
 * them; so no request can be overlooked. The references of all pages are also checked by another HTML parser.
 *
 * The other sites are documentation that the project did not make: folders, named by the environment variable
 * PROOF_DOCS or by the words of the command line, with colons between them.
 */
import { chmod, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startDemoWeb } from '../src/demo/demo-web.ts';
import { runCli } from '../test/cli/setup/run-cli.ts';
import { needChromium } from '../testbed/servers/chromium-program.ts';
import { serveAssetSite } from '../testbed/web/asset-site.ts';
import { serveFolder } from '../testbed/web/folder-site.ts';
import { startWeb } from '../testbed/web/local-web.ts';
import { checkLinks } from './mirror/check-links.ts';
import { serveReachingSite, WAYS_OUT } from './mirror/reaching-site.ts';
import type { Proof, ProofContext, ProofRow } from './proof.ts';
import { Chromium } from './replay/chromium.ts';

const PAGES_PER_SITE = 60;

interface MirroredSite {
  readonly name: string;
  readonly what: string;
  readonly folder: string;
  readonly fetched: ReadonlySet<string>;
}

export const proof: Proof = {
  claim: 'Mirrors of crawled sites open in Chromium from a disk without a broken link and without a network request.',

  async run(context) {
    const sites = await mirrorSites(context);
    const proxy = await countingProxy();
    const flags = [`--proxy-server=127.0.0.1:${proxy.port}`, '--proxy-bypass-list=<-loopback>'];
    const program = await needChromium(context.report);
    const browser = await Chromium.start(program, flags);
    const rows: ProofRow[] = [];
    const faults: string[] = [];
    try {
      for (const site of sites) {
        const check = checkLinks(site.folder, site.fetched);
        const pages = pagesOf(await listOf(site.folder));
        const failed: string[] = [];
        const root = pathToFileURL(site.folder).href;
        let requests = 0;
        const before = proxy.connections();
        for (const page of pages) {
          for (const { url, error, kind } of await browser.open(pathToFileURL(join(site.folder, page)).href)) {
            requests++;
            if (error !== '') failed.push(`${page}: ${kind} ${url.replace(root, '')} ${error}`);
          }
        }
        const network = proxy.connections() - before;
        const bad = [...check.broken, ...check.notLocal];
        context.report(`${site.name}: ${pages.length} pages opened, ${requests} requests, ${failed.length} failed`);
        faults.push(...[...bad, ...check.remote, ...failed].map((line) => `${site.name} ${line}`));
        rows.push(
          row(`${site.what}: broken links among ${check.references} in ${check.files} pages`, bad.length),
          row(`${site.what}: references to the network that a browser would follow`, check.remote.length),
          row(`${site.what}: connections to the network, ${pages.length} pages opened`, network),
          row(`${site.what}: failed requests of Chromium, of ${requests}`, failed.length),
        );
      }
      const before = proxy.connections();
      await browser.open('http://control.invalid/');
      const seen = proxy.connections() - before;
      rows.push({ what: 'control: a page of the web is opened', target: '≥ 1', measured: `${seen}`, holds: seen > 0 });
    } finally {
      await browser.close();
      proxy.close();
    }
    for (const fault of faults.slice(0, 50)) context.report(fault);
    const notes = [
      `At most ${PAGES_PER_SITE} pages of a site were opened in Chromium, evenly chosen; the links of all pages were checked.`,
      `Chromium had a proxy that counts and refuses every connection; a request that the policy of a page stops does not reach it. The sites were stopped before. ${proxy.ownConnections()} connections were for the update servers of Chromium itself, and are not counted.`,
      'Chromium lets no page from a disk load module scripts, manifests or SVG sprites from other files. The static site has them, and the page with ways to other hosts has requests that must fail, so the failed requests of these two are not judged.',
    ];
    return { rows, notes, details: { faults } };
  },
};

function row(what: string, measured: number): ProofRow {
  const isJudged = !(/^(?:static site|page with)/.test(what) && what.includes('failed requests'));
  return { what, target: isJudged ? '0' : 'none', measured: String(measured), holds: !isJudged || measured === 0 };
}

async function mirrorSites(context: ProofContext): Promise<MirroredSite[]> {
  const demo = await startDemoWeb();
  const assets = await startWeb();
  assets.on('/*', serveAssetSite);
  const reaching = await startWeb();
  reaching.on('/*', serveReachingSite);
  const sites = [
    await mirrorSite(context, 'reaching', `page with ${WAYS_OUT} ways to other hosts`, [reaching.url('/')]),
    await mirrorSite(context, 'demo', 'demo web', demo.seeds),
    await mirrorSite(context, 'assets', 'static site with many kinds of files', [assets.url('/')]),
  ];
  await demo.close();
  await assets.close();
  await reaching.close();
  const folders = (context.words[0] ?? process.env.PROOF_DOCS ?? '').split(':').filter((folder) => folder !== '');
  if (folders.length === 0) context.report('no documentation site: name its folder with PROOF_DOCS=<folder>');
  for (const [i, folder] of folders.entries()) {
    const docs = await startWeb();
    docs.on('/*', serveFolder(folder));
    const what = `documentation of a system package (${basename(resolve(folder, '..'))})`;
    sites.push(await mirrorSite(context, `docs-${i}`, what, [docs.url('/')]));
    await docs.close();
  }
  return sites;
}

async function mirrorSite({ workFolder, report }: ProofContext, name: string, what: string, seeds: readonly string[]) {
  const dir = join(workFolder, `${name}-copy`);
  const folder = join(workFolder, name);
  // Chromium runs as another account, which must be able to enter the folder.
  await chmod(workFolder, 0o755);
  await runCli('crawl', ...seeds, '--assets', '--dir', dir, '--patience', '5s', '--json');
  const { stdout } = await runCli(
    ...['export', '--format', 'mirror', '--dir', dir, '--out', folder, '--share', 'all', '--json'],
  );
  report(`${name}: ${stdout.trim()}`);
  const listed = await runCli('export', '--dir', dir, '--state', 'fetched,duplicate');
  const lines = listed.stdout.trim().split('\n');
  return { name, what, folder, fetched: new Set(lines.map((line) => (JSON.parse(line) as { url: string }).url)) };
}

async function listOf(folder: string): Promise<string[]> {
  return (await readFile(join(folder, 'orbweaver-export-files.txt'), 'utf8')).trim().split('\n');
}

/** At most PAGES_PER_SITE pages, evenly chosen. */
function pagesOf(files: readonly string[]): string[] {
  const pages = files.filter((file) => file.endsWith('.html'));
  const step = Math.max(1, pages.length / PAGES_PER_SITE);
  return pages.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
}

/**
 * Refuses every connection and remembers what it was for. Chromium asks servers of its maker for updates, whatever its
 * flags say; these requests have nothing to do with a page and are counted apart.
 */
async function countingProxy() {
  const hosts: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (head) => {
      const [, target = ''] = head.toString('latin1').split(' ', 2);
      hosts.push(URL.parse(target)?.hostname || target.replace(/:\d+$/, ''));
      socket.destroy();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  const isOwn = (host: string) => /(?:^|\.)(?:google|googleapis|gvt1|gstatic)\.com$/.test(host);
  return {
    port,
    connections: () => hosts.filter((host) => !isOwn(host)).length,
    ownConnections: () => hosts.filter(isOwn).length,
    close: () => server.close(),
  };
}
