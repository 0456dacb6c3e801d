/**
 * Resolves the targets of links and images. In: the base URL of the page and the `href` of its `<base>`. Out: absolute
 * URLs. Targets that are no address of a document (`javascript:`, `data:`, `blob:`) give null.
 */
import { MAX_URL_CHARS } from '../../url/standard-form.ts';

const NO_DOCUMENT = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'about:']);
/** More different targets than this are resolved without a cache. */
const MAX_CACHED = 20_000;

export class PageLinks {
  readonly #base: string | undefined;
  readonly #resolved = new Map<string, string | null>();

  constructor(pageUrl: string, baseHref: string | null) {
    const base = baseHref === null ? null : URL.parse(baseHref, pageUrl);
    const isUsable = base !== null && !NO_DOCUMENT.has(base.protocol);
    this.#base = isUsable ? base.href : URL.parse(pageUrl)?.href;
  }

  /** The absolute URL with its fragment, or null if the text is no usable target. */
  resolve(href: string): string | null {
    let url = this.#resolved.get(href);
    if (url === undefined) {
      url = this.#parse(href);
      if (this.#resolved.size < MAX_CACHED) this.#resolved.set(href, url);
    }
    return url;
  }

  #parse(href: string): string | null {
    if (href.length > MAX_URL_CHARS) return null;
    const url = URL.parse(href, this.#base);
    if (url === null || NO_DOCUMENT.has(url.protocol)) return null;
    return url.href.length > MAX_URL_CHARS ? null : url.href;
  }
}
