/**
 * Resolves the targets of links and images. In: the base URL of the page and the `href` of its `<base>`. Out: absolute
 * URLs. Targets that are no address of a document (`javascript:`, `data:`, `blob:`) give null.
 */
import { MAX_URL_CHARS } from '../../url/standard-form.ts';

const NO_DOCUMENT = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'about:']);
/** More different targets than this are resolved without a cache. */
const MAX_CACHED = 20_000;
const ORDINARY_FRAGMENT = /^[\w.:+-]{1,1000}$/;

export class PageLinks {
  readonly #base: string | undefined;
  readonly #resolved = new Map<string, string | null>();

  constructor(pageUrl: string, baseHref: string | null) {
    const base = baseHref === null ? null : URL.parse(baseHref, pageUrl);
    const isUsable = base !== null && !NO_DOCUMENT.has(base.protocol);
    const usable = isUsable ? base : URL.parse(pageUrl);
    if (usable !== null) usable.hash = '';
    this.#base = usable?.href;
  }

  /** The absolute URL with its fragment, or null if the text is no usable target. */
  resolve(href: string): string | null {
    const hash = href.indexOf('#');
    // Many links of a page differ only in the fragment. An ordinary fragment is written as it is.
    if (hash < 0 || !ORDINARY_FRAGMENT.test(href.slice(hash + 1))) return this.#resolveWhole(href);
    const url = this.#resolveWhole(href.slice(0, hash));
    return url === null ? null : `${url}${href.slice(hash)}`;
  }

  #resolveWhole(href: string): string | null {
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
