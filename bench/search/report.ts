/** Writes the figures of the search benchmark, as JSON and as tables in Markdown. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '../report/machine.ts';
import { markdownRows } from '../report/tables.ts';
import { type BenchQuery, QUERY_KINDS } from './choose-queries.ts';
import type { Collection } from './collection.ts';
import { OURS } from './contenders.ts';
import type { EngineFigures } from './measure.ts';
import type { QueryTime } from './running-engine.ts';

export interface CollectionResults {
  readonly collection: Pick<Collection, 'name' | 'documents' | 'textBytes'>;
  readonly queries: readonly BenchQuery[];
  readonly engines: readonly EngineFigures[];
}

export interface SearchResults {
  readonly rounds: number;
  readonly seed: number;
  readonly machine: Machine;
  readonly collections: readonly CollectionResults[];
  /** Engines that could not be had, with the reason. */
  readonly missing: readonly string[];
}

export async function writeSearch(folder: string, results: SearchResults): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'search');
  await writeFile(`${path}.json`, `${JSON.stringify(results, shortNumbers)}\n`);
  await writeFile(`${path}.md`, markdown(results));
  return path;
}

function shortNumbers(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toFixed(3)) : value;
}

function markdown({ rounds, seed, machine, collections, missing }: SearchResults): string {
  return `# search

Each engine indexes the same documents and answers the same queries, ten results for each, one engine at a time. Every
engine gets a query before any engine gets the next one; the time of a query is the median of ${rounds} round(s), the
first of them with a cold program. Times are in milliseconds, as \`p50 / p95\` over the queries. CPU time is that of the
engine; on a machine that is shared it says more than the wall time. For Lucene it is the time of the thread that
searches. For PostgreSQL it is the time of the server's process, and the wall time includes the way to it.

\`CPU ours / theirs\` is the sum over all queries that both answered: below 1, Orbweaver needs less. A dash means that an
engine has no such query. Memory is what the process has after all queries, without mapped files.

${collections.map(collectionPart).join('\n\n')}

${[...versions(collections), ...missing.map((reason) => `- not available: ${reason}`)].join('\n')}
- seed of the queries: ${seed}
- machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node},
  ${machine.date} UTC; other work ran on it at the same time
`;
}

function versions(collections: readonly CollectionResults[]): string[] {
  const known = new Map<string, string>();
  for (const { engines } of collections) {
    for (const { engine, version, note } of engines) known.set(engine, `- ${engine} ${version}: ${note}`);
  }
  return [...known.values()];
}

function collectionPart({ collection, queries, engines }: CollectionResults): string {
  const { name, documents, textBytes } = collection;
  const failures = engines.flatMap(({ engine, failure }) => (failure === null ? [] : [`- ${engine}: ${failure}`]));
  return `## ${name}: ${count(documents)} documents, ${count(Math.round(textBytes / 1e6))} MB of text

${indexRows(documents, textBytes, engines)}

${overallRows(engines)}

CPU time by kind of query:

${kindRows(queries, engines, 'cpuMs')}

Wall time by kind of query:

${kindRows(queries, engines, 'wallMs')}${failures.length === 0 ? '' : `\n\n${failures.join('\n')}`}`;
}

export function indexRows(documents: number, textBytes: number, engines: readonly EngineFigures[]): string {
  const headings = [
    'engine',
    'documents per CPU s',
    'peak MB',
    'index MB',
    'of the text',
    'first query ms',
    'memory MB',
  ];
  const rows = engines.map(({ engine, index, firstMs, memoryMb }) => {
    const has = index !== null && index.bytes > 0;
    return [
      engine,
      index === null ? '–' : count(Math.round(documents / index.cpuSeconds)),
      index === null || memoryMb === null ? '–' : index.peakMb.toFixed(0),
      has ? (index.bytes / 1e6).toFixed(1) : '–',
      has ? `${((100 * index.bytes) / textBytes).toFixed(0)} %` : '–',
      firstMs?.toFixed(0) ?? '–',
      memoryMb?.toFixed(0) ?? '–',
    ];
  });
  return markdownRows(headings, rows);
}

export function overallRows(engines: readonly EngineFigures[]): string {
  const ours = engines.find(({ engine }) => engine === OURS);
  const rows = engines.map(({ engine, times }) => [
    engine,
    String(times.filter((time) => time !== null).length),
    percentiles(times, 'cpuMs'),
    percentiles(times, 'wallMs'),
    ours === undefined || engine === OURS ? '–' : cpuRatio(ours.times, times),
  ]);
  return markdownRows(['engine', 'queries', 'CPU', 'wall', 'CPU ours / theirs'], rows);
}

function kindRows(
  queries: readonly BenchQuery[],
  engines: readonly EngineFigures[],
  figure: 'cpuMs' | 'wallMs',
): string {
  const rows = QUERY_KINDS.map((kind) => [
    kind,
    ...engines.map(({ times }) =>
      percentiles(
        times.filter((_, i) => queries[i]!.kind === kind),
        figure,
      ),
    ),
  ]);
  return markdownRows(['kind', ...engines.map(({ engine }) => engine)], rows);
}

function percentiles(times: readonly (QueryTime | null)[], figure: 'cpuMs' | 'wallMs'): string {
  const values = times.flatMap((time) => (time === null ? [] : [time[figure]])).sort((a, b) => a - b);
  if (values.length === 0) return '–';
  return [0.5, 0.95].map((share) => shown(values[Math.ceil(share * values.length) - 1]!)).join(' / ');
}

function cpuRatio(ours: readonly (QueryTime | null)[], theirs: readonly (QueryTime | null)[]): string {
  let [our, their] = [0, 0];
  for (const [i, time] of theirs.entries()) {
    if (time === null || ours[i] === null) continue;
    our += ours[i]!.cpuMs;
    their += time.cpuMs;
  }
  return their === 0 ? '–' : shown(our / their);
}

function shown(value: number): string {
  return value.toFixed(value < 1 ? 2 : value < 20 ? 1 : 0);
}

function count(value: number): string {
  return value.toLocaleString('en');
}
