/**
 * Pages that are useless unless a person fills in a form (W6). In: the forms of pages, as the pages are examined. Out:
 * the pages and changes of the site without these pages.
 *
 * The list is stored in a file, because a page is examined when it changes and not when the watcher starts. What always
 * holds: the number of stored URLs is bounded; these pages are not reported; if a reported page becomes such a page, or
 * the reverse, readers begin again with a listing, because no change would tell them.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SerialQueue } from './memory/serial-queue.ts';
import type { Change, WatchedPage } from './records.ts';
import { replaceJson } from './report/replace-file.ts';
import type { ObservableMemory } from './report/report-source.ts';

const FILE_NAME = 'left-out.json';
const MAX_PER_KIND = 10_000;

export class LeftOutPages {
  readonly #path: string;
  /** Targets of forms. Other pages may have the same form, so a target stays until the state is built again. */
  readonly #targets: Set<string>;
  readonly #logIns: Set<string>;
  /** A new value whenever readers must begin again; '' at first. */
  #mark: string;
  #isKept = true;
  readonly #turns = new SerialQueue();

  private constructor(path: string, targets: Set<string>, logIns: Set<string>, mark: string) {
    this.#path = path;
    this.#targets = targets;
    this.#logIns = logIns;
    this.#mark = mark;
  }

  /** An unreadable file counts as missing: its pages are examined again when they change. */
  static async open(folder: string): Promise<LeftOutPages> {
    const path = join(folder, FILE_NAME);
    let found: { targets?: unknown; logIns?: unknown; mark?: unknown } | null = null;
    let mark = '';
    try {
      found = JSON.parse(await readFile(path, 'utf8'));
      if (typeof found?.mark === 'string' && /^\w{0,20}$/.test(found.mark)) mark = found.mark;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') mark = newMark();
    }
    return new LeftOutPages(path, urlsOf(found?.targets), urlsOf(found?.logIns), mark);
  }

  get mark(): string {
    return this.#mark;
  }

  get count(): number {
    return this.#targets.size + this.#logIns.size;
  }

  has(url: string): boolean {
    return this.#targets.has(url) || this.#logIns.has(url);
  }

  /** Records the forms of a page that was just read. `isKnown` says whether there was already a page with a URL. */
  note(url: string, formTargets: readonly string[], isLogIn: boolean, isKnown: (url: string) => boolean): void {
    for (const target of formTargets) this.#put(this.#targets, target, true, isKnown);
    this.#put(this.#logIns, url, isLogIn, isKnown);
  }

  #put(urls: Set<string>, url: string, isIn: boolean, isKnown: (url: string) => boolean): void {
    if (urls.has(url) === isIn || (isIn && urls.size >= MAX_PER_KIND)) return;
    const wasLeftOut = this.has(url);
    if (isIn) urls.add(url);
    else urls.delete(url);
    this.#isKept = false;
    if (wasLeftOut !== this.has(url) && isKnown(url)) this.#mark = newMark();
  }

  /** The list is on the disk when the promise resolves. */
  keep(): Promise<void> {
    return this.#turns.take(() => this.#keep());
  }

  async #keep(): Promise<void> {
    if (this.#isKept) return;
    this.#isKept = true;
    const stored = { targets: [...this.#targets], logIns: [...this.#logIns], mark: this.#mark };
    try {
      await replaceJson(this.#path, stored);
    } catch (error) {
      this.#isKept = false;
      throw error;
    }
  }
}

function newMark(): string {
  return randomBytes(4).readUInt32BE().toString(36);
}

function urlsOf(found: unknown): Set<string> {
  const urls = Array.isArray(found) ? found.slice(0, MAX_PER_KIND) : [];
  return new Set(urls.filter((url) => typeof url === 'string'));
}

export interface ReportedMemoryOptions {
  /** False if events are not reported, including those that were examined earlier. */
  readonly hasEvents?: boolean;
  /**
   * Checks a page against the current rules. The previous process may have had other rules, and the
   * sweep that corrects the memory takes time.
   */
  readonly isStillPage?: (page: Pick<WatchedPage, 'key' | 'url'>) => boolean;
  /**
   * True for announcements, which name changed URLs but not the changes: their readers never begin again.
   */
  readonly isAnnounced?: boolean;
}

/** The memory as the report sees it: without left-out pages. */
export class ReportedMemory implements ObservableMemory {
  readonly #memory: ObservableMemory;
  readonly #leftOut: LeftOutPages;
  readonly #isReady: () => boolean;
  readonly #hasEvents: boolean;
  readonly #isAnnounced: boolean;
  readonly isStillPage: (page: Pick<WatchedPage, 'key' | 'url'>) => boolean;

  constructor(
    memory: ObservableMemory,
    leftOut: LeftOutPages,
    isReady: () => boolean,
    options: ReportedMemoryOptions = {},
  ) {
    this.#memory = memory;
    this.#leftOut = leftOut;
    this.#isReady = isReady;
    this.#hasEvents = options.hasEvents ?? true;
    this.#isAnnounced = options.isAnnounced ?? false;
    this.isStillPage = options.isStillPage ?? (() => true);
  }

  get epoch(): string {
    const { mark } = this.#leftOut;
    return mark === '' || this.#isAnnounced ? this.#memory.epoch : `${this.#memory.epoch}-${mark}`;
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
    const reported: WatchedPage[] = [];
    for (let key = after; reported.length < limit; ) {
      const wanted = limit - reported.length;
      const piece = await this.#memory.pages(key, wanted);
      for (const page of piece) {
        if (this.isReported(page.url) && this.isStillPage(page)) reported.push(this.#withoutEvents(page));
      }
      if (piece.length < wanted) break;
      key = piece.at(-1)!.key;
    }
    return reported;
  }

  async changes(after: number, limit: number): Promise<readonly Change[]> {
    const found = await this.#memory.changes(after, limit);
    if (this.#hasEvents) return found;
    return found.map((change) => ({ ...change, page: this.#withoutEvents(change.page) }));
  }

  isReported(url: string): boolean {
    return !this.#leftOut.has(url);
  }

  onChange(listener: (changes: readonly Change[]) => void): () => void {
    return this.#memory.onChange(listener);
  }

  #withoutEvents(page: WatchedPage): WatchedPage {
    return this.#hasEvents || page.events.length === 0 ? page : { ...page, events: [] };
  }
}
