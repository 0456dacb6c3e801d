/**
 * Compares the archive and the database of a crawl. In: an open store and the archive folders of this machine. Out:
 * findings, and the results of the repair.
 *
 * What always holds: without `repair`, only the two files of verify-state.ts are written. With `repair`, no byte of the
 * archive is changed or removed either: damaged captures are marked, and their pages wait to be fetched again. A
 * finding is reported only if the store still names the damaged place, so a crawl, a refresh or a retention at the same
 * time causes no false findings. Memory holds a window of one file and the places of the captures in some files.
 */
import { existsSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isArchiveFileName } from '../archive/archive-file.ts';
import type { Clock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import { isHeard, publish } from '../core/events.ts';
import type { ArchivePlace, FileCaptures, Store } from '../store/contract.ts';
import { checkFile, type FileCheckStore, wholeFile } from './check-file.ts';
import { FileBytes, type Pace, paceOf } from './file-bytes.ts';
import { FindingLog, type FindingLogSetup } from './finding-log.ts';
import { type Finding, type Found, NO_PLACE } from './findings.ts';
import { revisitsAlone } from './lost-payloads.ts';
import { newState, readState, type VerifyCounts, type VerifyState } from './verify-state.ts';

export type VerifyStore = FileCheckStore &
  FindingLogSetup['store'] &
  Pick<Store, 'archivePlaces' | 'tableProblems' | 'urls'>;

export interface VerifyRequest {
  /** The store must be open for writing if `repair` is set. */
  readonly store: VerifyStore;
  /** The folder for the state of the run. */
  readonly dir: string;
  readonly archives: readonly string[];
  readonly clock: Clock;
  /** Null: no limit. */
  readonly bytesPerSecond: number | null;
  readonly repair: boolean;
  /** Starts from the beginning even if an earlier run was stopped. */
  readonly restart: boolean;
  /** Called after each record. If it returns true, the run is saved and ends. */
  readonly isStopped: () => boolean;
}

export interface VerifyOutcome extends VerifyCounts {
  readonly ending: 'done' | 'interrupted';
  /** The start time of the run that this run continued. Null for a new run. */
  readonly resumedFrom: string | null;
  /** False if the folder is not writable. The run can then not be continued later. */
  readonly isSaved: boolean;
  readonly seconds: number;
  /** Peak memory of the whole process. */
  readonly peakRssMb: number;
  /** The first findings. All findings are in verify.jsonl in the data folder. */
  readonly first: readonly Finding[];
  readonly findingBytes: number;
}

const PROGRESS_MS = 250;
/** Captures are listed for several files at once, because each list takes a pass over all captures of the store. */
const GROUP_BYTES = 512 * 1024 * 1024;
const URLS_AT_ONCE = 1_000;
const MAX_TABLE_PROBLEMS = 100;
export async function verifyArchive(request: VerifyRequest): Promise<VerifyOutcome> {
  return new Verification(request).run();
}

class Verification {
  readonly #request: VerifyRequest;
  readonly #state: VerifyState;
  readonly #resumedFrom: string | null;
  readonly #pace: Pace;
  readonly #log: FindingLog;
  #publishedAtMs = 0;
  #totalBytes = 0;

  constructor(request: VerifyRequest) {
    const { clock, dir, restart, repair, bytesPerSecond } = request;
    this.#request = request;
    const earlier = restart ? null : readState(dir);
    // A run without repair cannot be continued by a run with repair, because it marked nothing.
    const goesOn = earlier !== null && earlier.phase !== 'done' && earlier.repair === repair;
    this.#resumedFrom = goesOn ? earlier.startedAt : null;
    this.#state = goesOn ? earlier : newState(clock.now(), repair);
    this.#pace = paceOf(bytesPerSecond, clock);
    this.#log = new FindingLog(request, this.#state, this.#folderOf);
  }

  async run(): Promise<VerifyOutcome> {
    const { clock } = this.#request;
    const startMs = clock.now();
    const state = this.#state;
    await this.#log.open();
    await this.#log.save();
    try {
      if (state.phase === 'database') await this.#database();
      if (state.phase === 'files' && (await this.#files())) state.phase = 'pages';
      if (state.phase === 'pages' && (await this.#pages())) state.phase = 'done';
    } catch (error) {
      // A database that cannot be read is a finding of this check.
      if (!(error instanceof OrbweaverError) || error.code !== 'ERR_STORE') throw error;
      await this.#log.add(databaseFinding(error.message, null));
      this.#log.dropMarks();
      state.phase = 'done';
    }
    await this.#log.save();
    await this.#log.noteKnown();
    return {
      ...state.counts,
      ending: state.phase === 'done' ? 'done' : 'interrupted',
      resumedFrom: this.#resumedFrom,
      isSaved: this.#log.isSaved,
      seconds: (clock.now() - startMs) / 1_000,
      peakRssMb: Math.round(process.resourceUsage().maxRSS / 1024),
      first: this.#log.first,
      findingBytes: state.findingBytes,
    };
  }

  async #database(): Promise<void> {
    for (const { problem, url } of await this.#request.store.tableProblems(MAX_TABLE_PROBLEMS)) {
      await this.#log.add(databaseFinding(problem, url));
    }
    this.#state.phase = 'files';
  }

  /** Compares archive files and captures in both directions. Returns true when everything is checked. */
  async #files(): Promise<boolean> {
    const { store } = this.#request;
    // File names begin with the time, so new files come last.
    for (;;) {
      const committed = await store.archiveFiles();
      this.#totalBytes = [...committed.values()].reduce((sum, bytes) => sum + bytes, 0);
      const { file, offset } = this.#state;
      const left = [...committed.keys()].sort().filter((name) => name > file || (name === file && offset > 0));
      if (left.length === 0) break;
      if (!(await this.#group(groupOf(left, committed)))) return false;
    }
    this.#countUnknownFiles(await store.archiveFiles());
    return true;
  }

  async #group(names: readonly string[]): Promise<boolean> {
    const { store } = this.#request;
    const lists = new Map((await store.capturesIn(names)).map((list) => [list.file, list]));
    const places = await store.archivePlaces(names);
    for (const name of names) {
      const list = lists.get(name);
      // A file without a list was given up by a retention. Its captures are now in a file with a later name.
      if (list !== undefined && !(await this.#file(list, places.get(name)))) return false;
      this.#state.file = name;
      this.#state.offset = 0;
      if (await this.#saveNowAndThen()) return false;
    }
    return true;
  }

  async #file(captures: FileCaptures, place: ArchivePlace | undefined): Promise<boolean> {
    const { store } = this.#request;
    const { file } = captures;
    const { counts } = this.#state;
    const folder = this.#folderOf(file);
    const bytes = folder === null ? null : await FileBytes.open(join(folder, file), file, captures.bytes, this.#pace);
    if (bytes === null) {
      if (place !== undefined && this.#isElsewhere(place)) counts.elsewhereFiles++;
      else if ((await store.archiveFiles()).has(file) && captures.bytes > 0) await this.#missing(captures);
      return true;
    }
    try {
      const from = this.#state.file === file ? this.#state.offset : 0;
      const isWhole = await checkFile({
        store,
        bytes,
        captures,
        from,
        counts,
        found: (found) => this.#log.add(found),
        restored: (facts) => this.#log.addRestored(facts),
        checkedTo: (offset) => {
          this.#state.file = file;
          this.#state.offset = offset;
          return this.#saveNowAndThen();
        },
      });
      if (!isWhole) return false;
      counts.files++;
      counts.unknownBytes += Math.max(0, bytes.sizeBytes - captures.bytes);
      return true;
    } finally {
      await bytes.close();
    }
  }

  async #missing(captures: FileCaptures): Promise<void> {
    const problem = 'the file is not in the archive folder';
    const place = { kind: 'missing-file', offset: null, problem } as const;
    await this.#log.add(await wholeFile(this.#request.store, captures, place));
  }

  /**
   * Finds pages without a response, and lost revisits of payloads that only the archive knows. Returns
   * true when everything is checked.
   */
  async #pages(): Promise<boolean> {
    const { store } = this.#request;
    const state = this.#state;
    for (;;) {
      const records = await store.urls(state.urlId, URLS_AT_ONCE);
      for (const { id, url, state: urlState, capture } of records) {
        if ((urlState !== 'fetched' && urlState !== 'duplicate') || capture !== null) continue;
        const problem = 'the database has the page, but no response';
        const finding = { kind: 'page-without-capture', problem, ...NO_PLACE, url, captures: 1 } as const;
        await this.#log.add({ finding, damaged: [{ id, timeMs: 0 }], payloads: [], marked: 0 });
      }
      state.counts.urls += records.length;
      if (records.length === 0) break;
      state.urlId = records.at(-1)!.id;
      if (await this.#saveNowAndThen()) return false;
    }
    for await (const found of revisitsAlone(store, this.#folderOf)) await this.#log.add(found);
    return true;
  }

  /** Returns true if the run must end. */
  async #saveNowAndThen(): Promise<boolean> {
    const isOver = this.#request.isStopped();
    if (isOver || this.#log.isSaveDue) await this.#log.save();
    if (isHeard('verify/progress')) this.#publishProgress();
    return isOver;
  }

  #publishProgress(): void {
    const nowMs = this.#request.clock.now();
    if (nowMs - this.#publishedAtMs < PROGRESS_MS) return;
    this.#publishedAtMs = nowMs;
    const { phase, counts } = this.#state;
    const findings = Object.values(counts.findings).reduce((sum, count) => sum + count, 0);
    const { bytes, captures } = counts;
    publish('verify/progress', { phase, bytes, totalBytes: this.#totalBytes, captures, findings });
  }

  #countUnknownFiles(committed: ReadonlyMap<string, number>): void {
    for (const folder of this.#request.archives) {
      if (!existsSync(folder)) continue;
      const unknown = readdirSync(folder).filter((name) => isArchiveFileName(name) && !committed.has(name));
      this.#state.counts.unknownFiles += unknown.length;
    }
  }

  readonly #folderOf = (file: string): string | null => {
    // Other programs may write to the database, so a file name could lead out of the folder.
    if (!isArchiveFileName(file)) return null;
    return this.#request.archives.find((folder) => existsSync(join(folder, file))) ?? null;
  };

  #isElsewhere({ machine, folder }: ArchivePlace): boolean {
    return machine !== hostname() || !this.#request.archives.includes(folder);
  }
}

/** Takes the first file and the files after it, up to a total size. */
function groupOf(names: readonly string[], committed: ReadonlyMap<string, number>): string[] {
  let bytes = 0;
  const end = names.findIndex((name, i) => {
    bytes += committed.get(name) ?? 0;
    return i > 0 && bytes > GROUP_BYTES;
  });
  return names.slice(0, end < 0 ? names.length : end);
}

function databaseFinding(problem: string, url: string | null): Found {
  return { finding: { kind: 'database', problem, ...NO_PLACE, url }, damaged: [], payloads: [], marked: 0 };
}
