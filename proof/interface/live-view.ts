/**
 * The live view during crawls at full speed. `view` watches it for a time; `speed` compares crawls with ten clients of
 * events and one view with crawls without a server, in turn.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProofContext, ProofRow } from '../proof.ts';
import { startCrawl, startFastWeb } from './fast-web.ts';
import { ServeProcess } from './serve-process.ts';
import { readEvents } from './sse-client.ts';
import { percentile, type Refresh, responsiveness, WatchedView } from './watch-view.ts';

const PAGES = 10_000;
const PAIRS = 3;
const CLIENTS = 10;
const RESPONSIVENESS = 0.978;
const SPEED_SHARE = 0.97;
const AGE_MS = 500;
const COPY = 'fast';

export async function measureView(context: ProofContext, minutes: number): Promise<ProofRow[]> {
  const { workFolder, report } = context;
  const web = await startFastWeb(context, PAGES);
  const dir = join(workFolder, COPY);
  try {
    const { runs, pages } = await watchFor(web.seed, dir, minutes, report);
    const { share, seconds } = responsiveness(runs);
    const ages = runs.flat().map(({ ageMs }) => ageMs);
    const p95 = percentile(ages, 0.95);
    const percent = `${(share * 100).toFixed(2)} %`;
    return [
      {
        what: `responsiveness of the live view (C1) over ${seconds} s of crawls at ${Math.round(pages / seconds)} pages/s`,
        target: '≥ 97.8 %',
        measured: percent,
        holds: share >= RESPONSIVENESS,
      },
      {
        what: 'from the report of a run to the screen, 95th percentile',
        target: `≤ ${AGE_MS} ms`,
        measured: `${Math.round(p95)} ms`,
        holds: p95 <= AGE_MS,
      },
    ];
  } finally {
    await web.close();
  }
}

export async function measureSpeed(context: ProofContext): Promise<ProofRow[]> {
  const web = await startFastWeb(context, PAGES);
  try {
    return await compareSpeeds(web.seed, join(context.workFolder, COPY), context);
  } finally {
    await web.close();
  }
}

/** Crawls one after the other until the time is over: the refreshes of each. */
async function watchFor(seed: string, dir: string, minutes: number, report: (line: string) => void) {
  const runs: Refresh[][] = [];
  let pages = 0;
  const endMs = performance.now() + minutes * 60_000;
  while (performance.now() < endMs) {
    const crawl = await startCrawl(seed, dir);
    const serve = await serveWhenReady(dir);
    const view = await WatchedView.open(serve, COPY, report);
    await view.waitFor(2);
    let isRunning = true;
    const ended = crawl.ended.then((result) => {
      isRunning = false;
      return result;
    });
    while (isRunning && performance.now() < endMs) await sleep(200);
    const seen = (await view.refreshes()).slice(0, -2);
    crawl.stop();
    const result = await ended;
    await view.close();
    await serve.end();
    if (seen.length < 4) continue;
    pages += result.pages;
    runs.push(seen);
    report(`${seen.length} refreshes in a crawl of ${result.pages} pages, ${result.pagesPerSecond} pages/s`);
  }
  return { runs, pages };
}

async function serveWhenReady(dir: string): Promise<ServeProcess> {
  return ServeProcess.start([dir]);
}

async function compareSpeeds(seed: string, dir: string, { report }: ProofContext): Promise<ProofRow[]> {
  const [alone, watched]: [number[], number[]] = [[], []];
  for (let pair = 0; pair < PAIRS; pair++) {
    const order = pair % 2 === 0 ? [false, true] : [true, false];
    for (const isWatched of order) {
      const speed = await crawlSpeed(seed, dir, isWatched, report);
      (isWatched ? watched : alone).push(speed);
      report(`${isWatched ? 'watched' : 'alone'}: ${speed} pages/s`);
    }
  }
  const share = median(watched) / median(alone);
  return [
    {
      what: `speed of a crawl with ${CLIENTS} clients of events and one view, of ${Math.round(median(alone))} pages/s without (medians of ${PAIRS})`,
      target: `≥ ${SPEED_SHARE}`,
      measured: share.toFixed(3),
      holds: share >= SPEED_SHARE,
    },
  ];
}

async function crawlSpeed(
  seed: string,
  dir: string,
  isWatched: boolean,
  report: (line: string) => void,
): Promise<number> {
  const crawl = await startCrawl(seed, dir);
  if (!isWatched) return (await crawl.ended).pagesPerSecond;
  const serve = await serveWhenReady(dir);
  const clients = Array.from({ length: CLIENTS }, () =>
    readEvents(`${serve.origin}/api/copies/${COPY}/events`, serve.authorization, () => {}),
  );
  const view = await WatchedView.open(serve, COPY, report);
  const { pagesPerSecond } = await crawl.ended;
  for (const client of clients) client.stop();
  await view.close();
  await serve.end();
  return pagesPerSecond;
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)]!;
}
