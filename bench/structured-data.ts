/**
 * Compares the structured data of real pages with extruct, and counts the causes of all differences. In: a folder of
 * HTML files, the Python of an environment that has extruct, and a file for the results of extruct, which is continued.
 * With a syntax as fourth argument it prints the differences without a cause.
 *
 * node bench/structured-data.ts folder python results.jsonl [syntax]
 */
import type { Cause } from './structured-data/causes.ts';
import { comparePage } from './structured-data/compare-page.ts';
import { EXTRUCT_SYNTAXES, type ExtructSyntax, readWithExtruct } from './structured-data/extruct-pages.ts';

const [folder, python, resultFile, shown] = process.argv.slice(2);
if (folder === undefined || python === undefined || resultFile === undefined) {
  console.error('Run: node bench/structured-data.ts folder python results.jsonl [syntax]');
  process.exit(1);
}

interface Totals {
  pages: number;
  equal: number;
  same: number;
  missing: number;
  extra: number;
  /** Pages that extruct cannot read and of which we have data. */
  onlyOurs: number;
  unexplained: number;
}

const totals = Object.fromEntries(EXTRUCT_SYNTAXES.map((syntax) => [syntax, emptyTotals()])) as Record<
  ExtructSyntax,
  Totals
>;
const causes = new Map<Cause, { pages: number; differences: number }>();

let read = 0;
for await (const page of readWithExtruct(folder, python, resultFile)) {
  read++;
  for (const compared of comparePage(page)) {
    const total = totals[compared.syntax];
    if (compared.error !== null) {
      if (compared.ours > 0) total.onlyOurs++;
      continue;
    }
    total.pages++;
    total.same += compared.same;
    total.missing += compared.missing;
    total.extra += compared.extra;
    if (compared.differences.length === 0) total.equal++;
    const onPage = new Set<Cause>();
    for (const { difference, cause } of compared.differences) {
      if (cause === null) {
        total.unexplained++;
        if (shown === compared.syntax) console.log(page.name, JSON.stringify(difference).slice(0, 400));
        continue;
      }
      const count = causes.get(cause) ?? { pages: 0, differences: 0 };
      causes.set(cause, count);
      count.differences++;
      if (!onPage.has(cause)) count.pages++;
      onPage.add(cause);
    }
  }
}

console.log(`${read} pages`);
console.table(totals);
for (const [{ syntax, text, right }, { pages, differences }] of causes) {
  console.log(`| ${syntax} | ${text} | ${right} | ${pages} | ${differences} |`);
}

function emptyTotals(): Totals {
  return { pages: 0, equal: 0, same: 0, missing: 0, extra: 0, onlyOurs: 0, unexplained: 0 };
}
