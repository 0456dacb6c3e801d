/**
 * The engines of the search benchmark: how each is installed and started. Peers are installed in the work folder. An
 * engine that cannot be had gives a reason, and the results show it.
 */
import { join } from 'node:path';
import type { Command } from '../../testbed/measure/run-command.ts';
import { findPostgres } from '../../testbed/servers/postgres-program.ts';
import type { Preparation } from '../peers/crawler.ts';
import { askVersion, install } from '../peers/install.ts';

export interface Contender {
  readonly name: string;
  /** The index is built by the process that answers. */
  readonly isInMemory: boolean;
  /** The program only sends queries to a server, so its memory says nothing. */
  readonly isServer?: boolean;
  /** An engine before it in the list, whose index it opens. */
  readonly sharesIndexOf?: string;
  /** In larger collections it would need more memory, or more hours, than there are. */
  readonly mostDocuments: number;
  readonly note: string;
  prepare(workFolder: string, report: (text: string) => void): Promise<Preparation>;
  command(task: 'index' | 'serve', documentsPath: string, folder: string, workFolder: string): Command;
}

const ENGINES = join(import.meta.dirname, 'engines');
const NPM = join('search', 'npm');
const LUCENE = join('search', 'lucene');
const ORAMA_VERSION = '3.1.18';
const MINISEARCH_VERSION = '7.2.0';
const LUCENE_VERSION = '9.12.1';
/** For an index in memory. Node ends a program at less than this otherwise. */
const HEAP = '--max-old-space-size=8000';

export const OURS = 'Orbweaver';
export const CONTENDERS: readonly Contender[] = [
  {
    name: OURS,
    isInMemory: false,
    mostDocuments: Number.POSITIVE_INFINITY,
    note: 'all word forms, positions',
    prepare: async () => ({ ready: true, version: `this revision on Node ${process.version}` }),
    command: (task, documents, folder) => nodeCommand('orbweaver.ts', [task, documents, folder]),
  },
  lucene('Lucene', 'English stems, positions; leaves out pages that cannot be among the best', []),
  {
    ...lucene('Lucene counting all', 'the same index; scores and counts all matches', ['all']),
    sharesIndexOf: 'Lucene',
  },
  {
    name: 'SQLite FTS5',
    isInMemory: false,
    mostDocuments: Number.POSITIVE_INFINITY,
    note: 'English stems, positions, keeps no documents',
    prepare: async () => ({ ready: true, version: `${process.versions.sqlite} in Node ${process.version}` }),
    command: (task, documents, folder) => nodeCommand('sqlite.ts', [task, documents, folder]),
  },
  {
    name: 'PostgreSQL',
    isInMemory: true,
    isServer: true,
    mostDocuments: 20_000,
    note: 'English stems, positions; its index and its vectors',
    async prepare() {
      const program = await findPostgres();
      if (program === undefined) return { ready: false, reason: 'PostgreSQL is not installed' };
      return { ready: true, version: program.version };
    },
    command: (task, documents, folder) => nodeCommand('postgres.ts', [task, documents, folder]),
  },
  npmContender('MiniSearch', 'minisearch.ts', MINISEARCH_VERSION),
  npmContender('Orama', 'orama.ts', ORAMA_VERSION),
];

function lucene(name: string, note: string, more: readonly string[]): Contender {
  return {
    name,
    isInMemory: false,
    mostDocuments: Number.POSITIVE_INFINITY,
    note,
    async prepare(workFolder, report) {
      const java = await askVersion('java', '-version');
      if (java === undefined) return { ready: false, reason: 'Java is not installed' };
      const sources = ['pom.xml', 'SearchBench.java'].map((name) => [join(ENGINES, 'lucene', name), name] as const);
      const jars = ['mvn', '-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib'] as const;
      const compile = ['javac', '-cp', 'lib/*', '-d', 'classes', 'SearchBench.java'] as const;
      const failure = await install({ folder: join(workFolder, LUCENE), sources, steps: [jars, compile] }, report);
      return failure === undefined
        ? { ready: true, version: `${LUCENE_VERSION}, ${java}` }
        : { ready: false, reason: failure };
    },
    command(task, documents, folder, workFolder) {
      const args = [
        '-Xmx1g',
        '-XX:+UseSerialGC',
        '-cp',
        'lib/*:classes',
        'SearchBench',
        task,
        documents,
        folder,
        ...more,
      ];
      return { program: 'java', args, cwd: join(workFolder, LUCENE) };
    },
  };
}

/** Both are installed together. */
function npmContender(name: string, file: string, version: string): Contender {
  return {
    name,
    isInMemory: true,
    mostDocuments: 20_000,
    note: 'no stems, no positions, in memory',
    async prepare(workFolder, report) {
      const packages = [`@orama/orama@${ORAMA_VERSION}`, `minisearch@${MINISEARCH_VERSION}`];
      const step = ['npm', 'install', '--no-audit', '--no-fund', '--save-exact', '--prefix', '.', ...packages] as const;
      const sources = [[join(ENGINES, 'npm', 'package.json'), 'package.json']] as const;
      const failure = await install({ folder: join(workFolder, NPM), sources, steps: [step] }, report);
      return failure === undefined ? { ready: true, version } : { ready: false, reason: failure };
    },
    command: (task, documents, folder, workFolder) =>
      nodeCommand(file, [task, documents, folder, join(workFolder, NPM)], [HEAP]),
  };
}

function nodeCommand(file: string, args: readonly string[], flags: readonly string[] = []): Command {
  return { program: process.execPath, args: [...flags, join(ENGINES, file), ...args], cwd: ENGINES };
}
