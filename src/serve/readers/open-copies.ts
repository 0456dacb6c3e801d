/**
 * Keeps the stores of copies open between requests. What always holds: at most eight copies are open in a thread; the
 * one that was not used for the longest time is closed. A store that fails is closed and opened again by the next
 * request, so a copy that is repaired or made meanwhile is found.
 */
import { ContentReader } from '../../copy/content-reader.ts';
import { EntryDescriber } from '../../copy/describe-entry.ts';
import { CopySearcher } from '../../copy/search/search-copy.ts';
import type { Survey } from '../../copy/survey/survey.ts';
import { SurveyKeeper } from '../../copy/survey/survey-keeper.ts';
import { putNewest } from '../../core/bounded-map.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { type AnyStore, readStoreAt } from '../../crawl/place/open-store.ts';
import type { ChangeEntry, HostRecord } from '../../store/contract.ts';
import { inBatches } from '../../store/read-in-batches.ts';
import type { ServedCopy } from '../served-copy.ts';

const MOST_OPEN = 8;
const MOST_DESCRIPTIONS = 2_000;
const HOSTS_PER_READ = 2_000;
const LEAST_AGE_MS = 500;
const AGE_PER_EFFORT = 10;
/** Errors after which the store is still good. */
const HARMLESS = ['ERR_BAD_URL', 'ERR_BAD_OPTION', 'ERR_UNKNOWN_URL', 'ERR_NOT_IN_COPY', 'ERR_NO_INDEX', 'ERR_ARCHIVE'];

export class OpenCopy {
  readonly copy: ServedCopy;
  readonly store: AnyStore;
  readonly content: ContentReader;
  readonly #surveys: SurveyKeeper;
  readonly #describer: EntryDescriber;
  readonly #descriptions = new Map<number, string | null>();
  #searcher: CopySearcher | null = null;
  #hosts: { readonly list: readonly HostRecord[]; readonly untilMs: number } | null = null;
  /** The last answer to a question whose answer rarely changes. */
  #remembered: { readonly key: string; readonly answer: Promise<unknown> } | null = null;

  constructor(copy: ServedCopy, store: AnyStore) {
    this.copy = copy;
    this.store = store;
    this.content = new ContentReader(store);
    this.#surveys = new SurveyKeeper(store);
    this.#describer = new EntryDescriber(store, copy.place);
  }

  /** Describes a change that nobody has described yet. */
  async described(entry: ChangeEntry): Promise<ChangeEntry> {
    if (entry.change !== null) return entry;
    const known = this.#descriptions.get(entry.seq);
    if (known !== undefined) return { ...entry, change: known };
    const described = await this.#describer.described(entry);
    putNewest(this.#descriptions, entry.seq, described.change, MOST_DESCRIPTIONS);
    return described;
  }

  /** All URLs by folder and by reason. */
  survey(): Promise<Survey> {
    return this.#surveys.survey();
  }

  /** All hosts. A long list is read again only after ten times the time that it took. */
  async hosts(): Promise<readonly HostRecord[]> {
    const startMs = performance.now();
    if (this.#hosts !== null && startMs < this.#hosts.untilMs) return this.#hosts.list;
    const list: HostRecord[] = [];
    const batches = inBatches((after, limit) => this.store.glanceHosts(after, limit), HOSTS_PER_READ);
    for await (const some of batches) list.push(...some);
    const endMs = performance.now();
    this.#hosts = { list, untilMs: endMs + Math.max(LEAST_AGE_MS, AGE_PER_EFFORT * (endMs - startMs)) };
    return list;
  }

  /** Returns the answer to the same question as before without asking again. */
  remember<T>(key: string, ask: () => Promise<T>): Promise<T> {
    if (this.#remembered?.key !== key) {
      const answer = ask();
      this.#remembered = { key, answer };
      answer.catch(() => {
        this.#remembered = null;
      });
    }
    return this.#remembered!.answer as Promise<T>;
  }

  /** Throws ERR_NO_INDEX if the copy has no search index. */
  get searcher(): CopySearcher {
    this.#searcher ??= new CopySearcher(this.store, this.copy.place, this.copy.again);
    return this.#searcher;
  }

  async close(): Promise<void> {
    this.#searcher?.close();
    this.#searcher = null;
    await this.store.close();
  }
}

export class OpenCopies {
  /** The copy that was used last comes last. */
  readonly #open = new Map<string, OpenCopy>();

  async withCopy<T>(copy: ServedCopy, work: (open: OpenCopy) => Promise<T>): Promise<T> {
    const open = this.#open.get(copy.id) ?? new OpenCopy(copy, await readStoreAt(copy.place));
    this.#open.delete(copy.id);
    this.#open.set(copy.id, open);
    if (this.#open.size > MOST_OPEN) await this.#close(this.#open.keys().next().value!);
    try {
      return await work(open);
    } catch (error) {
      if (!(error instanceof OrbweaverError) || !HARMLESS.includes(error.code)) await this.#close(copy.id);
      throw error;
    }
  }

  async #close(id: string): Promise<void> {
    const open = this.#open.get(id);
    this.#open.delete(id);
    await open?.close().catch(() => {});
  }
}
