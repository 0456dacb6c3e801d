/**
 * Measures the cost of the content of a page, step by step: the scan of a page for its links, the same scan when it also
 * collects the words, learning the template of the host, and the sketch of the own text. The pages are from the local
 * web, 35 KB with 60 links; other pages are measured if a folder with HTML files is given. Times are CPU times, rounds
 * alternate, and the output shows medians and minima. On a busy machine use the ratios.
 *
 * Run: node bench/parts/sketch.ts [seconds per contender] [folder]
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sketchOwnText } from '../../src/content/own-text.ts';
import { Template } from '../../src/content/template/template.ts';
import { parsePage, WordCollector } from '../../src/page/page.ts';
import { renderPage } from '../web/page.ts';
import { WebPlan } from '../web/plan.ts';

const ROUNDS = 9;
const DISTINCT_PAGES = 400;
/** Calls between two readings of the clock, which counts in milliseconds. */
const CALLS_A_LOOK = 20;
const TYPE = 'text/html; charset=utf-8';
const OPTIONS = { wantText: false, wantAnchors: false, maxLinks: 10_000 };

type Contender = [name: string, run: (page: Page) => unknown];

interface Page {
  readonly url: string;
  readonly body: Buffer;
}

const secondsEach = Number(process.argv[2] ?? 2);
const folder = process.argv[3];
const words = new WordCollector();

const plan = new WebPlan({ pages: DISTINCT_PAGES, hosts: 1, seed: 1 }, 80);
report(
  'pages of the local web',
  Array.from({ length: DISTINCT_PAGES }, (_, page) => ({
    url: `http://local.test/p/${page}`,
    body: Buffer.from(renderPage(plan, page)),
  })),
);
if (folder !== undefined) report(folder, readPages(folder));

function readPages(path: string): Page[] {
  const names = globSync('**/*.{html,htm}', { cwd: path }).sort();
  const step = Math.max(1, Math.floor(names.length / DISTINCT_PAGES));
  const chosen = names.filter((_, i) => i % step === 0).slice(0, DISTINCT_PAGES);
  return chosen.map((name) => ({ url: `http://folder.test/${name}`, body: readFileSync(join(path, name)) }));
}

/** Each contender does what the one before it does, and one step more. */
function contendersFor(): Contender[] {
  const [learning, sketching] = [new Template(), new Template()];
  const parse = (body: Buffer) => parsePage(body, TYPE, '', { ...OPTIONS, words });
  return [
    ['links', ({ body }) => parsePage(body, TYPE, '', OPTIONS)],
    ['+ words', ({ body }) => parse(body)],
    [
      '+ template',
      ({ url, body }) => {
        parse(body);
        return learning.learn(url, words);
      },
    ],
    [
      '+ sketch of the own text',
      ({ url, body }) => {
        parse(body);
        return sketchOwnText(words, sketching.learn(url, words).marks);
      },
    ],
  ];
}

function report(name: string, pages: readonly Page[]): void {
  const contenders = contendersFor();
  const bytes = pages.reduce((sum, { body }) => sum + body.length, 0) / pages.length;
  console.log(`${name}: ${pages.length}, ${(bytes / 1024).toFixed(1)} KB on average`);
  for (const [index, times] of measure(pages, contenders).entries()) {
    const sorted = times.toSorted((a, b) => a - b);
    const median = sorted[sorted.length >> 1] as number;
    console.log(
      `  ${(contenders[index] as Contender)[0].padEnd(24)} ${median.toFixed(1).padStart(7)} µs  (least ${sorted[0]?.toFixed(1)})`,
    );
  }
}

/** Returns microseconds per call: for each contender, one value per round. */
function measure(pages: readonly Page[], contenders: readonly Contender[]): number[][] {
  const times: number[][] = contenders.map(() => []);
  let next = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, [, run]] of contenders.entries()) {
      const start = process.cpuUsage();
      let calls = 0;
      let microseconds = 0;
      while (microseconds < (secondsEach * 1e6) / ROUNDS) {
        for (let call = 0; call < CALLS_A_LOOK; call++) run(pages[next++ % pages.length] as Page);
        calls += CALLS_A_LOOK;
        const { user, system } = process.cpuUsage(start);
        microseconds = user + system;
      }
      // The first round is the warm-up.
      if (round > 0) times[index]?.push(microseconds / calls);
    }
  }
  return times;
}
