/**
 * Keeps the counts behind the page ranks (W3) up to date. In: changes of the memory. Out: the rank of any page.
 *
 * The counts are stored in a file with the number of the last counted change, and counting continues from there. If
 * that is not possible, one pass over all pages counts them, at the pace of other background work. The links of the
 * main page come with its content. What always holds: a page counts once, with its last reported state; ranks are not
 * ready until all pages are counted.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compareForms, formOf } from './memory/key-order.ts';
import type { SiteMemory } from './memory/site-memory.ts';
import { type Rank, rankOf } from './rank/rank.ts';
import { RankTally } from './rank/tally.ts';
import type { Change, WatchedPage } from './records.ts';
import { replaceJson } from './report/replace-file.ts';

const FILE_NAME = 'ranks.json';
const PIECE = 500;

export class RankKeeper {
  readonly #memory: SiteMemory;
  readonly #path: string;
  readonly #mainPage: string;
  readonly #pause: () => Promise<void>;
  readonly #stop: () => void;
  #tally: RankTally;
  /** Null before anything is counted. */
  #epoch: string | null = null;
  /** During a pass: the form of the last counted page. The pass itself will see changes of later pages. */
  #countedUpTo: string | null = null;
  /** The number of the last counted change. */
  #seq = 0;
  /** Version of the set of main page links. */
  #links = 0;
  #isReady = false;
  #isClosed = false;

  constructor(memory: SiteMemory, mainPage: string, pause: () => Promise<void>) {
    this.#memory = memory;
    this.#path = join(memory.folder, FILE_NAME);
    this.#mainPage = mainPage;
    this.#pause = pause;
    this.#tally = new RankTally(mainPage);
    this.#stop = memory.onChange((changes) => {
      for (const change of changes) this.#follow(change);
    });
  }

  get isReady(): boolean {
    return this.#isReady && this.#epoch === this.#memory.epoch;
  }

  rankOf(page: Pick<WatchedPage, 'url' | 'updates'>): Rank {
    return rankOf(page, this.#tally.basis());
  }

  /** The key is the same as long as all ranks are the same. */
  rankKey(): string {
    const { fewestUpdates, mostUpdates, length } = this.#tally.basis();
    return `${fewestUpdates}.${mostUpdates}.${length}.${this.#links}`;
  }

  setMainLinks(urls: Iterable<string>): void {
    this.#tally.setMainLinks(urls);
    this.#links++;
  }

  /** Called after the first sweep and whenever the memory was built again. */
  async count(): Promise<void> {
    if (this.isReady || !this.#memory.isComplete) return;
    const kept = await this.#read();
    if (kept !== null && (await this.#catchUp(kept))) return;
    await this.#countAll();
  }

  async #countAll(): Promise<void> {
    const { epoch } = this.#memory;
    const tally = new RankTally(this.#mainPage);
    tally.setMainLinks(this.#tally.toJSON().links);
    this.#tally = tally;
    this.#epoch = epoch;
    this.#isReady = false;
    this.#countedUpTo = '';
    for (let after: string | null = null; ; ) {
      const pages: readonly WatchedPage[] = await this.#memory.pages(after, PIECE);
      if (this.#isClosed || epoch !== this.#memory.epoch) return;
      for (const page of pages) tally.add(page);
      if (pages.length < PIECE) break;
      after = pages.at(-1)!.key;
      this.#countedUpTo = formOf(after);
      await this.#pause();
    }
    this.#countedUpTo = null;
    this.#seq = this.#memory.lastSeq;
    this.#isReady = true;
    await this.keep();
  }

  /** Applies the changes from the stored counts up to the last change. */
  async #catchUp({ tally, seq, epoch }: KeptCounts): Promise<boolean> {
    const memory = this.#memory;
    if (epoch !== memory.epoch || seq < memory.oldestSeq || seq > memory.lastSeq) return false;
    tally.setMainLinks(this.#tally.toJSON().links);
    for (let at = seq; at < memory.lastSeq; ) {
      const changes = await memory.changes(at, PIECE);
      if (changes[0]?.seq !== at + 1) return false;
      for (const change of changes) apply(tally, change);
      at = changes.at(-1)!.seq;
    }
    if (tally.pageCount !== memory.pageCount) return false;
    this.#tally = tally;
    this.#epoch = epoch;
    this.#seq = memory.lastSeq;
    this.#isReady = true;
    return true;
  }

  #follow(change: Change): void {
    if (this.#epoch !== this.#memory.epoch) return;
    if (this.#isReady) {
      // A change that was just read from the journal also arrives through the listener.
      if (change.seq <= this.#seq) return;
      this.#seq = change.seq;
      apply(this.#tally, change);
    } else if (this.#countedUpTo !== null && compareForms(formOf(change.page.key), this.#countedUpTo) <= 0) {
      apply(this.#tally, change);
    }
  }

  async keep(): Promise<void> {
    if (!this.isReady) return;
    await replaceJson(this.#path, { epoch: this.#epoch, seq: this.#seq, tally: this.#tally.toJSON() });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop();
    await this.keep();
  }

  async #read(): Promise<KeptCounts | null> {
    try {
      const found = JSON.parse(await readFile(this.#path, 'utf8')) as Record<string, unknown>;
      const tally = RankTally.fromJSON(found.tally);
      const isWhole =
        tally?.main === this.#mainPage && typeof found.epoch === 'string' && Number.isSafeInteger(found.seq);
      return isWhole ? { tally: tally!, epoch: found.epoch as string, seq: found.seq as number } : null;
    } catch {
      return null;
    }
  }
}

interface KeptCounts {
  readonly tally: RankTally;
  readonly epoch: string;
  readonly seq: number;
}

function apply(tally: RankTally, { kind, page, was }: Change): void {
  if (kind === 'new') tally.add(page);
  else if (kind === 'deleted') tally.remove(page);
  // The same content from another file is not an update.
  else if (was !== page.hash || was === '') tally.update({ url: page.url, updates: page.updates - 1 }, page.updates);
}
