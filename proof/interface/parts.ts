/** The parts of the proof of the interface, by name. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runCli } from '../../test/cli/setup/run-cli.ts';
import type { ProofContext, ProofRow } from '../proof.ts';
import { attackServer } from './abuse.ts';
import { checkApi, checkMetrics } from './api-conformance.ts';
import { startChangingWeb } from './changing-web.ts';
import { startCrawl, startFastWeb } from './fast-web.ts';
import { interrupt } from './interruptions.ts';
import { measureLargeCopy } from './large-copy.ts';
import { measureSpeed, measureView } from './live-view.ts';
import { ServeProcess } from './serve-process.ts';

const PAGES = 300;
const CRAWLED_PAGES = 10_000;
/** A shorter run may set PROOF_VIEW_MINUTES. The result says for how long the view was watched. */
const MINUTES = Number(process.env.PROOF_VIEW_MINUTES ?? 30);

type Part = (context: ProofContext) => Promise<readonly ProofRow[]>;

export const PARTS: Readonly<Record<string, Part>> = {
  api: (context) => withCopy(context, (serve) => checkApi(context, serve)),
  metrics: (context) => withCopy(context, (serve) => checkMetrics(context, serve)),
  attacks: openAttacks,
  abuse: abuseDuringCrawl,
  interruptions: interrupt,
  'large-copy': measureLargeCopy,
  view: (context) => measureView(context, Number(context.words.find((word) => /^\d+$/.test(word)) ?? MINUTES)),
  speed: measureSpeed,
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
  const file = join(import.meta.dirname, '..', '..', 'test', 'serve', 'archived', 'stored-attacks.test.ts');
  const env = { ...process.env, ATTACKS: 'all' };
  const child = spawn(process.execPath, ['--test', file], { stdio: ['ignore', 'pipe', 'inherit'], env });
  const output = await text(child.stdout);
  const failed = /^ℹ fail (\d+)$/m.exec(output)?.[1];
  if (failed !== '0') report(output);
  const what =
    'stored attacks: tests with a script that ran, a request to another host, a read of storage or a top navigation';
  return [{ what, target: '0', measured: failed ?? 'no result', holds: failed === '0' }];
}
