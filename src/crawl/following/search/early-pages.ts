/**
 * Remembers the pages that were read while little was known about the template of their host. In: each page with the
 * number of pages from which the template was learned then. Out: the pages to read again, because much more is known
 * now. Without this, the navigation of the first hundred pages of a host counts as their own text.
 *
 * What always holds: a page is read again at most a few times, and the memory is bounded. Forgetting is harmless.
 */

/** A template of so many pages changes little. */
const KNOWN_WELL = 256;
/** A page is read again when the template was learned from so many times as many pages. */
const GROWTH = 4;
const MAX_REMEMBERED = 50_000;

export interface EarlyPage {
  readonly host: string;
  readonly id: number;
  /** The number of pages from which the template was learned when the page was read. */
  readonly templatePages: number;
}

export class EarlyPages {
  /** By host: the ids of pages, with the number of pages that the template knew. */
  #hosts = new Map<string, Map<number, number>>();
  #count = 0;

  /** All that is remembered, for the thread that continues. */
  get all(): readonly EarlyPage[] {
    return [...this.#hosts].flatMap(([host, pages]) =>
      [...pages].map(([id, templatePages]) => ({ host, id, templatePages })),
    );
  }

  note({ host, id, templatePages }: EarlyPage): void {
    const pages = this.#hosts.get(host);
    if (templatePages >= KNOWN_WELL) {
      if (pages?.delete(id)) this.#count--;
      return;
    }
    if (this.#count >= MAX_REMEMBERED) this.#forget();
    const noted = this.#hosts.get(host) ?? new Map<number, number>();
    this.#hosts.set(host, noted);
    if (!noted.has(id)) this.#count++;
    noted.set(id, Math.max(1, templatePages));
  }

  /** The pages of a host that are worth another reading, now that the template knows so many pages. */
  due(host: string, templatePages: number): number[] {
    const pages = this.#hosts.get(host) ?? NO_PAGES;
    return [...pages].flatMap(([id, then]) => (templatePages >= GROWTH * then ? [id] : []));
  }

  #forget(): void {
    this.#hosts = new Map();
    this.#count = 0;
  }
}

const NO_PAGES: ReadonlyMap<number, number> = new Map();
