/**
 * Reports that were put together, kept for others who ask the same: fifty crawlers with one question cost one report.
 * Questions come in, packed reports go out. Always holds: one report at a time is put together (build-queue.ts), and
 * those on the shelf and
 * those that are being sent have at most so many bytes in all; who would make it more is told to come back.
 */
import { BuildQueue, type Queued } from './build-queue.ts';
import type { Cursor } from './cursor.ts';
import { draftReport, type ReportQuestion } from './draft-report.ts';
import { type PackedReport, packReport } from './packed-report.ts';
import type { ReportSource } from './report-source.ts';

export interface ShelfLimits {
  readonly maxReports: number;
  /** On the shelf. */
  readonly maxBytes: number;
  /** On the shelf and under way to slow readers. */
  readonly maxBytesInUse: number;
  /** Questions that wait for their turn. */
  readonly maxWaiting: number;
  /**
   * Called when too many bytes are under way; whether a slow reader was cut off, whose bytes come back a moment later.
   */
  readonly cutSlowReader: () => boolean;
  /** Told the time that putting a report together took. */
  readonly spent: (ms: number) => void;
}

export const SHELF_LIMITS: ShelfLimits = {
  maxReports: 16,
  maxBytes: 2_000_000,
  maxBytesInUse: 8_000_000,
  maxWaiting: 64,
  cutSlowReader: () => false,
  spent: () => undefined,
};

/** Slow readers that are cut off for one question. */
const MOST_CUT = 8;

/** A report lent to one answer; `giveBack` when that is sent, or never will be. */
export interface LentReport {
  readonly report: PackedReport;
  giveBack(): void;
}

interface Kept {
  readonly report: PackedReport;
  readers: number;
  isOnShelf: boolean;
  /** Among the bytes in use. */
  isCounted: boolean;
}

export class ReportShelf {
  readonly #limits: ShelfLimits;
  /** In the order of last use. */
  readonly #shelf = new Map<string, Kept>();
  readonly #underWay = new Map<string, Queued<Kept>>();
  readonly #queue: BuildQueue;
  #bytesOnShelf = 0;
  #bytesInUse = 0;
  #built = 0;

  constructor(limits: Partial<ShelfLimits> = {}) {
    this.#limits = { ...SHELF_LIMITS, ...limits };
    this.#queue = new BuildQueue(this.#limits.maxWaiting, this.#limits.spent);
  }

  /** How many reports were put together. */
  get built(): number {
    return this.#built;
  }

  get bytesInUse(): number {
    return this.#bytesInUse;
  }

  /** Null: too much is under way. `client`: for whom; whoever has asked for much waits for those who have not. */
  async lend(source: ReportSource, question: ReportQuestion, client = ''): Promise<LentReport | null> {
    const name = reportName(source, question);
    for (let cut = 0; cut < MOST_CUT && !this.#shelf.has(name) && this.#isFull; cut++) {
      if (!this.#limits.cutSlowReader()) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    const kept = this.#shelf.get(name) ?? (await this.#putTogether(name, source, question, client));
    if (kept === null) return null;
    kept.readers++;
    this.#count(kept);
    if (kept.isOnShelf) {
      this.#shelf.delete(name);
      this.#shelf.set(name, kept);
    }
    let isBack = false;
    return {
      report: kept.report,
      giveBack: () => {
        if (isBack) return;
        isBack = true;
        kept.readers--;
        this.#forget(kept);
      },
    };
  }

  get #isFull(): boolean {
    return this.#bytesInUse >= this.#limits.maxBytesInUse;
  }

  #putTogether(
    name: string,
    source: ReportSource,
    question: ReportQuestion,
    client: string,
  ): Promise<Kept | null> | null {
    const known = this.#underWay.get(name);
    if (known !== undefined) {
      known.join(client);
      return known.result;
    }
    if (this.#isFull) return null;
    const queued = this.#queue.add(client, async () => {
      const report = await packReport(await draftReport(source, question));
      this.#built++;
      return this.#keep(name, report);
    });
    if (queued === null) return null;
    const result = queued.result.finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, { result, join: queued.join });
    return result;
  }

  #keep(name: string, report: PackedReport): Kept {
    const kept: Kept = { report, readers: 0, isOnShelf: true, isCounted: false };
    this.#shelf.set(name, kept);
    this.#bytesOnShelf += report.gzipped.length;
    this.#count(kept);
    for (const [oldName, old] of this.#shelf) {
      const isTooMuch = this.#shelf.size > this.#limits.maxReports || this.#bytesOnShelf > this.#limits.maxBytes;
      if (!isTooMuch || old === kept) break;
      this.#shelf.delete(oldName);
      this.#bytesOnShelf -= old.report.gzipped.length;
      old.isOnShelf = false;
      this.#forget(old);
    }
    return kept;
  }

  #count(kept: Kept): void {
    if (!kept.isCounted) this.#bytesInUse += kept.report.gzipped.length;
    kept.isCounted = true;
  }

  #forget(kept: Kept): void {
    if (kept.isOnShelf || kept.readers > 0 || !kept.isCounted) return;
    this.#bytesInUse -= kept.report.gzipped.length;
    kept.isCounted = false;
  }
}

/** All that a report follows from. */
export function reportName({ site, memory, rankKey }: ReportSource, { since, limit }: ReportQuestion): string {
  const where = [site, memory.epoch, memory.lastSeq, memory.oldestSeq, rankKey?.() ?? ''];
  return [...where, since === null ? '' : cursorName(since), limit].join('\n');
}

function cursorName(since: Cursor): string {
  const rest = since.kind === 'change' ? since.unsureUpTo : since.afterKey;
  return `${since.kind} ${since.epoch} ${since.seq} ${rest}`;
}
