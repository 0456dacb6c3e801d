/** Writes the figures of spelling, as JSON and as tables in Markdown. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '../report/machine.ts';
import { markdownRows } from '../report/tables.ts';
import type { CostRow } from './cost.ts';
import type { Closeness, CompletionRow, SpellingRow } from './measure.ts';

export interface SpellingFigures {
  readonly machine: Machine;
  readonly copies: readonly { readonly name: string; readonly pages: number; readonly terms: number }[];
  readonly spelling: readonly SpellingRow[];
  readonly closeness: readonly Closeness[];
  readonly completions: readonly CompletionRow[];
  readonly cost: readonly CostRow[];
}

export async function writeSpelling(folder: string, figures: SpellingFigures): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'search-spelling');
  await writeFile(`${path}.json`, `${JSON.stringify(figures, undefined, 2)}\n`);
  await writeFile(`${path}.md`, markdown(figures));
  return path;
}

export function spellingRows(rows: readonly SpellingRow[]): string {
  return markdownRows(
    ['copy', 'cases', 'number', 'right', 'no suggestion', 'another'],
    rows.map(({ copy, cases, count, right, none }) => {
      const shares = cases.startsWith('correct words') ? [none, none] : [right, none];
      const other = cases.startsWith('correct words') ? 1 - none : 1 - right - none;
      return [copy, cases, count.toLocaleString('en'), ...[...shares, other].map(percent)];
    }),
  );
}

function markdown({ machine, copies, spelling, closeness, completions, cost }: SpellingFigures): string {
  return `# spelling of queries

Real misspellings are those of the list of codespell whose correction is one word of the copy. Half of them, by a hash, was open while costs and
limits were chosen; the other half was not looked at. Words are drawn from lists, so rare words count as much as frequent ones, except
in "three words of a page". Errors of typing come from a model of fingers on a keyboard that shares nothing with the correction, but
was looked at while limits were chosen. Those that are words of the copy by chance are left out. Correct words come from the dictionaries of four languages; for them, "right" means no suggestion.
"With pairs of words": the index counts words that follow each other.

${markdownRows(
  ['copy', 'pages', 'terms'],
  copies.map(({ name, pages, terms }) => [name, pages.toLocaleString('en'), terms.toLocaleString('en')]),
)}

${spellingRows(spelling)}

How close the suggestions are for correct words that the copy does not have, as shares of these words:

${markdownRows(
  ['copy', 'one edit', 'two', 'three', 'a space'],
  closeness.map((row) => [row.copy, ...[row.oneEdit, row.twoEdits, row.threeEdits, row.split].map(percent)]),
)}

Completions: words of pages with five letters or more, of which the first letters are typed, and the share that is among the first three and
among the first ten completions.

${markdownRows(
  ['copy', 'letters', 'of 3', 'of 10', 'of 3, with pairs', 'of 10, with pairs'],
  completions.map((row) => [
    row.copy,
    String(row.letters),
    ...[row.three, row.ten, row.threeWithPairs, row.tenWithPairs].map(percent),
  ]),
)}

Time and memory: CPU milliseconds. A word is a misspelt word of the vocabulary. A table holds at most a million words.

${markdownRows(
  ['terms', 'words kept', 'building', 'MB', 'word: median', '95 %', 'highest', 'completion: median', '95 %', 'highest'],
  cost.map((row) => [
    row.terms.toLocaleString('en'),
    row.words.toLocaleString('en'),
    row.buildMs.toFixed(0),
    row.megabytes.toFixed(1),
    ...[...row.wordMs, ...row.completionMs].map((ms) => ms.toFixed(2)),
  ]),
)}

- ${machine.cpu}, ${machine.cores} cores, ${machine.system}, Node ${machine.node}, ${machine.date}
- shares do not depend on the machine: the same packages give the same figures
`;
}

function percent(share: number): string {
  // Shares that are what is left of 1 may be a little below 0.
  return `${(100 * Math.max(0, share)).toFixed(1)} %`;
}
