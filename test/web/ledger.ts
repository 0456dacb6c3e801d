import { performance } from 'node:perf_hooks';

/** One request as the server saw it. */
export interface LedgerEntry {
  /** The Host header: name and port. */
  readonly host: string;
  /** Path and query. */
  readonly path: string;
  readonly atMs: number;
  /** When the answer was finished or the connection lost; NaN while it is under way. */
  endMs: number;
  /** Requests of that host under way at `atMs`, this one included. */
  readonly parallel: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Where the report of a site's watcher is asked for. */
export const REPORT_PATH = '/.well-known/orbweaver-report';

/** Whether a path is what a crawl asks for, and not what it asks before. */
export function isPage(path: string): boolean {
  return path !== '/robots.txt' && !path.startsWith(REPORT_PATH);
}

/** What the servers of a test have seen: politeness is proved here, at the receiving end. */
export class Ledger {
  readonly entries: LedgerEntry[] = [];
  readonly #open = new Map<string, number>();
  readonly #waiting: { readonly path: string; readonly times: number; readonly resolve: () => void }[] = [];

  /** Writes down a request; the returned function marks its end. */
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

  /** The shortest time between the starts of two requests in a row; Infinity when there were not two. */
  minGapMs(host: string): number {
    const starts = this.of(host).map((entry) => entry.atMs);
    return starts.slice(1).reduce((least, atMs, i) => Math.min(least, atMs - starts[i]!), Number.POSITIVE_INFINITY);
  }

  /** Resolves when the path has been asked for that often: the way for a test to wait for a request without sleeping. */
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
