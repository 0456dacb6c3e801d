/**
 * Writes an address of the page's own host without the host, so that its forms are equal: absolute with http or https,
 * without a scheme, from the root, and relative to the page. In: the URL of the page, the base that the page states,
 * and an address as written. Out: the address from the root, or the address as written if it may lead to another host.
 *
 * What always holds: two addresses with the same result lead to the same document. The scan of a page sums link
 * targets in the same form (page/html/text/own-targets.ts).
 */
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const MAX_CHARS = 4_096;

export class OwnAddress {
  readonly #base: URL;
  readonly #starts: readonly string[];

  private constructor(base: URL, starts: readonly string[]) {
    this.#base = base;
    this.#starts = starts;
  }

  /** Null if the URL cannot be read, or if the page states a base on another host. */
  static of(url: string, statedBase: string | null): OwnAddress | null {
    const page = URL.parse(url);
    const base = page === null || statedBase === null ? page : URL.parse(statedBase, url);
    if (page === null || base === null || base.host !== page.host || !/^https?:$/.test(page.protocol)) return null;
    // A port belongs to one scheme.
    const origins = page.port === '' ? [`http://${page.host}`, `https://${page.host}`] : [page.origin];
    return new OwnAddress(base, [...origins, `//${page.host}`]);
  }

  formOf(address: string): string {
    if (address.length > MAX_CHARS) return address;
    for (const start of this.#starts) {
      if (address.slice(0, start.length).toLowerCase() !== start) continue;
      const rest = address.slice(start.length);
      if (rest.startsWith('/')) return rest;
      return /^(?:[?#]|$)/.test(rest) ? `/${rest}` : address;
    }
    if (/^(?:[/?#\\]|$)/.test(address) || SCHEME.test(address)) return address;
    const resolved = URL.parse(address, this.#base.href);
    return resolved === null ? address : resolved.pathname + resolved.search + resolved.hash;
  }
}
