/**
 * Recovery from start to end. It rebuilds the state of a crawl from its archive, or adds the missing parts to
 * the database. It also imports WARC files of other tools. In: a data folder and files. Out: the copy as the
 * crawl left it, and a summary.
 *
 * What always holds: existing archive files are only read, and no database is deleted. A recovery that was stopped or
 * killed continues where it stopped when it is run again, and adds nothing twice.
 */
import { archiveFilesIn } from '../archive/folder-state.ts';
import { systemClock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import { publish, type RecoverStep } from '../core/events.ts';
import type { OptionSource } from '../core/options/option-table.ts';
import type { CrawlOptions } from '../core/options/options.ts';
import { applyRules } from '../crawl/apply-rules.ts';
import { normalizeSeeds } from '../crawl/crawl-plan.ts';
import { DEMO_NOTE, GUESSED_SEEDS_NOTE, noteDemo, seedsNoted } from '../crawl/earlier-runs.ts';
import { crawlInfo, type FileIdentity, giveCrawlId } from '../crawl/mending/crawl-identity.ts';
import { placeAt } from '../crawl/place/crawl-place.ts';
import { hasDatabase, RECOVERING_NOTE } from '../crawl/place/open-store.ts';
import { type Brake, type Stoppable, stoppable } from '../crawl/stoppable.ts';
import { identitiesIn, rulesFor, seedsFor } from './crawl-rules.ts';
import type { ImportCounts } from './import/import-counts.ts';
import { type OpenedForRecovery, openForRecovery } from './open-for-recovery.ts';
import { type IndexedFile, RecordIndex } from './record-index.ts';
import { replayArchive } from './replay-archive.ts';

export interface RecoverRequest {
  readonly dir: string;
  /** WARC files of other tools, and folders with such files. */
  readonly files: readonly string[];
  /** The seeds as the user wrote them. */
  readonly seeds: readonly string[];
  /** The options that the user gave. */
  readonly sources: readonly OptionSource[];
  /** Rebuilds the state even if the database seems to be intact. */
  readonly rebuild: boolean;
}

export interface RecoverSummary {
  readonly ending: 'done' | 'interrupted';
  /** True if the state was rebuilt from the archive alone, false if it was extended. */
  readonly rebuilt: boolean;
  /** The new path of the earlier database. */
  readonly movedTo: string | null;
  readonly archiveFiles: number;
  /** Responses that are new in the store, and how many of them are older than the responses that it had. */
  readonly added: number;
  readonly older: number;
  /** Responses that the store had before. */
  readonly known: number;
  /** Damaged ranges of archive files, unreadable records, and responses whose payload is in no file. */
  readonly damaged: number;
  readonly unreadable: number;
  readonly withoutPayload: number;
  readonly imported: ImportCounts | null;
  readonly seeds: readonly string[];
  /** True if the seeds are not known and the first fetched page is used as the seed. */
  readonly seedsGuessed: boolean;
  readonly pages: number;
  readonly duplicates: number;
  readonly waiting: number;
  readonly urls: number;
  readonly seconds: number;
  readonly peakRssMb: number;
}

export type RunningRecovery = Stoppable<RecoverSummary>;

export function startRecovery(request: RecoverRequest): RunningRecovery {
  return stoppable((onStart) => run(request, onStart));
}

const PROGRESS_MS = 250;

/** The state that the steps of a recovery share. */
interface Recovery {
  readonly request: RecoverRequest;
  readonly opened: OpenedForRecovery;
  readonly archiveDir: string;
  readonly index: RecordIndex;
  readonly isStopped: () => boolean;
  readonly onProgress: (step: RecoverStep, records: number, ofRecords?: number | null) => void;
}

async function run(request: RecoverRequest, onStart: (brake: Brake) => void): Promise<RecoverSummary> {
  const startMs = performance.now();
  const { dir } = request;
  const archiveDir = placeAt(dir).archives[0]!;
  let isStopped = false;
  const stop = () => {
    isStopped = true;
  };
  onStart({ drain: stop, abort: stop });
  let [publishedMs, publishedStep] = [0, ''];
  const onProgress = (step: RecoverStep, records: number, ofRecords: number | null = null): void => {
    const elapsedMs = performance.now() - startMs;
    if (step === publishedStep && elapsedMs - publishedMs < PROGRESS_MS) return;
    [publishedMs, publishedStep] = [elapsedMs, step];
    publish('recover/progress', { elapsedMs, step, records, ofRecords });
  };
  // This check comes before any change to the folder, so a refused request leaves nothing behind.
  const files = request.files.length === 0 ? [] : await filesToImport(request.files, archiveDir);
  if (files.length === 0 && archiveFilesIn(archiveDir).length === 0 && !hasDatabase(dir)) throw nothingIn(dir);
  const crawlIds = new Set([...identitiesIn(archiveDir).values()].flatMap(({ crawlId }) => crawlId ?? []));
  const opened = await openForRecovery({ dir, archiveDir, crawlIds, isForced: request.rebuild });
  let index: RecordIndex | null = null;
  try {
    if (opened.isRebuilt) await begin(opened, crawlIds);
    index = new RecordIndex(dir);
    const recovery = {
      request: { ...request, files },
      opened,
      archiveDir,
      index,
      isStopped: () => isStopped,
      onProgress,
    };
    const summary = await recover(recovery);
    if (summary.ending === 'done') index.discard();
    index = summary.ending === 'done' ? null : index;
    return { ...summary, seconds: Number(((performance.now() - startMs) / 1_000).toFixed(3)), peakRssMb: peakRssMb() };
  } finally {
    index?.close();
    await opened.store.close();
  }
}

async function filesToImport(words: readonly string[], archiveDir: string): Promise<string[]> {
  return (await import('./import/import-files.ts')).warcFiles(words, archiveDir);
}

/** Marks the state as incomplete, so that no other command uses it before the recovery ends. */
async function begin({ store, notes }: OpenedForRecovery, crawlIds: ReadonlySet<string>): Promise<void> {
  if ((await store.note(RECOVERING_NOTE)) === null) await store.setNote(RECOVERING_NOTE, '{}');
  const [id] = crawlIds;
  await giveCrawlId(store, notes.get('crawl-id') ?? id);
  if (notes.has(DEMO_NOTE)) await noteDemo(store);
}

async function recover(recovery: Recovery): Promise<Omit<RecoverSummary, 'seconds' | 'peakRssMb'>> {
  const { request, opened, archiveDir, isStopped } = recovery;
  const { store, notes, isRebuilt, movedTo } = opened;
  const identities = identitiesIn(archiveDir);
  const settled = await rulesFor(request.sources, store, notes, identities.values());
  const { options } = settled;
  // Archive files that are imported now carry the rules.
  await applyRules(store, settled, { nowMs: systemClock.now() });
  const files = await listFiles(recovery);
  const imported = files === null ? null : await importFiles(recovery, options);
  const all = imported === null && request.files.length > 0 ? null : await listFiles(recovery);
  const nothing = { added: 0, older: 0, known: 0, unreadable: 0, withoutPayload: 0 };
  const start = all === null ? null : await chooseSeeds(recovery, options, identities.values());
  let counts = nothing;
  if (all !== null && start !== null) {
    counts = await replayArchive({
      dir: request.dir,
      store,
      isRebuilt,
      index: recovery.index,
      settled: { ...settled, changes: [] },
      seeds: [...start.seeds, ...normalizeSeeds(request.seeds, options)],
      runOf: (file) => identities.get(file)?.run ?? null,
      isStopped,
      onProgress: (records, ofRecords) => recovery.onProgress('add', records, ofRecords),
    });
    if (!isStopped()) await finish(recovery, all);
  }
  const { states } = await store.counts();
  return {
    ending: isStopped() ? 'interrupted' : 'done',
    rebuilt: isRebuilt,
    movedTo,
    archiveFiles: all?.length ?? 0,
    ...counts,
    damaged: (all ?? []).reduce((sum, { damages }) => sum + damages, 0),
    imported,
    seeds: start?.seeds ?? [],
    seedsGuessed: start?.areGuessed ?? false,
    pages: states.fetched,
    duplicates: states.duplicate,
    waiting: states.waiting,
    urls: Object.values(states).reduce((sum, count) => sum + count, 0),
  };
}

/**
 * Lists the parts of the archive that the database lacks: whole files, and the bytes after the committed length of
 * files. Returns null if the recovery was stopped.
 */
async function listFiles(recovery: Recovery): Promise<IndexedFile[] | null> {
  const { opened, archiveDir, index, isStopped, onProgress } = recovery;
  const committed = await opened.store.archiveFiles();
  const listed: IndexedFile[] = [];
  let records = 0;
  for (const file of archiveFilesIn(archiveDir)) {
    if (isStopped()) return null;
    const found = index.add(archiveDir, file, committed.get(file) ?? 0, (inFile) => {
      onProgress('list', records + inFile);
      return isStopped();
    });
    if (found === null) return null;
    records += found.records;
    listed.push(found);
    // Lets signals such as Ctrl-C be handled.
    await new Promise(setImmediate);
  }
  return listed;
}

async function importFiles(recovery: Recovery, options: CrawlOptions): Promise<ImportCounts | null> {
  const { request, opened, archiveDir, index, isStopped, onProgress } = recovery;
  if (request.files.length === 0) return null;
  const { importWarcFiles } = await import('./import/import-files.ts');
  const seeds = [...(await seedsNoted(opened.store)), ...request.seeds];
  return importWarcFiles(request.files, {
    archiveDir,
    index,
    store: opened.store,
    options,
    about: await crawlInfo(opened.store, options, seeds, 'import'),
    clock: systemClock,
    isStopped,
    onProgress: (records) => onProgress('import', records),
  });
}

async function chooseSeeds(
  { request, opened, index }: Recovery,
  options: CrawlOptions,
  identities: Iterable<FileIdentity>,
): Promise<{ readonly seeds: readonly string[]; readonly areGuessed: boolean }> {
  const noted = await seedsNoted(opened.store);
  // Noted seeds stay, including a guess of an interrupted recovery.
  if (noted.length > 0) return { seeds: noted, areGuessed: false };
  const chosen = seedsFor(request.seeds, options, opened.notes, identities, index);
  if (chosen.areGuessed) await opened.store.setNote(GUESSED_SEEDS_NOTE, JSON.stringify(chosen.seeds));
  if (chosen.seeds.length > 0) return chosen;
  // No recovery is running now, so a crawl may use the folder.
  await opened.store.setNote(RECOVERING_NOTE, '');
  throw nothingIn(request.dir);
}

function nothingIn(dir: string): OrbweaverError {
  return new OrbweaverError(
    'ERR_NO_CRAWL',
    `there is nothing to recover in ${dir}: its archive folder holds no pages, and no WARC file with pages was given`,
  );
}

/** Called when all records of the files are in the store. The state is now complete. */
async function finish({ opened }: Recovery, files: readonly IndexedFile[]): Promise<void> {
  const { store, isRebuilt } = opened;
  const committed = await store.archiveFiles();
  const whole = files.filter(({ records, file }) => records > 0 || (committed.get(file) ?? 0) > 0);
  await store.setArchiveFiles(new Map(whole.map(({ file, endBytes }) => [file, endBytes])));
  if (isRebuilt) await store.setNote(RECOVERING_NOTE, '');
  await store.sync();
}

function peakRssMb(): number {
  return Math.round(process.resourceUsage().maxRSS / 1024);
}
