/**
 * Measures how many pages per second one core parses: pages of 39 KB with 60 links, as in the table of measured parts.
 * Each page is different, because a page that is parsed again and again is in the CPU caches and its branches are
 * predicted. The contenders are parse5, which builds a tree, and a jump from `<` to `<`, which no scan can beat. Rates
 * are by CPU time and rounds alternate, so that a busy machine slows all contenders equally. Use the ratios.
 *
 * Run: node bench/parts/page.ts [seconds per contender]
 */
import { parse } from 'parse5';
import { parsePage } from '../../src/page/page.ts';

const ROUNDS = 5;
const DISTINCT_PAGES = 500;
/** Pages between two readings of the clock, which counts in milliseconds. */
const PAGES_A_LOOK = 25;
const TYPE = 'text/html; charset=utf-8';
const secondsEach = Number(process.argv[2] ?? 2);

const contenders: [string, (body: Buffer) => unknown][] = [
  ['jump from < to <', countTags],
  ['links', (body) => parsePage(body, TYPE, '', { wantText: false, wantAnchors: false, maxLinks: 10_000 })],
  ['links and anchors', (body) => parsePage(body, TYPE, '', { wantText: false, wantAnchors: true, maxLinks: 10_000 })],
  ['anchors and text', (body) => parsePage(body, TYPE, '', { wantText: true, wantAnchors: true, maxLinks: 10_000 })],
  ['parse5 tree', (body) => parse(body.toString('utf8'))],
];

for (const [name, pages] of [
  ['ASCII pages', makePages('fox jumps over the lazy dog while nobody looks')],
  ['UTF-8 pages', makePages('žluťoučký kůň übt größere Äpfel — 東京の天気')],
] as const) {
  const bytes = pages.reduce((sum, page) => sum + page.length, 0) / pages.length;
  console.log(`${name}, ${(bytes / 1024).toFixed(1)} KB on average`);
  const rates = measure(pages);
  for (const [index, [contender]] of contenders.entries()) {
    const rate = median(rates[index] as number[]);
    const microseconds = 1e6 / rate;
    console.log(
      `  ${contender.padEnd(18)} ${Math.round(rate).toLocaleString('en').padStart(8)} pages/s  ${microseconds.toFixed(1).padStart(7)} µs`,
    );
  }
}

function measure(pages: readonly Buffer[]): number[][] {
  const rates: number[][] = contenders.map(() => []);
  let next = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, [, run]] of contenders.entries()) {
      const start = process.cpuUsage();
      let count = 0;
      let seconds = 0;
      while (seconds < secondsEach / ROUNDS) {
        for (let page = 0; page < PAGES_A_LOOK; page++) run(pages[next++ % pages.length] as Buffer);
        count += PAGES_A_LOOK;
        seconds = process.cpuUsage(start).user / 1e6;
      }
      // The first round is the warm-up.
      if (round > 0) rates[index]?.push(count / seconds);
    }
  }
  return rates;
}

function countTags(body: Buffer): number {
  const html = body.toString('latin1');
  let count = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) count++;
  return count;
}

/**
 * Makes pages as content management systems write them: a head, scripts and styles, navigation,
 * paragraphs, tables, a footer.
 */
function makePages(words: string): Buffer[] {
  return Array.from({ length: DISTINCT_PAGES }, (_, number) => Buffer.from(makePage(number, words)));
}

function makePage(number: number, words: string): string {
  const link = (at: number) =>
    `<li class="menu-item menu-item-${at}"><a class="nav-link" href="/section-${number}/page-${(at * number) ** 2}.html?from=menu&amp;n=${at}" title="Page ${at}">Page <b>${at}</b> of ${number}</a></li>`;
  // Every page has another length and another order. Otherwise the CPU would learn the branches.
  const turned = words
    .split(' ')
    .map((_, at, all) => all[(at * 7 + number) % all.length])
    .join(' ');
  const sentence = `${words}, ${turned} &amp; ${words.slice(number % 9)}. `;
  const paragraph = (at: number) =>
    `    <div class="block block-${at * number}" data-id="${at}">\n      <h2 id="h${at}">Heading ${at}</h2>\n      <p>${sentence.repeat(6)}<a href="article-${at ** (number % 7)}.html">more ${at}</a> ${sentence}</p>\n      <p class="meta"><span class="date">2024-01-${at}</span> <em>by</em> <strong>author ${at}</strong><br><img src="/img/${at}.jpg" alt="Picture ${at}" width="300" height="200"></p>\n    </div>\n`;
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Page ${number} of the test web</title>
<meta name="description" content="What page ${number} is about"><meta name="viewport" content="width=device-width">
<link rel="canonical" href="https://example.test/page-${number}"><link rel="stylesheet" href="/style.css"><script src="/app.js" async></script>
<style>${'.a > .b { color: #123; margin: 0 auto }\n'.repeat(40)}</style>
<script>${'for (var i = 0; i < n; i++) { if (a[i] < b) { document.write("<p>" + i + "</p>"); } }\n'.repeat(40)}</script>
</head><body class="home page"><!-- navigation --><nav><ul>${Array.from({ length: 40 }, (_, at) => link(at)).join('\n')}</ul></nav>
<main>
${Array.from({ length: 20 }, (_, at) => paragraph(at)).join('')}
<table>${'<tr><td class="c">1</td><td>two</td><td>three</td></tr>\n'.repeat(30)}</table>
</main><footer><p>© ${number}</p></footer></body></html>`;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}
