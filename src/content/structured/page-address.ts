/**
 * Resolves the addresses of a page. The base is the first `<base href>` (HTML standard 2.4.3), or the page itself if it
 * has none.
 */

export class PageAddress {
  readonly page: string;
  readonly base: string;

  constructor(page: string, baseHref: string | null) {
    this.page = page;
    const base = baseHref === null ? null : URL.parse(baseHref.trim(), page);
    this.base = base !== null && base.protocol !== 'data:' && base.protocol !== 'javascript:' ? base.href : page;
  }

  /** The absolute address. A text that is no address is returned as it is written, an empty one stays empty. */
  resolve(href: string): string {
    const text = href.trim();
    if (text === '' || text.startsWith('_:')) return text;
    return URL.parse(text, this.base)?.href ?? text;
  }
}
