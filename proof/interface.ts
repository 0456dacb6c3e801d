/**
 * The web interface and its API under generated requests, abuse, interruptions, large copies and crawls at full speed.
 *
 * Words choose parts (`api`, `metrics`, `attacks`, `abuse`, `interruptions`, `large-copy`, `view`); a number is the
 * minutes for which the live view is watched.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runCli } from '../test/cli/setup/run-cli.ts';
import { attackServer } from './interface/abuse.ts';
import { checkApi, checkMetrics } from './interface/api-conformance.ts';
import { startChangingWeb } from './interface/changing-web.ts';
import { startCrawl, startFastWeb } from './interface/fast-web.ts';
import { interrupt } from './interface/interruptions.ts';
import { measureLargeCopy } from './interface/large-copy.ts';
import { measureView } from './interface/live-view.ts';
import { ServeProcess } from './interface/serve-process.ts';
import type { Proof, ProofContext, ProofRow } from './proof.ts';

const MINUTES = 30;
const PAGES = 300;
const CRAWLED_PAGES = 20_000;

type Part = (context: ProofContext) => Promise<readonly ProofRow[]>;

const PARTS: Readonly<Record<string, Part>> = {
  api: (context) => withCopy(context, (serve) => checkApi(context, serve)),
  metrics: (context) => withCopy(context, (serve) => checkMetrics(context, serve)),
  attacks: openAttacks,
  abuse: abuseDuringCrawl,
  interruptions: interrupt,
  'large-copy': measureLargeCopy,
  view: (context) => measureView(context, Number(context.words.find((word) => /^\d+$/.test(word)) ?? MINUTES)),
};

export const proof: Proof = {
  claim:
    'The web interface answers what its document says, stays responsive and small, loses no change, and yields to no attack.',

  async run(context) {
    const chosen = context.words.filter((word) => Object.hasOwn(PARTS, word));
    const names = chosen.length > 0 ? chosen : Object.keys(PARTS);
    const rows: ProofRow[] = [];
    for (const name of names) {
      context.report(`part ${name}`);
      rows.push(...(await PARTS[name]!(context)));
    }
    const notes = [
      'Responsiveness follows the paper: two refreshes of the screen are expected in each second, and a second with more or fewer counts as a lag or a freeze. A refresh is a painted frame in which the figures of the run changed.',
      'Crawls with and without watchers ran in turn on the same machine as their web server, the server of the interface and Chromium.',
      'schemathesis has the seed 1. The stream of events, which never ends, and the start of runs are left out there.',
    ];
    return { rows, notes };
  },
};

async function withCopy(
  { workFolder }: ProofContext,
  work: (serve: ServeProcess) => Promise<readonly ProofRow[]>,
): Promise<readonly ProofRow[]> {
  const web = await startChangingWeb(PAGES);
  const dir = join(workFolder, 'copy');
  await runCli('crawl', web.url('/'), '--dir', dir);
  await runCli('refresh', '--dir', dir);
  const serve = await ServeProcess.start([dir]);
  try {
    return await work(serve);
  } finally {
    await serve.end();
    await web.close();
  }
}

async function abuseDuringCrawl(context: ProofContext): Promise<readonly ProofRow[]> {
  const web = await startFastWeb(context, CRAWLED_PAGES);
  const dir = join(context.workFolder, 'crawled');
  const crawl = await startCrawl(web.seed, dir);
  const serve = await ServeProcess.start([dir]);
  try {
    const rows = await attackServer(context, serve);
    const { pages } = await crawl.ended;
    const what = `pages of the crawl meanwhile, of ${CRAWLED_PAGES}`;
    const target = String(CRAWLED_PAGES);
    return [...rows, { what, target, measured: String(pages), holds: pages === CRAWLED_PAGES }];
  } finally {
    await serve.end();
    await web.close();
  }
}

/** The test of stored attacks, with every attack also opened without a frame around it. */
async function openAttacks({ report }: ProofContext): Promise<readonly ProofRow[]> {
  const file = join(import.meta.dirname, '..', 'test', 'serve', 'archived', 'stored-attacks.test.ts');
  const env = { ...process.env, ATTACKS: 'all' };
  const child = spawn(process.execPath, ['--test', file], { stdio: ['ignore', 'pipe', 'inherit'], env });
  const output = await text(child.stdout);
  const failed = /^ℹ fail (\d+)$/m.exec(output)?.[1];
  if (failed !== '0') report(output);
  const what =
    'stored attacks: tests with a script that ran, a request to another host, a read of storage or a top navigation';
  return [{ what, target: '0', measured: failed ?? 'no result', holds: failed === '0' }];
}
