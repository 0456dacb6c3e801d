/**
 * Brings pages into the index. In: the ids of URLs that commits touched. Out: the index has what the copy says about
 * them now: the pages of the state `fetched` that are no soft 404s. All other URLs are removed from it.
 *
 * What always holds: a page that cannot be read is left out and noted, and the others go on.
 */
import { setImmediate } from 'node:timers/promises';
import { Template } from '../../../content/template/template.ts';
import { putNewest } from '../../../core/bounded-map.ts';
import { OrbweaverError } from '../../../core/errors.ts';
import type { CrawlOptions } from '../../../core/options/options.ts';
import { headerValue } from '../../../fetch/outcome.ts';
import type { IndexWriter } from '../../../search/index/index-writer.ts';
import type { SearchPage } from '../../../search/search-page.ts';
import type { Store, UrlRecord } from '../../../store/contract.ts';
import type { CrawlPlace } from '../../place/crawl-place.ts';
import { readRecord } from '../../place/read-archived.ts';
import { productToken } from '../../unit/fetch-setup.ts';
import { readDirectives } from '../../unit/read-directives.ts';
import type { EarlyPage } from './early-pages.ts';
import type { UnreadCause, UnreadPage } from './index-notes.ts';
import { type LinkOptions, LinkTargets, type ResolvedLink, withIds } from './link-targets.ts';
import { textOf } from './page-text.ts';

export type IndexOptions = LinkOptions & Pick<CrawlOptions, 'maxBody' | 'maxSitemapBody' | 'maxLinks' | 'userAgent'>;

/** Tells the other thread which page is being worked on, and hears whether to stop. */
export interface WorkSignals {
  begin(urlId: number): void;
  end(): void;
  readonly isStopping: boolean;
  /** Another thread works on the same batch, and its messages should not wait. */
  readonly isSharing: boolean;
}

export type PageWriter = Pick<IndexWriter, 'add' | 'remove'>;

export interface PageIndexerParts {
  readonly store: Store;
  readonly place: CrawlPlace;
  readonly writer: PageWriter;
  readonly options: IndexOptions;
  readonly signals: WorkSignals;
}

/** Pages whose links are looked up together. Their texts are in memory at the same time, so these are limited too. */
const RECORDS_AT_ONCE = 25;
const CHARS_AT_ONCE = 4_000_000;
/** A template takes up to half a megabyte. */
const MAX_TEMPLATES = 64;

interface ReadPage {
  readonly page: Omit<SearchPage, 'links'>;
  readonly chars: number;
  readonly links: readonly ResolvedLink[];
}

/** What was found out about a batch, beside what is in the index. */
export interface BatchFindings {
  readonly unread: UnreadPage[];
  /** All ids that were looked at. */
  readonly read: number[];
  /** The HTML pages. Their templates may be better known later. */
  readonly early: EarlyPage[];
}

export class PageIndexer {
  readonly #parts: PageIndexerParts;
  readonly #targets: LinkTargets;
  readonly #token: string;
  readonly #templates = new Map<string, Template | null>();
  #found: BatchFindings = { unread: [], read: [], early: [] };

  constructor(parts: PageIndexerParts) {
    this.#parts = parts;
    this.#targets = new LinkTargets(parts.store, parts.options);
    this.#token = productToken(parts.options.userAgent);
  }

  /** A running crawl learns on, so what is known about templates is read again for each batch. */
  begin(): void {
    this.#templates.clear();
    this.#found = { unread: [], read: [], early: [] };
  }

  get found(): BatchFindings {
    return this.#found;
  }

