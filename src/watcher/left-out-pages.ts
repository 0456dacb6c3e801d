/**
 * Pages that are of no use without a person who fills in a form (W6): what pages say of forms comes in as they are examined, and what is
 * told of the site goes out without them.
 *
 * What always holds: whether a page is left out is decided when it is first known, by what is known of forms then, and stays so while it is
 * there. A page that was told of is told of as long as it lives: who reads the report takes silence for "the same". And no number of a change is
 * skipped, since readers go by them.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Change, WatchedPage } from './records.ts';
import { replaceFile } from './report/replace-file.ts';
import type { ReportMemory } from './report/report-source.ts';

const FILE_NAME = 'left-out.json';
const MOST_OF_A_KIND = 10_000;
const PIECE = 500;

export class LeftOutPages {
  readonly #path: string;
  /** Where forms lead. Nobody knows which other pages have the same form, so they stay until the state is made anew. */
  readonly #targets: Set<string>;
  readonly #logIns: Set<string>;
  /** Pages that were decided on, and whether they are there. */
  readonly #pages: Map<string, boolean>;
  /** Of the memory that the first decision was made for. */
  #epoch: string;
  #isKept = true;

  private constructor(path: string, found: Kept | null) {
    this.#path = path;
    this.#targets = new Set(textsOf(found?.targets));
    this.#logIns = new Set(textsOf(found?.logIns));
    this.#pages = new Map(textsOf(found?.pages).map((url) => [url, true]));
    this.#epoch = typeof found?.epoch === 'string' ? found.epoch : '';
  }

  /** A file that cannot be read is as none: what is there by then is told of. */
  static async open(folder: string): Promise<LeftOutPages> {
    const path = join(folder, FILE_NAME);
    try {
      return new LeftOutPages(path, JSON.parse(await readFile(path, 'utf8')) as Kept);
    } catch {
      return new LeftOutPages(path, null);
    }
  }

  /** Pages that are there and not told of. */
  get count(): number {
    let count = 0;
    for (const isThere of this.#pages.values()) if (isThere) count++;
    return count;
  }

  has(url: string): boolean {
    return this.#pages.has(url);
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

  /** Decides on what a first sweep has found, before anybody is told of it. */
  async settle(memory: Pick<ReportMemory, 'epoch' | 'pages'>, breathe: () => Promise<void>): Promise<void> {
    if (this.#epoch === memory.epoch) return;
    this.#pages.clear();
    for (let key: string | null = null; this.#targets.size + this.#logIns.size > 0; ) {
      const piece: readonly WatchedPage[] = await memory.pages(key, PIECE);
      for (const { url } of piece) if (this.#isWanted(url)) this.#pages.set(url, true);
      if (piece.length < PIECE) break;
      key = piece.at(-1)!.key;
      await breathe();
    }
    this.#epoch = memory.epoch;
    this.#isKept = false;
    await this.keep();
  }

  isSettledFor(epoch: string): boolean {
    return this.#epoch === epoch;
  }

  /** Decides on pages that are new. */
  hear(changes: readonly Change[]): void {
    for (const { kind, page } of changes) {
      const { url } = page;
      if (kind === 'new' && this.#isWanted(url) && this.#pages.size < MOST_OF_A_KIND) this.#pages.set(url, true);
      else if (kind === 'new' && this.#pages.delete(url)) this.#isKept = false;
      else if (kind === 'deleted' && this.#pages.has(url)) this.#pages.set(url, false);
      else continue;
      this.#isKept = false;
    }
  }

  #isWanted(url: string): boolean {
    return this.#targets.has(url) || this.#logIns.has(url);
  }

  async keep(): Promise<void> {
    if (this.#isKept) return;
    this.#isKept = true;
    const kept: Kept = {
      epoch: this.#epoch,
      targets: [...this.#targets],
      logIns: [...this.#logIns],
      pages: [...this.#pages.keys()],
    };
    await replaceFile(this.#path, 0o600, async (handle) => {
      await handle.writeFile(JSON.stringify(kept));
    });
  }
}

interface Kept {
  readonly epoch: unknown;
  readonly targets: unknown;
  readonly logIns: unknown;
  readonly pages: unknown;
}

function textsOf(found: unknown): string[] {
  const texts = Array.isArray(found) ? found.slice(0, MOST_OF_A_KIND) : [];
  return texts.filter((text) => typeof text === 'string');
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
    return this.#memory.pageCount - this.#leftOut.count;
  }

  get isComplete(): boolean {
    return this.#memory.isComplete && this.#leftOut.isSettledFor(this.#memory.epoch) && this.#isReady();
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
    return found.map((change) => (this.#leftOut.has(change.page.url) ? { ...change, isUntold: true } : change));
  }

  onChange(listener: (changes: readonly Change[]) => void): () => void {
    return this.#memory.onChange(listener);
  }
}
