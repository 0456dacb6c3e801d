/**
 * Compares the structured data of real pages with extruct, and counts the causes of all differences. In: a folder of
 * HTML files, the Python of an environment that has extruct, and a file for the results of extruct, which is continued.
 * With a syntax, or `all`, as fourth argument it prints the differences without a cause.
 *
 * node bench/structured-data.ts folder python results.jsonl [syntax]
 */
import { extructTrails, ourTrails } from './structured-data/breadcrumb-trails.ts';
import { readBrowserTrees } from './structured-data/browser-trees.ts';
import type { Cause, Difference } from './structured-data/causes.ts';
import { type ComparedSyntax, comparePage, readPageData } from './structured-data/compare-page.ts';
import {
  EXTRUCT_SYNTAXES,
  type ExtructSyntax,
  type ReadPage,
  readWithExtruct,
} from './structured-data/extruct-pages.ts';
import { differences } from './structured-data/plain-item.ts';

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
const causes = new Map<string, { pages: Set<string>; differences: number }>();
const unexplained: { name: string; compared: ComparedSyntax; difference: Difference }[] = [];
const unexplainedPages = new Map<string, string>();

let read = 0;
const breadcrumbs = { pages: 0, equal: 0, onlyOurs: 0 };
for await (const page of readWithExtruct(folder, python, resultFile)) {
  read++;
  compareBreadcrumbs(page);
  for (const compared of comparePage(page)) {
    const total = totals[compared.syntax];
    if (compared.error !== null) {
      if (compared.ours.length > 0) total.onlyOurs++;
      continue;
    }
    total.pages++;
    total.same += compared.same;
    total.missing += compared.missing;
    total.extra += compared.extra;
    if (compared.differences.length === 0) total.equal++;
    for (const { difference, cause } of compared.differences) {
      if (cause !== null) count(cause, page.name);
      else {
        unexplained.push({ name: page.name, compared, difference });
        unexplainedPages.set(page.name, page.html);
      }
    }
  }
}

const trees = await readBrowserTrees(unexplainedPages, python, `${resultFile}.trees`);
for (const { name, compared, difference } of unexplained) {
  const { syntax, ours, theirs } = compared;
  const tree = trees.get(name);
  const isSolvedBy = (a: string[], b: string[]) => !hasDifference(a, b, difference);
  if (tree !== undefined && isSolvedBy(ours, tree.theirs(syntax))) {
    count({ syntax, right: 'ours', text: 'libxml2 builds another tree than a browser' }, name);
  } else if (tree !== undefined && isSolvedBy(tree.ours(syntax), theirs)) {
    count({ syntax, right: 'extruct', text: 'our outline builds another tree than a browser' }, name);
  } else if (tree !== undefined && isSolvedBy(tree.ours(syntax), tree.theirs(syntax))) {
    count({ syntax, right: 'both', text: 'both trees differ from that of a browser' }, name);
  } else {
    totals[syntax].unexplained++;
    if (shown === syntax || shown === 'all') console.log(syntax, name, JSON.stringify(difference).slice(0, 400));
  }
}

console.log(`${read} pages`);
console.table({ ...totals, breadcrumbs });
for (const [cause, { pages, differences }] of [...causes].sort(([a], [b]) => (a < b ? -1 : 1))) {
  console.log(`| ${cause} | ${pages.size} | ${differences} |`);
}

function count({ syntax, text, right }: Pick<Cause, 'syntax' | 'text' | 'right'>, page: string): void {
  const key = `${syntax} | ${text} | ${right}`;
  const counts = causes.get(key) ?? { pages: new Set(), differences: 0 };
  causes.set(key, counts);
  counts.pages.add(page);
  counts.differences++;
}

/** Trails are compared as names. Pages on which extruct finds no trail are counted apart. */
function compareBreadcrumbs(page: ReadPage): void {
  const theirs = extructTrails(page).sort();
  const ours = ourTrails(readPageData(page.html)?.breadcrumbs ?? []).sort();
  if (theirs.length === 0) breadcrumbs.onlyOurs += ours.length > 0 ? 1 : 0;
  else {
    breadcrumbs.pages++;
    if (theirs.join('\n') === ours.join('\n')) breadcrumbs.equal++;
    else if (shown === 'breadcrumbs') console.log(page.name, theirs, ours);
  }
}

function hasDifference(ours: string[], theirs: string[], wanted: Difference): boolean {
  const { missing, extra } = differences(ours, theirs);
  return (
    (wanted.theirs !== null && missing.includes(`${wanted.path} = ${wanted.theirs}`)) ||
    (wanted.ours !== null && extra.includes(`${wanted.path} = ${wanted.ours}`))
  );
}

function emptyTotals(): Totals {
  return { pages: 0, equal: 0, same: 0, missing: 0, extra: 0, onlyOurs: 0, unexplained: 0 };
}
