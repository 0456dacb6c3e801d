/**
 * Measures the cost of finding near duplicates: the scan of a page for its links, the same scan when it also collects
 * the content, and the sketch of that content. The pages are from the local web, 35 KB with 60 links. Their words are
 * invented, so English text of 28 KB is measured as well if a file is given. Winnowing of the whole text and a minimal
 * rolling hash over its bytes are measured for comparison. Times are CPU times, rounds alternate, and the output shows
 * medians and minima. On a busy machine use the ratios.
 *
 * Run: node bench/parts/sketch.ts [seconds per contender] [file of text]
 */
import { readFileSync } from 'node:fs';
import { sketchOf } from '../../src/change/sketch.ts';
import { winnow } from '../../src/change/winnow.ts';
import { ContentText, parsePage } from '../../src/page/page.ts';
import { renderPage } from '../web/page.ts';
import { WebPlan } from '../web/plan.ts';

const ROUNDS = 9;
const DISTINCT_PAGES = 400;
const TEXT_BYTES = 28_000;
/** Calls between two readings of the clock, which counts in milliseconds. */
const CALLS_A_LOOK = 20;
const TYPE = 'text/html; charset=utf-8';
const OPTIONS = { wantText: false, wantAnchors: false, maxLinks: 10_000 };

type Contender = [name: string, run: (body: Buffer) => unknown];

const secondsEach = Number(process.argv[2] ?? 2);
const textFile = process.argv[3];
const content = new ContentText();

const plan = new WebPlan({ pages: DISTINCT_PAGES, hosts: 1, seed: 1 }, 80);
const pages = Array.from({ length: DISTINCT_PAGES }, (_, page) => Buffer.from(renderPage(plan, page)));
report('pages of the local web', pages, [
  ['links', (body) => parsePage(body, TYPE, '', OPTIONS)],
  ['links and content', (body) => parsePage(body, TYPE, '', { ...OPTIONS, content })],
  [
    'links, content, sketch',
    (body) => {
      parsePage(body, TYPE, '', { ...OPTIONS, content });
      return sketchOf(content.bytes);
    },
  ],
]);

const onText: Contender[] = [
  ['sketch', sketchOf],
  ['rolling hash', rollingHash],
  ['winnowing the whole', (text) => winnow(text)],
];
report('their content', pages.map(contentOf), onText);
if (textFile !== undefined) report('running text', cutText(readFileSync(textFile)), onText);

function contentOf(body: Buffer): Buffer {
  parsePage(body, TYPE, '', { ...OPTIONS, content });
  return Buffer.from(content.bytes);
}

/** Cuts overlapping pieces, so that a file of twice the size of a piece already gives many different texts. */
function cutText(text: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at + TEXT_BYTES <= text.length && pieces.length < DISTINCT_PAGES; at += 101) {
    pieces.push(text.subarray(at, at + TEXT_BYTES));
  }
  return pieces;
}

function report(name: string, bodies: readonly Buffer[], contenders: readonly Contender[]): void {
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0) / bodies.length;
  console.log(`${name}: ${bodies.length}, ${(bytes / 1024).toFixed(1)} KB on average`);
  for (const [index, times] of measure(bodies, contenders).entries()) {
    const sorted = times.toSorted((a, b) => a - b);
    const median = sorted[sorted.length >> 1] as number;
    console.log(
      `  ${(contenders[index] as Contender)[0].padEnd(24)} ${median.toFixed(1).padStart(7)} µs  (least ${sorted[0]?.toFixed(1)})`,
    );
  }
}

/** Returns microseconds per call: for each contender, one value per round. */
function measure(bodies: readonly Buffer[], contenders: readonly Contender[]): number[][] {
  const times: number[][] = contenders.map(() => []);
  let next = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, [, run]] of contenders.entries()) {
      const start = process.cpuUsage();
      let calls = 0;
      let microseconds = 0;
      while (microseconds < (secondsEach * 1e6) / ROUNDS) {
        for (let call = 0; call < CALLS_A_LOOK; call++) run(bodies[next++ % bodies.length] as Buffer);
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

function rollingHash(text: Buffer): number {
  let hash = 0;
  let least = 0;
  for (let at = 16; at < text.length; at++) {
    hash = (Math.imul(hash, 0x2c1b3c6d) + (text[at] as number) - Math.imul(0x12345671, text[at - 16] as number)) | 0;
    if (hash < least) least = hash;
  }
  return least;
}
