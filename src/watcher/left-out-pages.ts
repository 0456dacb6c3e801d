/**
 * Pages that are of no use without a person who fills in a form (W6): what pages say of forms comes in as they are examined, and what is
 * told of the site goes out without them.
 *
 * Kept in a file, since a page is examined when it changes and not when the watcher starts. What always holds: no more than so many
 * are kept, and no number of a change is skipped, since readers go by them: a change of such a page is told as none.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Change, WatchedPage } from './records.ts';
import { replaceFile } from './report/replace-file.ts';
import type { ReportMemory } from './report/report-source.ts';

const FILE_NAME = 'left-out.json';
const MOST_OF_A_KIND = 10_000;

export class LeftOutPages {
  readonly #path: string;
  /** Where forms lead. Nobody knows which other pages have the same form, so they stay until the state is made anew. */
  readonly #targets: Set<string>;
  readonly #logIns: Set<string>;
  #isKept = true;

  private constructor(path: string, targets: Set<string>, logIns: Set<string>) {
    this.#path = path;
    this.#targets = targets;
    this.#logIns = logIns;
  }

  /** A file that cannot be read is as none: its pages are examined again when they change. */
  static async open(folder: string): Promise<LeftOutPages> {
    const path = join(folder, FILE_NAME);
    let found: { targets?: unknown; logIns?: unknown } | null = null;
    try {
      found = JSON.parse(await readFile(path, 'utf8'));
    } catch {
      // None yet.
    }
    return new LeftOutPages(path, urlsOf(found?.targets), urlsOf(found?.logIns));
  }

  get count(): number {
    return this.#targets.size + this.#logIns.size;
  }

  has(url: string): boolean {
    return this.#targets.has(url) || this.#logIns.has(url);
  }

  /** What a page that was just read says. */
  note(url: string, formTargets: readonly string[], isLogIn: boolean): void {
    for (const target of formTargets) this.#add(this.#targets, target);
    if (isLogIn) this.#add(this.#logIns, url);
    else if (this.#logIns.delete(url)) this.#isKept = false;
  }

  #add(urls: Set<string>, url: string): void {
    if (urls.has(url) || urls.size >= MOST_OF_A_KIND) return;
    urls.add(url);
    this.#isKept = false;
  }

  async keep(): Promise<void> {
    if (this.#isKept) return;
    this.#isKept = true;
    const text = JSON.stringify({ targets: [...this.#targets], logIns: [...this.#logIns] });
    await replaceFile(this.#path, 0o600, async (handle) => {
      await handle.writeFile(text);
    });
  }
}

function urlsOf(found: unknown): Set<string> {
  const urls = Array.isArray(found) ? found.slice(0, MOST_OF_A_KIND) : [];
  return new Set(urls.filter((url) => typeof url === 'string'));
}

interface HeardMemory extends ReportMemory {
  onChange(listener: (changes: readonly Change[]) => void): () => void;
}

/** A memory as the report sees it. */
export class ToldMemory implements ReportMemory {
  readonly #memory: HeardMemory;
  readonly #leftOut: LeftOutPages;
  readonly #isReady: () => boolean;

  constructor(memory: HeardMemory, leftOut: LeftOutPages, isReady: () => boolean) {
    this.#memory = memory;
    this.#leftOut = leftOut;
    this.#isReady = isReady;
  }

  get epoch(): string {
    return this.#memory.epoch;
  }

  get lastSeq(): number {
    return this.#memory.lastSeq;
  }

  get oldestSeq(): number {
    return this.#memory.oldestSeq;
  }

  get pageCount(): number {
    return this.#memory.pageCount;
  }

  get isComplete(): boolean {
    return this.#memory.isComplete && this.#isReady();
  }

  get sweptAtMs(): number {
    return this.#memory.sweptAtMs;
  }

  async pages(after: string | null, limit: number): Promise<readonly WatchedPage[]> {
    const told: WatchedPage[] = [];
    for (let key = after; told.length < limit; ) {
      const wanted = limit - told.length;
      const piece = await this.#memory.pages(key, wanted);
      told.push(...piece.filter(({ url }) => !this.#leftOut.has(url)));
      if (piece.length < wanted) break;
      key = piece.at(-1)!.key;
    }
    return told;
  }

  async changes(after: number, limit: number): Promise<readonly Change[]> {
    const found = await this.#memory.changes(after, limit);
    if (this.#leftOut.count === 0) return found;
    return found.map((change) => (this.#leftOut.has(change.page.url) ? asNone(change) : change));
  }

  onChange(listener: (changes: readonly Change[]) => void): () => void {
    return this.#memory.onChange(listener);
  }
}

/** What was updated to what it was is summed up to nothing (report/collapse.ts). */
function asNone(change: Change): Change {
  return { ...change, kind: 'updated', was: change.page.hash, from: null, to: null };
}
