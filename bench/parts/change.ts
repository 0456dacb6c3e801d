/**
 * Measures the cost of comparing two versions of a page: both outlines, the decision by hashes, the whole comparison,
 * and the codes of the paper. The pages are from the local web (35 KB, 60 links). The second version has one word, a
 * tenth or all of its texts changed. The link scan of the same page, with its text, is measured for comparison. Times
 * are CPU times, rounds alternate, and the output shows medians and minima. On a busy machine use the ratios.
 *
 * Run: node bench/parts/change.ts [seconds per contender]
 */
import { codesOf } from '../../src/change/codes/page-codes.ts';
import { compareVersions } from '../../src/change/compare-versions.ts';
import { decideChange, hashesOf } from '../../src/change/version-hashes.ts';
import { outlinePage } from '../../src/page/outline/outline.ts';
import { parsePage } from '../../src/page/page.ts';
import { renderPage } from '../web/page.ts';
import { WebPlan } from '../web/plan.ts';

const ROUNDS = 9;
const DISTINCT_PAGES = 200;
/** Calls between two readings of the clock, which counts in milliseconds. */
const CALLS_A_LOOK = 10;
const TYPE = 'text/html; charset=utf-8';

const secondsEach = Number(process.argv[2] ?? 1);
const plan = new WebPlan({ pages: DISTINCT_PAGES, hosts: 1, seed: 1 }, 80);
const pages = Array.from({ length: DISTINCT_PAGES }, (_, page) => renderPage(plan, page).toString());

const elements = outlinePage(Buffer.from(pages[0] as string), TYPE)?.nodes.filter(({ kind }) => kind === 'element');
console.log(`pages of ${(pages[0] as string).length} bytes, ${elements?.length} elements`);

/** Changes the order of the words in every n-th text of some length. With n = 0 it changes one word of the page. */
function changed(html: string, everyNth: number): string {
  if (everyNth === 0) return html.replace(/(<p>\s*)(\w+)/, '$1changed');
  let count = 0;
  return html.replace(/(?<=>)[^<>]{40,}(?=<)/g, (text) =>
    count++ % everyNth === 0 ? text.split(' ').toReversed().join(' ') : text,
  );
}

type Contender = [name: string, run: (before: Buffer, after: Buffer) => unknown];

const versionOf = (bytes: Buffer) => ({ bytes, outline: outlinePage(bytes, TYPE) });
const CONTENDERS: readonly Contender[] = [
  ['links and text of one', (before) => parsePage(before, TYPE, '', { wantText: true, maxLinks: 10_000 })],
  ['outline of one', (before) => outlinePage(before, TYPE)],
  [
    'outlines, hashes, verdict',
    (before, after) => decideChange(hashesOf(versionOf(before)), hashesOf(versionOf(after))),
  ],
  ['outlines, whole comparison', (before, after) => compareVersions(versionOf(before), versionOf(after))],
  ['outline and codes of one', (before) => codesOf(versionOf(before).outline!)],
];

for (const [label, everyNth] of [
  ['one word changed', 0],
  ['a tenth of its texts changed', 10],
  ['all its texts changed', 1],
] as const) {
  const pairs = pages.map((html) => [Buffer.from(html), Buffer.from(changed(html, everyNth))] as const);
  const [before, after] = pairs[0] as readonly [Buffer, Buffer];
  const { verdict, kinds, band } = compareVersions(versionOf(before), versionOf(after));
  console.log(`${label}: ${verdict}, ${kinds.join(' ')}, ${band}`);
  const times = CONTENDERS.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, [, run]] of CONTENDERS.entries()) times[at]!.push(microsecondsOf(run, pairs));
  }
  for (const [at, [name]] of CONTENDERS.entries()) {
    const sorted = times[at]!.toSorted((one, other) => one - other);
    console.log(`  ${name.padEnd(28)} median ${sorted[ROUNDS >> 1]!.toFixed(0)} µs, least ${sorted[0]!.toFixed(0)} µs`);
  }
}

function microsecondsOf(run: Contender[1], pairs: readonly (readonly [Buffer, Buffer])[]): number {
  const limitMicroseconds = (secondsEach * 1e6) / ROUNDS;
  const start = process.cpuUsage();
  let calls = 0;
  let used = 0;
  while (used < limitMicroseconds) {
    for (let call = 0; call < CALLS_A_LOOK; call++) {
      const [before, after] = pairs[calls++ % pairs.length] as readonly [Buffer, Buffer];
      run(before, after);
    }
    const { user, system } = process.cpuUsage(start);
    used = user + system;
  }
  return used / calls;
}
