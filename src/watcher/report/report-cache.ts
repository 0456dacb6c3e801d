/**
 * A cache of reports: fifty crawlers with the same question cost one report. In: questions. Out: packed reports. What
 * always holds: one report is built at a time (build-queue.ts); cached reports and reports being sent stay within a
 * byte limit; a client that would exceed it is asked to come back later.
 */

import { once } from 'node:events';
import { createGzip } from 'node:zlib';
import { BuildQueue, type Queued } from './build-queue.ts';
import type { Cursor } from './cursor.ts';
import { draftReport, type ReportDraft, type ReportQuestion } from './draft-report.ts';
import { endLine } from './report-lines.ts';
import type { ReportSource } from './report-source.ts';

export interface ShelfLimits {
  readonly maxReports: number;
  /** Bytes of cached reports. */
  readonly maxBytes: number;
  /** Bytes of cached reports and of reports being sent to slow readers. */
  readonly maxBytesInUse: number;
  /** Number of questions that wait for their turn. */
  readonly maxWaiting: number;
  /**
   * Called when too many bytes are in use. Returns whether a slow reader was disconnected;
   * its bytes become free a moment later.
   */
  readonly cutSlowReader: () => boolean;
  /** Receives the time that building a report took. */
  readonly spent: (ms: number) => void;
}

const SHELF_LIMITS: ShelfLimits = {
  maxReports: 16,
  maxBytes: 2_000_000,
  maxBytesInUse: 8_000_000,
  maxWaiting: 64,
  cutSlowReader: () => false,
  spent: () => undefined,
};

/** Number of slow readers that one question may disconnect. */
const MOST_CUT = 8;

/** A report lent to one response. Call `giveBack` when the response is sent or will never be sent. */
export interface LentReport {
  readonly report: PackedReport;
  giveBack(): void;
}

interface Kept {
  readonly report: PackedReport;
  readers: number;
  isOnShelf: boolean;
  /** Whether the report is included in `#bytesInUse`. */
  isCounted: boolean;
}

export class ReportCache {
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

  /** Number of reports that were built. */
  get built(): number {
    return this.#built;
  }

  get bytesInUse(): number {
    return this.#bytesInUse;
  }

  /** Null if too many bytes are in use. `client` is the asker; clients that asked for much wait for the others. */
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

/** All inputs that determine a report. */
export function reportName({ site, memory, rankKey }: ReportSource, { since, limit }: ReportQuestion): string {
  const where = [site, memory.epoch, memory.lastSeq, memory.oldestSeq, rankKey?.() ?? ''];
  return [...where, since === null ? '' : cursorName(since), limit].join('\n');
}

function cursorName(since: Cursor): string {
  const rest = since.kind === 'change' ? since.unsureUpTo : since.afterKey;
  return `${since.kind} ${since.epoch} ${since.seq} ${rest}`;
}

/** A report as it is cached: the gzipped lines without the head, which is made for each response. */
interface PackedReport extends Omit<ReportDraft, 'lines'> {
  /** The entries and the end line. */
  readonly gzipped: Buffer;
}

const BATCH_CHARACTERS = 32_768;

async function packReport({ lines, ...draft }: ReportDraft): Promise<PackedReport> {
  const gzip = createGzip();
  const parts: Buffer[] = [];
  gzip.on('data', (part: Buffer) => parts.push(part));
  const done = once(gzip, 'end');
  let batch = '';
  for (const { line } of lines) {
    batch += line;
    if (batch.length < BATCH_CHARACTERS) continue;
    if (!gzip.write(batch)) await once(gzip, 'drain');
    batch = '';
  }
  gzip.end(batch + endLine(lines.length));
  await done;
  return { ...draft, gzipped: Buffer.concat(parts) };
}
