/**
 * The benchmark of spelling: how many misspelt words of queries are corrected, how many correct words are left alone,
 * and what this costs with a million words.
 *
 * In: flags. Out: tables on stdout, progress on stderr, and bench/results/search-spelling.json and .md. A partial run
 * writes to bench/work/results instead. The exit code is 1 when an aim is missed.
 */
import { join } from 'node:path';
import { BadOption, readFlags } from './options.ts';
import { describeMachine } from './report/machine.ts';
import { DICTIONARIES, type Language, readDictionary, readMisspellings } from './search-spelling/cases.ts';
import { type CostRow, measureCost } from './search-spelling/cost.ts';
import {
  type Closeness,
  type CompletionRow,
  measureCloseness,
  measureCompletions,
  measureCopy,
  type SpellingRow,
} from './search-spelling/measure.ts';
import { PageVocabulary } from './search-spelling/page-vocabulary.ts';
import { type PageTerms, readPageTerms } from './search-spelling/read-words.ts';
import { spellingRows, writeSpelling } from './search-spelling/report.ts';

const SITES = ['Python', 'PostgreSQL', 'cppreference', 'Debian handbook'];
const TOGETHER = 'together';
const TERMS = [100_000, 1_000_000, 5_000_000];
/** The aims: misspellings that are corrected at the first suggestion, and correct words that are left alone. */
const LEAST_RIGHT = 0.92;
const LEAST_ALONE = 0.99;

const HELP = `npm run bench -- search-spelling [flags]

  --only <a,b>         of ${SITES.join(', ')} (default: all, and all of them together)
  --quick              Python, and 100,000 terms

The sites, misspellings and dictionaries are packages of Debian. They are downloaded with apt-get and unpacked into bench/work.
`;

export async function benchSearchSpelling(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const values = readFlags(args, ['only']);
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const only = values.only?.split(',') ?? (values.quick ? SITES.slice(0, 1) : SITES);
  for (const name of only) if (!SITES.includes(name)) throw new BadOption(`--only: there is no site "${name}"`);
  const languages = Object.keys(DICTIONARIES) as Language[];
  const lists = {
    misspellings: await readMisspellings(workFolder),
    dictionaries: new Map(
      await Promise.all(languages.map(async (each) => [each, await readDictionary(workFolder, each)] as const)),
    ),
  };
  const pagesOf = new Map<string, PageTerms[]>();
  for (const name of only) {
    pagesOf.set(name, await readPageTerms(name, workFolder));
    report(`${name}: ${pagesOf.get(name)!.length} pages`);
  }
  if (only.length > 1) pagesOf.set(TOGETHER, [...pagesOf.values()].flat());
  const copies = [...pagesOf].map(([name, pages]) => ({ name, pages, vocabulary: new PageVocabulary(pages) }));

  const spelling: SpellingRow[] = [];
  const closeness: Closeness[] = [];
  const completions: CompletionRow[] = [];
  for (const copy of copies) {
    spelling.push(...measureCopy(copy, lists));
    closeness.push(measureCloseness(copy, lists));
    completions.push(...measureCompletions(copy));
    report(`${copy.name}: measured`);
  }
  const largest = copies.at(-1)!.vocabulary;
  const cost: CostRow[] = [];
  for (const terms of values.quick ? TERMS.slice(0, 1) : TERMS) {
    cost.push(measureCost(largest.all(), terms));
    report(`${terms} terms: measured`);
  }
  const isPartial = values.only !== undefined || values.quick !== undefined;
  const written = await writeSpelling(isPartial ? join(workFolder, 'results') : resultsFolder, {
    machine: describeMachine(new Date()),
    copies: copies.map(({ name, vocabulary }) => ({
      name,
      pages: vocabulary.documents,
      terms: [...vocabulary.all()].length,
    })),
    spelling,
    closeness,
    completions,
    cost,
  });
  process.stdout.write(`\n${spellingRows(spelling)}\n`);
  report(`written: ${written}.md and .json`);
  return spelling.every(reachesAim) ? 0 : 1;
}

function reachesAim({ cases, right, none }: SpellingRow): boolean {
  if (cases === 'misspellings, held-out half') return right >= LEAST_RIGHT;
  return cases !== 'correct words of the copy' || none >= LEAST_ALONE;
}
