/**
 * The copy that pages are read from: its folder, the options of the crawl, and a reader of content. It outlives the
 * store, because pages can be read after their copy was closed.
 */
import { existsSync } from 'node:fs';
import type { ContentReader } from '../copy/content-reader.ts';
import { OrbweaverError } from '../core/errors.ts';
import type { CrawlOptions } from '../core/options/options.ts';
import { withStoreAt } from '../crawl/place/open-store.ts';
import type { Store } from '../store/contract.ts';

export class CopyPlace {
  readonly dir: string;
  readonly options: CrawlOptions;
  readonly #isTemporary: boolean;
  #store: Store | null;
  #reader: ContentReader | null = null;

  constructor(store: Store, options: CrawlOptions, { dir, isTemporary }: { dir: string; isTemporary: boolean }) {
    this.#store = store;
    this.options = options;
    this.dir = dir;
    this.#isTemporary = isTemporary;
  }

  /** Throws if the copy of a page was deleted. */
  checkFolder(url: string): void {
    if (!this.#isTemporary || existsSync(this.dir)) return;
    throw new OrbweaverError(
      'ERR_NOT_IN_COPY',
      `${url}: the copy of a crawl without a dir is deleted when its loop ends; name a dir to keep it`,
    );
  }

  async contentReader(): Promise<ContentReader> {
    if (this.#reader === null) {
      // Loaded on demand, because most programs never ask for content.
      const { ContentReader } = await import('../copy/content-reader.ts');
      this.#reader ??= new ContentReader({ template: (host) => this.#templateOf(host) });
    }
    return this.#reader;
  }

  /** Called when pages are read from the store, so that their content is read with what the crawl knows by then. */
  forgetTemplates(): void {
    this.#reader?.forgetTemplates();
  }

  async close(): Promise<void> {
    const store = this.#store;
    this.#store = null;
    await store?.close();
  }

  /** The open store answers at once. Opening it takes longer than reading a page. */
  #templateOf(host: string): Promise<Uint8Array | null> {
    if (this.#store !== null) return this.#store.template(host);
    return withStoreAt(this.dir, (store) => store.template(host));
  }
}
