/** Compares both readings of a page. In: a page with the results of extruct. Out: for each syntax the differences. */
import { PageTree } from '../../src/content/page-tree.ts';
import type { StructuredData } from '../../src/content/structured/structured-data.ts';
import { readStructuredData } from '../../src/content/structured/structured-data.ts';
import { outlinePage } from '../../src/page/outline/outline.ts';
import { type Cause, causeOf, type Difference, pairUp } from './causes.ts';
import { EXTRUCT_SYNTAXES, type ExtructSyntax, PAGE_URL, type ReadPage } from './extruct-pages.ts';
import { extructStatements, ourStatements } from './extruct-statements.ts';
import { differences } from './plain-item.ts';

export interface ComparedSyntax {
  readonly syntax: ExtructSyntax;
  readonly error: string | null;
  /** The statements of both readings. */
  readonly ours: string[];
  readonly theirs: string[];
  readonly same: number;
  readonly missing: number;
  readonly extra: number;
  readonly differences: readonly { readonly difference: Difference; readonly cause: Cause | null }[];
}

export function readPageData(html: string): StructuredData | null {
  const outline = outlinePage(Buffer.from(html), 'text/html; charset=utf-8');
  return outline === null ? null : readStructuredData(new PageTree(outline), PAGE_URL);
}

/** Syntaxes of which neither reading found anything are left out. */
export function comparePage({ html, found }: ReadPage): ComparedSyntax[] {
  const items = readPageData(html)?.items ?? [];
  return EXTRUCT_SYNTAXES.flatMap((syntax) => {
    const reading = found[syntax];
    if (reading === undefined) return [];
    const ours = ourStatements(syntax, items);
    const theirs = reading.error === undefined ? extructStatements(syntax, reading.found) : [];
    if (ours.length === 0 && theirs.length === 0) return [];
    const { missing, extra, same } = differences(ours, theirs);
    const error = reading.error ?? null;
    const pairs = error === null ? pairUp(missing, extra) : [];
    return [
      {
        ...{ syntax, error, ours, theirs, same, missing: missing.length, extra: extra.length },
        differences: pairs.map((difference) => ({ difference, cause: causeOf(syntax, difference, html) })),
      },
    ];
  });
}
