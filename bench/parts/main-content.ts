/**
 * Measures the CPU time of finding the main content, for each page of a folder of HTML files. It reports the outline,
 * the main content with its text, and the list of blocks with their roles separately. The first round is the warm-up;
 * the figures are the medians of the other rounds.
 *
 * Run: node bench/parts/main-content.ts folder [rounds]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMainContent } from '../../src/content/main/main-content.ts';
import { PageTree } from '../../src/content/page-tree.ts';
import type { PageOutline } from '../../src/core/page/page-outline.ts';
import { outlinePage } from '../../src/page/outline/outline.ts';

const DEFAULT_ROUNDS = 5;
const TYPE = 'text/html';

const [folder, rounds = DEFAULT_ROUNDS] = process.argv.slice(2);
if (folder === undefined) {
  console.error('No folder was given. Run: node bench/parts/main-content.ts folder [rounds]');
  process.exit(1);
}
const pages = readPages(folder);
if (pages.length === 0) {
  console.error(`There are no HTML files in ${folder}. Name a folder with .html files.`);
  process.exit(1);
}
report(pages, Number(rounds));

function readPages(from: string): Buffer[] {
  const names = readdirSync(from, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
  const bodies = names.sort().map((name) => readFileSync(join(from, name)));
  return bodies.filter((body) => outlinePage(body, TYPE) !== null);
}

function report(bodies: readonly Buffer[], count: number): void {
  const steps: [name: string, milliseconds: number[]][] = [
    ['outline', []],
    ['main content and text', []],
    ['blocks with roles', []],
  ];
  for (let round = 0; round <= count; round++) {
    const milliseconds = measureRound(bodies);
    if (round > 0) for (const [index, [, all]] of steps.entries()) all.push(milliseconds[index] as number);
  }
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0) / bodies.length;
  console.log(`${bodies.length} pages, ${(bytes / 1024).toFixed(1)} KB on average, CPU per page`);
  for (const [name, all] of steps) console.log(`  ${name.padEnd(22)} ${median(all).toFixed(2).padStart(7)} ms`);
}

/** Runs each step for all pages, because the CPU clock is too coarse for one page. */
function measureRound(bodies: readonly Buffer[]): number[] {
  let outlines: PageOutline[] = [];
  const outline = cpuOf(() => {
    outlines = bodies.map((body) => outlinePage(body, TYPE) as PageOutline);
  });
  let found: ReturnType<typeof findMainContent>[] = [];
  const main = cpuOf(() => {
    found = outlines.map((each) => findMainContent(new PageTree(each)));
  });
  const blocks = cpuOf(() => {
    for (const each of found) each.blocks();
  });
  return [outline, main, blocks].map((milliseconds) => milliseconds / bodies.length);
}

function cpuOf(run: () => void): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}
