/**
 * Finds differences that come from reading HTML, not from reading its data. In: pages with differences. Out: what both
 * readings find if they get the page as a browser builds it: parsed and written again by parse5.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, serialize } from 'parse5';
import { readPageData } from './compare-page.ts';
import { type ExtructSyntax, readWithExtruct } from './extruct-pages.ts';
import { extructStatements, ourStatements } from './extruct-statements.ts';

export interface TreeReading {
  readonly ours: (syntax: ExtructSyntax) => string[];
  readonly theirs: (syntax: ExtructSyntax) => string[];
}

export async function readBrowserTrees(
  pages: ReadonlyMap<string, string>,
  python: string,
  folder: string,
): Promise<Map<string, TreeReading>> {
  for (const [name, html] of pages) {
    const path = join(folder, 'pages', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, serialize(parse(html)));
  }
  const readings = new Map<string, TreeReading>();
  for await (const page of readWithExtruct(join(folder, 'pages'), python, join(folder, 'results.jsonl'))) {
    const items = readPageData(page.html)?.items ?? [];
    readings.set(page.name, {
      ours: (syntax) => ourStatements(syntax, items),
      theirs: (syntax) => extructStatements(syntax, page.found[syntax]?.found),
    });
  }
  return readings;
}
