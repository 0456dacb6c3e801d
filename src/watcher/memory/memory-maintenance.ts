/**
 * Maintains the files of a memory. In: a full overlay, a first listing, a finished sweep. Out: runs and a manifest that
 * names them. What always holds: the manifest on the disk names complete files and the changes they include; failed
 * work leaves everything as it was; merging runs in the background, at the pace it is given.
 */
import type { Clock } from '../../core/clock.ts';
import type { WatchedPage } from '../records.ts';
import { emptyManifest, type Manifest, writeManifest } from './manifest.ts';
import { DamagedMemory, unwritable } from './memory-error.ts';
import type { NoticeBook } from './notices.ts';
import { PageLayers } from './page-layers.ts';
import { type RunFile, type RunRecord, RunWriter } from './run-file.ts';
import type { SerialQueue } from './serial-queue.ts';

export interface MaintenanceOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly maxOverlay: number;
  readonly pause: () => Promise<void>;
  readonly prepare: () => Promise<void>;
  readonly notices: NoticeBook;
  readonly turns: SerialQueue;
}

/** With more runs than this, code that reads many pages waits until some runs are merged. */
const MAX_RUNS = 16;

export class MemoryMaintenance {
  kept: Omit<Manifest, 'format' | 'runs'>;
  layers: PageLayers;
  /** Damage found by a merge or by a reader. */
  damage: DamagedMemory | null = null;
  readonly #options: MaintenanceOptions;
  #merging: Promise<void> | null = null;
  #isClosing = false;
  #endRest = () => {};
  readonly #closing = new Promise<void>((resolve) => {
    this.#endRest = resolve;
  });
  #named = 0;

  constructor(options: MaintenanceOptions, manifest: Manifest, runs: readonly RunFile[]) {
    this.#options = options;
    this.kept = keptOf(manifest);
    this.layers = this.#layersOf(runs);
  }

  /**
   * Writes the overlay as a run, which then includes all changes up to `seq`. If writing fails, sends a notice and
   * returns false; the journal still has the changes.
   */
  async fold(seq: number, pages: number): Promise<boolean> {
    const kept = { ...this.kept, seq, pages };
    try {
      await this.layers.fold((runs) => this.commit(runs, kept));
      this.kept = kept;
      this.#options.notices.mended('memory-unwritable', '');
      return true;
    } catch (cause) {
      this.#notifyUnwritable(cause);
      return false;
    }
  }

  /** Runs at most one merge at a time. */
  mergeInBackground(): void {
    const runs = this.layers.mergeable;
    if (this.#merging !== null || this.#isClosing || runs.length === 0) return;
    const { pause, turns } = this.#options;
    const breatheOn = async () => {
      // A pause may be long, so closing interrupts it.
      await Promise.race([pause(), this.#closing]);
      if (this.#isClosing) throw new Closing();
    };
    this.#merging = this.layers
      .merge(
        runs,
        breatheOn,
        (work) => turns.take(work),
        (records) => this.commit(records),
      )
      .catch((cause) => {
        if (cause instanceof DamagedMemory) this.damage = cause;
        else if (!(cause instanceof Closing)) this.#notifyUnwritable(cause);
      })
      .then(() => {
        this.#merging = null;
      });
  }

  get isCrowded(): boolean {
    return this.#merging !== null && this.layers.runs.length > MAX_RUNS;
  }

  async settled(): Promise<void> {
    while (this.#merging !== null) await this.#merging;
  }

  /** `whenDone` receives the number of added pages. */
  firstListing(whenDone: (pages: number) => void): FirstListing {
    const { folder, turns, prepare } = this.#options;
    const writer = new RunWriter(folder, this.#nameRun());
    const finish = async (sweptAtMs: number, devices: readonly number[]): Promise<void> => {
      const record = await writer.finish();
      await turns.take(async () => {
        const pages = this.kept.pages + record.lines;
        const kept = { ...this.kept, pages, isComplete: true, sweptAtMs, devices };
        try {
          await prepare();
          await this.layers.addOldest(record, (runs) => this.commit(runs, kept));
        } catch (cause) {
          throw unwritable(folder, cause);
        }
        // Not earlier: a complete memory without its pages would be reported as an empty site.
        this.kept = kept;
        whenDone(record.lines);
      });
    };
    return { add: (page) => writer.add(page), finish, abandon: () => writer.abandon() };
  }

  /** What is kept besides the runs changes for readers only after it is on the disk. */
  async update(changed: Partial<MemoryMaintenance['kept']>): Promise<void> {
    const kept = { ...this.kept, ...changed };
    try {
      const records = this.layers.runs.map((run) => run.record);
      await this.commit(records, kept);
    } catch (cause) {
      throw unwritable(this.#options.folder, cause);
    }
    this.kept = kept;
  }

  /** Deletes all runs and begins a new epoch. The root numbers stay, because other code goes on using them. */
  async beginAnew(seq: number): Promise<void> {
    this.layers.removeAll();
    this.layers = this.#layersOf([]);
    const { roots } = this.kept;
    this.kept = { ...keptOf(emptyManifest(seq)), ...(roots === undefined ? {} : { roots }) };
    this.damage = null;
    await this.commit([]);
  }

  /** Damage that is found by a reader is remembered, and each later read throws it. */
  reading<Result>(read: () => Result): Result {
    if (this.damage !== null) throw this.damage;
    try {
      return read();
    } catch (error) {
      if (error instanceof DamagedMemory) this.damage = error;
      throw error;
    }
  }

  async commit(runs: readonly RunRecord[], kept = this.kept): Promise<void> {
    await writeManifest(this.#options.folder, { ...kept, runs });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#endRest();
    await this.settled();
    this.layers.close();
  }

  #notifyUnwritable(cause: unknown): void {
    this.#options.notices.notify('memory-unwritable', '', unwritable(this.#options.folder, cause).message);
  }

  #layersOf(runs: readonly RunFile[]): PageLayers {
    return new PageLayers(this.#options.folder, runs, this.#options.maxOverlay, () => this.#nameRun());
  }

  /** Returns a name that no file has or had a moment ago. */
  #nameRun(): string {
    return `pages-${this.#options.clock.now().toString(36)}-${process.pid.toString(36)}-${this.#named++}.jsonl`;
  }
}

class Closing extends Error {}

function keptOf({ runs: _, format: __, ...kept }: Manifest): MemoryMaintenance['kept'] {
  return kept;
}

/**
 * The pages that the first sweep finds. They are written in order, as they come, and become part of the
 * memory only when the listing is finished.
 */
export interface FirstListing {
  add(page: WatchedPage): void;
  finish(sweptAtMs: number, devices: readonly number[]): Promise<void>;
  abandon(): void;
}
