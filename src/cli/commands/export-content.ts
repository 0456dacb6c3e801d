/**
 * The content of pages for `export --format jsonl --content`. In: the record of a URL. Out: the main content of its
 * newest response as text or Markdown, or its source; null for a URL without a page, and for content without text.
 */
import { HostTemplates, readContent } from '../../copy/read-content.ts';
import type { CrawlPlace } from '../../crawl/place/crawl-place.ts';
import { keptOptions } from '../../crawl/place/data-folder.ts';
import { isUnreadable, readRecord } from '../../crawl/place/read-archived.ts';
import { headerValue } from '../../fetch/outcome.ts';
import { readableVersion } from '../../page/readable-version.ts';
import type { Store, UrlRecord } from '../../store/contract.ts';
import type { ContentOf } from './export-rows.ts';

export const CONTENT_FORMS = ['text', 'markdown', 'html'] as const;
export type ContentForm = (typeof CONTENT_FORMS)[number];

export function contentReader(
  store: Store,
  place: CrawlPlace,
  form: ContentForm,
  warn: (line: string) => void,
): ContentOf {
  const templates = new HostTemplates(store);
  let options: ReturnType<typeof keptOptions> | null = null;
  return async ({ url, state, capture }: UrlRecord) => {
    if (capture === null || (state !== 'fetched' && state !== 'duplicate')) return null;
    options ??= keptOptions(store);
    try {
      const { body, capture: response } = await readRecord(place, url, capture, await options, store);
      const contentType = headerValue(response.rawHeaders, 'content-type');
      if (form === 'html') return readableVersion(body, contentType, url, 'source').text;
      const content = await readContent({ url, body, contentType, template: await templates.of(url) });
      if ('reason' in content) return null;
      return form === 'text' ? content.text() : content.markdown();
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      warn(`the content of ${url} is left out: ${error.message}`);
      return null;
    }
  };
}
