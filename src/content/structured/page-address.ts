/**
 * Resolves the addresses of a page. The base is the first `<base href>` (HTML standard 2.4.3), or the page itself if it
 * has none.
 */
import { MAX_URL_CHARS } from '../../url/standard-form.ts';

/** Each address of the page would repeat a longer base. */
const MAX_BASE_CHARS = 4_096;

export class PageAddress {
  readonly page: string;
  readonly base: string;

  constructor(page: string, baseHref: string | null) {
    this.page = page;
    const base = baseHref === null ? null : URL.parse(baseHref.trim(), page);
    const isUsable = base !== null && base.protocol !== 'data:' && base.protocol !== 'javascript:';
    this.base = isUsable && base.href.length <= MAX_BASE_CHARS ? base.href : page;
  }

  /** The absolute address. A text that is no address, or a longer one, is returned as it is written. */
  resolve(href: string): string {
    const text = href.trim();
    if (text === '' || text.length > MAX_URL_CHARS || text.startsWith('_:')) return text;
    return URL.parse(text, this.base)?.href ?? text;
  }
}
