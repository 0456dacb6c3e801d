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

const CACHE_LIMITS = {
  maxReports: 16,
  /** Bytes of cached reports. */
  maxBytes: 2_000_000,
  /** Bytes of cached reports and of reports being sent to slow readers. */
  maxBytesInUse: 8_000_000,
  /** Number of questions that wait for their turn. */
  maxWaiting: 64,
  /**
   * Called when too many bytes are in use. Returns whether a slow reader was disconnected;
   * its bytes become free a moment later.
   */
  disconnectSlowReader: (): boolean => false,
  /** Receives the time that building a report took. */
  spent: (_ms: number): void => undefined,
};
export type CacheLimits = Readonly<typeof CACHE_LIMITS>;

/** Number of slow readers that one question may disconnect. */
const MAX_DISCONNECTED = 8;

/** A report borrowed for one response. Call `release` when the response is sent or will never be sent. */
export interface BorrowedReport {
  readonly report: PackedReport;
  release(): void;
}

interface Kept {
  readonly report: PackedReport;
  readers: number;
  isCached: boolean;
  /** Whether the report is included in `#bytesInUse`. */
  isCounted: boolean;
}

export class ReportCache {
  readonly #limits: CacheLimits;
  /** In the order of last use. */
  readonly #cached = new Map<string, Kept>();
  readonly #building = new Map<string, Queued<Kept>>();
  readonly #queue: BuildQueue;
  #cachedBytes = 0;
  #bytesInUse = 0;
  #built = 0;

  constructor(limits: Partial<CacheLimits> = {}) {
    this.#limits = { ...CACHE_LIMITS, ...limits };
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
  async borrow(source: ReportSource, question: ReportQuestion, client = ''): Promise<BorrowedReport | null> {
    const name = reportName(source, question);
    for (let cut = 0; cut < MAX_DISCONNECTED && !this.#cached.has(name) && this.#isFull; cut++) {
      if (!this.#limits.disconnectSlowReader()) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    const kept = this.#cached.get(name) ?? (await this.#build(name, source, question, client));
    if (kept === null) return null;
    kept.readers++;
    this.#count(kept);
    if (kept.isCached) {
      this.#cached.delete(name);
      this.#cached.set(name, kept);
    }
    let isReleased = false;
    return {
      report: kept.report,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        kept.readers--;
        this.#forget(kept);
      },
    };
  }

  get #isFull(): boolean {
    return this.#bytesInUse >= this.#limits.maxBytesInUse;
  }

  #build(name: string, source: ReportSource, question: ReportQuestion, client: string): Promise<Kept | null> | null {
    const known = this.#building.get(name);
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
    const result = queued.result.finally(() => this.#building.delete(name));
    this.#building.set(name, { result, join: queued.join });
    return result;
  }

  #keep(name: string, report: PackedReport): Kept {
    const kept: Kept = { report, readers: 0, isCached: true, isCounted: false };
    this.#cached.set(name, kept);
    this.#cachedBytes += report.gzipped.length;
    this.#count(kept);
    for (const [oldName, old] of this.#cached) {
      const isTooMuch = this.#cached.size > this.#limits.maxReports || this.#cachedBytes > this.#limits.maxBytes;
      if (!isTooMuch || old === kept) break;
      this.#cached.delete(oldName);
      this.#cachedBytes -= old.report.gzipped.length;
      old.isCached = false;
      this.#forget(old);
    }
    return kept;
  }

  #count(kept: Kept): void {
    if (!kept.isCounted) this.#bytesInUse += kept.report.gzipped.length;
    kept.isCounted = true;
  }

  #forget(kept: Kept): void {
    if (kept.isCached || kept.readers > 0 || !kept.isCounted) return;
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
