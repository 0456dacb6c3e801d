/**
 * The benchmark of search: Orbweaver and other search engines on the same documents and queries, in the same run.
 *
 * In: flags. Out: tables on stdout, progress on stderr, and bench/results/search.json and .md. A partial run writes to
 * bench/work/results instead. What always holds: one engine works at a time, and peers are installed in bench/work. The
 * exit code is 1 when Orbweaver failed.
 */
import { join } from 'node:path';
import { BadOption, readFlags, wholeNumber } from './options.ts';
import { describeMachine } from './report/machine.ts';
import { chooseQueries } from './search/choose-queries.ts';
import { type Collection, madeCollection, realCollection } from './search/collection.ts';
import { CONTENDERS, OURS } from './search/contenders.ts';
import { measureEngines, type ReadyContender } from './search/measure.ts';
import { type CollectionResults, indexRows, overallRows, writeSearch } from './search/report.ts';

const USUAL_COLLECTIONS = 'real,made-100000';
const MADE = /^made-(\d{1,9})$/;
const USUAL_ROUNDS = '3';
const USUAL_BUDGET = '120';
const USUAL_TIMEOUT = '3600';
const QUICK_QUERIES = 200;

const HELP = `npm run bench -- search [flags]

  --collections <a,b>  real, and made-<documents> (default ${USUAL_COLLECTIONS})
  --only <a,b>         of ${CONTENDERS.map(({ name }) => name).join(', ')}
  --rounds <n>         rounds of all queries (default ${USUAL_ROUNDS})
  --budget <s>         seconds that an engine may take for the queries of a round (default ${USUAL_BUDGET})
  --timeout <s>        seconds that an engine may take to build its index (default ${USUAL_TIMEOUT})
  --seed <n>           of the queries (default 1)
  --reuse yes          takes indexes of an earlier run, if there are any
  --quick              real pages only, ${QUICK_QUERIES} queries, one round

The real pages are documentation packages of Debian. They are downloaded with apt-get and unpacked into bench/work.
`;

export async function benchSearch(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const values = readFlags(args, ['collections', 'only', 'rounds', 'budget', 'timeout', 'seed', 'reuse']);
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const only = values.only?.split(',') ?? CONTENDERS.map(({ name }) => name);
  const unknown = only.find((name) => !CONTENDERS.some((each) => each.name === name));
  if (unknown !== undefined) throw new BadOption(`--only: there is no engine "${unknown}"`);
  const seed = wholeNumber('seed', values.seed ?? '1');
  const rounds = wholeNumber('rounds', values.quick ? '1' : (values.rounds ?? USUAL_ROUNDS));
  const options = {
    rounds,
    budgetMs: 1_000 * wholeNumber('budget', values.budget ?? USUAL_BUDGET),
    indexTimeoutMs: 1_000 * wholeNumber('timeout', values.timeout ?? USUAL_TIMEOUT),
    reusesIndex: values.reuse !== undefined,
    workFolder,
    report,
  };
  const names = (values.collections ?? (values.quick ? 'real' : USUAL_COLLECTIONS)).split(',');
  const wrong = names.find((name) => name !== 'real' && !MADE.test(name));
  if (wrong !== undefined) throw new BadOption(`--collections: there is no collection "${wrong}"`);
  const { ready, missing } = await prepare(only, workFolder, report);
  const collections: CollectionResults[] = [];
  for (const collection of await makeCollections(names, workFolder, report)) {
    const queries = chooseQueries(collection, seed).slice(0, values.quick ? QUICK_QUERIES : undefined);
    const able = ready.filter(({ contender }) => contender.mostDocuments >= collection.documents);
    const engines = await measureEngines(able, collection, queries, options);
    const { name, documents, textBytes } = collection;
    collections.push({ collection: { name, documents, textBytes }, queries, engines });
    process.stdout.write(`\n${name}\n${indexRows(documents, textBytes, engines)}\n\n${overallRows(engines)}\n`);
  }
  const isPartial = [values.collections, values.only, values.seed, values.quick].some((value) => value !== undefined);
  const results = { rounds, seed, machine: describeMachine(new Date()), collections, missing };
  const written = await writeSearch(isPartial ? join(workFolder, 'results') : resultsFolder, results);
  report(`written: ${written}.md and .json`);
  const ours = collections.flatMap(({ engines }) => engines.filter(({ engine }) => engine === OURS));
  return ours.every(({ failure }) => failure === null) ? 0 : 1;
}

async function prepare(only: readonly string[], workFolder: string, report: (text: string) => void) {
  const ready: ReadyContender[] = [];
  const missing: string[] = [];
  for (const contender of CONTENDERS.filter(({ name }) => only.includes(name))) {
    const { name } = contender;
    const preparation = await contender.prepare(workFolder, (text) => report(`${name}: ${text}`));
    if (preparation.ready) ready.push({ contender, version: preparation.version });
    else missing.push(`${name}: ${preparation.reason}`);
  }
  for (const reason of missing) report(`not available: ${reason}`);
  return { ready, missing };
}

async function makeCollections(
  names: readonly string[],
  workFolder: string,
  report: (text: string) => void,
): Promise<Collection[]> {
  const real = await realCollection(workFolder, report);
  const collections: Collection[] = [];
  for (const name of names) {
    const documents = Number(MADE.exec(name)?.[1]);
    collections.push(name === 'real' ? real : await madeCollection(workFolder, real, documents, report));
  }
  return collections;
}
