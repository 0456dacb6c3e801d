/**
 * The content of pages for `export --format jsonl --content`. In: the record of a URL. Out: the main content of its
 * response as text or Markdown, or its source; null for a URL without a page, and for content without text. With a
 * time, the rows are those of that time: only URLs that had a response then, and only facts that are known of then.
 */
import { hash } from 'node:crypto';
import { ContentReader } from '../../copy/content-reader.ts';
import { responseAt, stateThen } from '../../copy/response-at.ts';
import { isoOrNull, safeJson } from '../../core/text/readable.ts';
import type { CrawlPlace } from '../../crawl/place/crawl-place.ts';
import { keptOptions } from '../../crawl/place/data-folder.ts';
import { isContent, isUnreadable, type PageCopy, readRecord } from '../../crawl/place/read-archived.ts';
import { headerValue } from '../../fetch/outcome.ts';
import { readableVersion } from '../../page/readable-version.ts';
import { type CaptureRecord, type Store, URL_STATES, type UrlRecord, type UrlState } from '../../store/contract.ts';
import { type ContentOf, EXPORT_FIELDS, type ExportRow, jsonLines, recordsOf } from './export-rows.ts';

export const CONTENT_FORMS = ['text', 'markdown', 'html'] as const;
export type ContentForm = (typeof CONTENT_FORMS)[number];

export interface ContentWanted {
  readonly store: Store;
  readonly place: CrawlPlace;
  readonly form: ContentForm;
  readonly states: ReadonlySet<UrlState>;
  /** Null for the copy as it is now. */
  readonly atMs: number | null;
  readonly warn: (line: string) => void;
}

export function contentLines(wanted: ContentWanted): AsyncGenerator<string> {
  const reader = new ResponseReader(wanted);
  if (wanted.atMs !== null) return linesAt(wanted, wanted.atMs, reader);
  const contentOf: ContentOf = async ({ url, state, capture }) => {
    const isPage = capture !== null && (state === 'fetched' || state === 'duplicate');
    return isPage ? ((await reader.read(url, capture))?.content ?? null) : null;
  };
  return jsonLines(wanted.store, wanted.states, contentOf);
}

async function* linesAt(
  { store, states }: ContentWanted,
  atMs: number,
  reader: ResponseReader,
): AsyncGenerator<string> {
  for await (const records of recordsOf(store, new Set(URL_STATES))) {
    for (const record of records) {
      const capture = await responseAt(store, record.url, atMs);
      if (capture === null || !states.has(stateThen(capture))) continue;
      const read = isContent(capture) ? await reader.read(record.url, capture) : null;
      yield `${safeJson({ ...rowThen(record, capture, read?.copy ?? null), content: read?.content ?? null })}\n`;
    }
  }
}

const NOTHING_KNOWN = Object.fromEntries(EXPORT_FIELDS.map((field) => [field, null])) as ExportRow;

/** Makes the row of a URL at a time in the past. Links, ranks and duplicates are stored only as they are now. */
function rowThen({ url, depth }: UrlRecord, capture: CaptureRecord, copy: PageCopy | null): ExportRow {
  const { status, fetchedAtMs, contentType } = capture;
  const facts = { url, state: stateThen(capture), status, depth, fetchedAt: isoOrNull(fetchedAtMs) };
  const row = { ...NOTHING_KNOWN, ...facts, contentType: contentType || null };
  if (copy === null) return row;
  const { title } = readableVersion(copy.body, contentTypeOf(copy), url, 'source');
  return { ...row, bytes: copy.body.length, digest: `sha256:${hash('sha256', copy.body, 'hex')}`, title };
}

class ResponseReader {
  readonly #wanted: ContentWanted;
  readonly #reader: ContentReader;
  #options: ReturnType<typeof keptOptions> | null = null;

  constructor(wanted: ContentWanted) {
    this.#wanted = wanted;
    this.#reader = new ContentReader(wanted.store);
  }

  /** Null if the archive cannot return the response. */
  async read(url: string, capture: CaptureRecord): Promise<{ copy: PageCopy; content: string | null } | null> {
    const { store, place, warn } = this.#wanted;
    this.#options ??= keptOptions(store);
    try {
      const copy = await readRecord(place, url, capture, await this.#options, store);
      return { copy, content: await this.#contentOf(url, copy) };
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      warn(`the content of ${url} is left out: ${error.message}`);
      return null;
    }
  }

  async #contentOf(url: string, copy: PageCopy): Promise<string | null> {
    const { form } = this.#wanted;
    const contentType = contentTypeOf(copy);
    if (form === 'html') return readableVersion(copy.body, contentType, url, 'source').text;
    const content = await this.#reader.read({ url, body: copy.body, contentType });
    if ('reason' in content) return null;
    return form === 'text' ? content.text() : content.markdown();
  }
}

function contentTypeOf({ capture }: PageCopy): string {
  return headerValue(capture.rawHeaders, 'content-type');
}
