/**
 * Reads the documents among the responses: PDF, DOCX, ODT, EPUB and RTF. In: a response. Out: its title, language and
 * links, which become those of the page; or the reason why it has none.
 *
 * What always holds: a crawl without documents loads no reader and starts no thread. A unit reads one document at a
 * time, in a thread with limits, and works on other URLs meanwhile. A document that is interrupted has no result, so
 * its URL still waits.
 */
import type { Reason } from '../../core/reasons.ts';
import { mayBeDocument } from '../../documents/may-be-document.ts';
import type { DocumentAnswer, DocumentRequest } from '../../documents/thread/document-job.ts';
import { HTML_TYPES } from '../../page/content-kind.ts';
import { LinkList } from '../../page/link-list.ts';
import type { ParsedPage } from '../../page/page.ts';

export type WaitingDocument = Omit<DocumentRequest, 'linksOnly'>;
export type ReadDocument = (document: WaitingDocument) => Promise<DocumentAnswer>;

/** A response that is declared as HTML is read as HTML. */
export function isDocument(body: Buffer, mediaType: string): boolean {
  return !HTML_TYPES.includes(mediaType) && mayBeDocument(body);
}

/** Loads the readers with the first document. */
export const readDocumentNow: ReadDocument = async ({ bytes, contentType, url }) => {
  const { readDocumentLinks } = await import('../../documents/read-document.ts');
  return readDocumentLinks(bytes, contentType, url);
};

/** Adds what was read of a document to its page. */
export function addDocument(page: ParsedPage, document: DocumentAnswer | null, maxLinks: number): void {
  if (document === null || 'reason' in document) return;
  page.title = document.title ?? '';
  page.language = document.language ?? '';
  const list = new LinkList(maxLinks);
  for (const url of document.links) list.add(url, 'a', '', '');
  page.links.push(...list.links);
  page.linksTruncated ||= list.truncated;
}

/** Why a document has no links, or not all; null if it was read completely, or is no document. */
export function documentReason(document: DocumentAnswer | null): Reason | null {
  if (document === null) return null;
  if (!('reason' in document)) return document.isPartial ? 'document-partial' : null;
  return document.reason === 'not-a-document' ? null : `document-${document.reason}`;
}

/** The run ends before a document was read. */
export class DocumentInterrupted extends Error {
  override readonly name = 'DocumentInterrupted';
}

/** Bodies of documents that wait to be read. While they are more, a unit begins no request. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/** The documents that a unit reads, in the order in which they arrived. */
export class UnitDocuments {
  readonly #isDraining: () => boolean;
  #last: Promise<unknown> = Promise.resolve();
  #waitingBytes = 0;
  /** The documents that are read or wait to be read. */
  underWay = 0;

  constructor(isDraining: () => boolean) {
    this.#isDraining = isDraining;
  }

  get hasRoom(): boolean {
    return this.#waitingBytes < MAX_WAITING_BYTES;
  }

  async read(document: WaitingDocument): Promise<DocumentAnswer> {
    this.underWay++;
    this.#waitingBytes += document.bytes.byteLength;
    const answer = this.#last.then(() => {
      if (this.#isDraining()) throw new DocumentInterrupted();
      return readDocumentNow(document);
    });
    this.#last = answer.catch(() => {});
    try {
      return await answer;
    } finally {
      this.underWay--;
      this.#waitingBytes -= document.bytes.byteLength;
    }
  }
}
