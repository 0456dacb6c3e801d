import { performance } from 'node:perf_hooks';

/** One request as the server saw it. */
export interface LedgerEntry {
  /** The Host header: name and port. */
  readonly host: string;
  /** Path and query. */
  readonly path: string;
  readonly atMs: number;
  /** The time when the answer was finished or the connection was lost; NaN while the request is under way. */
  endMs: number;
  /** Requests to this host that are under way at `atMs`, including this one. */
  readonly parallel: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The path of a watcher's report. */
export const REPORT_PATH = '/.well-known/orbweaver-report';

/** Whether a path is a page of the crawl, and not a file that a crawler requests first. */
export function isPage(path: string): boolean {
  return path !== '/robots.txt' && path !== '/sitemap.xml' && !path.startsWith(REPORT_PATH);
}

/** The requests that the servers of a test received. Politeness is proved here, at the receiving end. */
export class Ledger {
  readonly entries: LedgerEntry[] = [];
  readonly #open = new Map<string, number>();
  readonly #waiting: { readonly path: string; readonly times: number; readonly resolve: () => void }[] = [];

  /** Records a request. The returned function marks its end. */
  begin(host: string, path: string, headers: LedgerEntry['headers'] = {}): () => void {
    const parallel = (this.#open.get(host) ?? 0) + 1;
    this.#open.set(host, parallel);
    const entry: LedgerEntry = { host, path, atMs: performance.now(), endMs: Number.NaN, parallel, headers };
    this.entries.push(entry);
    this.#wake(path);
    return () => {
      if (!Number.isNaN(entry.endMs)) return;
      entry.endMs = performance.now();
      this.#open.set(host, (this.#open.get(host) ?? 1) - 1);
    };
  }

  count(path: string): number {
    return this.entries.filter((entry) => entry.path === path).length;
  }

  of(host: string): LedgerEntry[] {
    return this.entries.filter((entry) => entry.host === host);
  }

  maxParallel(host: string): number {
    return this.of(host).reduce((most, entry) => Math.max(most, entry.parallel), 0);
  }

  /** The shortest time between the starts of two consecutive requests; Infinity if there were fewer than two. */
  minGapMs(host: string): number {
    const starts = this.of(host).map((entry) => entry.atMs);
    return starts.slice(1).reduce((least, atMs, i) => Math.min(least, atMs - starts[i]!), Number.POSITIVE_INFINITY);
  }

  /**
   * Resolves when the path has been requested this many times, so that a test can wait for a request without sleeping.
   */
  seen(path: string, times = 1): Promise<void> {
    if (this.count(path) >= times) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ path, times, resolve }));
  }

  #wake(path: string): void {
    for (const waiting of this.#waiting) {
      if (waiting.path === path && this.count(path) >= waiting.times) waiting.resolve();
    }
  }
}
