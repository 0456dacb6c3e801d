/** Reads the passage of a result from the archive. In: a page of the copy and the words of a query. Out: a snippet. */
import { Template } from '../../content/template/template.ts';
import { putNewest } from '../../core/bounded-map.ts';
import type { CrawlOptions } from '../../core/options/options.ts';
import { type ResponseText, textOf } from '../../crawl/following/search/page-text.ts';
import type { CrawlPlace } from '../../crawl/place/crawl-place.ts';
import { keptOptions } from '../../crawl/place/data-folder.ts';
import { isUnreadable, readRecord } from '../../crawl/place/read-archived.ts';
import { headerValue } from '../../fetch/outcome.ts';
import type { AnsweredWord } from '../../search/search-index.ts';
import type { SearchBlock } from '../../search/search-page.ts';
import { makeSnippet, type Snippet } from '../../search/snippet/snippet.ts';
import type { Store, UrlRecord } from '../../store/contract.ts';

const MAX_TEMPLATES = 100;
const NOTHING: Snippet = { text: '', marks: [] };

/** A response of the copy, of any time. */
export type ArchivedPage = Pick<UrlRecord, 'url' | 'host' | 'capture'>;

export class PassageReader {
  readonly #store: Store;
  readonly #place: CrawlPlace;
  readonly #templates = new Map<string, Template | null>();
  #options: Promise<CrawlOptions> | null = null;

  constructor(store: Store, place: CrawlPlace) {
    this.#store = store;
    this.#place = place;
  }

  /** The title, and the passage that shows why the page was found. Empty if the archive cannot be read here. */
  async read(page: ArchivedPage, words: readonly AnsweredWord[]): Promise<Snippet & { readonly title: string }> {
    const text = await this.#textOf(page);
    if (text === null || text.blocks.length === 0) return { ...NOTHING, title: text?.title ?? '' };
    return { ...makeSnippet(text.blocks, words), title: text.title };
  }

  /** The text of the page. Empty if the archive cannot be read here: it may be on another machine, or damaged. */
  async blocks(page: ArchivedPage): Promise<readonly SearchBlock[]> {
    return (await this.#textOf(page))?.blocks ?? [];
  }

  async #textOf({ url, host, capture }: ArchivedPage): Promise<ResponseText | null> {
    if (capture === null) return null;
    this.#options ??= keptOptions(this.#store);
    try {
      const copy = await readRecord(this.#place, url, capture, await this.#options, this.#store);
      const contentType = headerValue(copy.capture.rawHeaders, 'content-type');
      const template = await this.#templateOf(host);
      return await textOf({ url, body: copy.body, contentType }, { template, maxLinks: 0, keepHashbang: false });
    } catch (error) {
      if (isUnreadable(error)) return null;
      throw error;
    }
  }

  async #templateOf(host: string): Promise<Template | null> {
    const known = this.#templates.get(host);
    if (known !== undefined) return known;
    const counts = await this.#store.template(host);
    const template = counts === null ? null : Template.decode(counts);
    putNewest(this.#templates, host, template, MAX_TEMPLATES);
    return template;
  }
}