  /**
   * Adds these pages without making them durable. `skip`: pages that have ended the thread before. Returns false if it
   * was stopped.
   */
  async index(ids: readonly number[], skip: ReadonlySet<number>): Promise<boolean> {
    for (let at = 0; at < ids.length; at += RECORDS_AT_ONCE) {
      if (!(await this.#indexSome(ids.slice(at, at + RECORDS_AT_ONCE), skip))) return false;
    }
    return true;
  }

  async #indexSome(ids: readonly number[], skip: ReadonlySet<number>): Promise<boolean> {
    const { store, writer, signals } = this.#parts;
    const wanted = (await store.records(ids)).filter(isSearchable);
    const pageRanks = await store.pageRanks(wanted.map(({ id }) => id));
    const others = new Set(ids);
    let pages: ReadPage[] = [];
    let chars = 0;
    for (const [i, record] of wanted.entries()) {
      if (signals.isStopping) return false;
      if (signals.isSharing) await setImmediate();
      const page = skip.has(record.id)
        ? unreadPage(record, 'too-heavy', 'it needs too much memory')
        : await this.#read(record, pageRanks[i]!);
      if (page !== null && 'cause' in page) this.#found.unread.push(page);
      else if (page !== null) {
        others.delete(record.id);
        pages.push(page);
        chars += page.chars;
      }
      if (i + 1 < wanted.length && chars < CHARS_AT_ONCE) continue;
      if (!(await this.#add(pages))) return false;
      pages = [];
      chars = 0;
    }
    for (const id of others) writer.remove(id);
    this.#found.read.push(...ids);
    return true;
  }

  async #add(pages: readonly ReadPage[]): Promise<boolean> {
    const { writer, signals } = this.#parts;
    const targets = await this.#targets.find(pages.flatMap(({ links }) => links));
    for (const { page, links } of pages) {
      if (signals.isStopping) return false;
      signals.begin(page.urlId);
      writer.add({ ...page, links: withIds(links, targets) });
      signals.end();
    }
    return true;
  }

  /** Null for a response that is no page for people. */
  async #read(record: UrlRecord, pageRank: number): Promise<ReadPage | UnreadPage | null> {
    const { store, place, options, signals } = this.#parts;
    const { id, url, capture, changes } = record;
    if (capture === null) return unreadPage(record, 'archive', 'the archive has no response');
    signals.begin(id);
    try {
      const copy = await readRecord(place, url, capture, options, store);
      const { rawHeaders } = copy.capture;
      const response = { url, body: copy.body, contentType: headerValue(rawHeaders, 'content-type') };
      const template = await this.#templateOf(record.host);
      const text = await textOf(response, {
        template,
        maxLinks: options.maxLinks,
        keepHashbang: options.keepFragment === 'hashbang',
      });
      if (text === null) return null;
      const { page, links, ...rest } = text;
      if (page !== null) this.#found.early.push({ host: record.host, id, templatePages: template?.pages ?? 0 });
      const directives = readDirectives(rawHeaders, page?.metaRobots ?? [], this.#token, capture.fetchedAtMs);
      return {
        page: {
          ...rest,
          urlId: id,
          url,
          isNoindex: directives.noindex,
          depth: record.depth,
          fetchedAtMs: capture.fetchedAtMs,
          changedAtMs: changes === 0 ? null : capture.fetchedAtMs,
          pageRank,
        },
        chars: rest.blocks.reduce((sum, block) => sum + block.text.length, 0),
        links: page === null ? [] : this.#targets.resolve(page, url, links),
      };
    } catch (error) {
      return unreadPageAfter(record, error);
    } finally {
      signals.end();
    }
  }

  async #templateOf(host: string): Promise<Template | null> {
    const known = this.#templates.get(host);
    if (known !== undefined) return known;
    const counts = await this.#parts.store.template(host);
    const template = counts === null ? null : Template.decode(counts);
    putNewest(this.#templates, host, template, MAX_TEMPLATES);
    return template;
  }
}

/** Duplicates are represented by their original. */
function isSearchable({ state, reason }: UrlRecord): boolean {
  return state === 'fetched' && reason !== 'soft-404';
}

export function unreadPage({ id, url, capture }: UrlRecord, cause: UnreadCause, problem: string): UnreadPage {
  return { urlId: id, url, cause, file: capture?.file ?? '', problem };
}

export function unreadPageAfter(record: UrlRecord, error: unknown): UnreadPage {
  return unreadPage(record, causeOf(error), (error as Error).message);
}

function causeOf(error: unknown): UnreadCause {
  if (!(error instanceof OrbweaverError)) return 'failed';
  if (error.code === 'ERR_ELSEWHERE') return 'elsewhere';
  return error.code === 'ERR_ARCHIVE' || error.code === 'ERR_NOT_IN_COPY' ? 'archive' : 'failed';
}
