/**
 * Reads documents that are not web pages: PDF, DOCX, ODT, EPUB, RTF and plain text. In: the bytes, the content type and
 * the URL. Out: text, title, author, language, links and number of pages, or one reason from a closed list. Invariants:
 * it never throws because of a document, it uses at most 3 s of CPU time and about 300 MB for one, and everything runs
 * in one thread of its own, which is reused.
 */
import { LIMITS } from './document-content.ts';
import type { DocumentAnswer, DocumentRequest } from './thread/document-job.ts';
import { DocumentThread } from './thread/document-thread.ts';

let thread: DocumentThread | null = null;

export function readDocument(bytes: Uint8Array, contentType: string, url: string): Promise<DocumentAnswer> {
  return readFrom({ bytes, contentType, url, linksOnly: false });
}

/** Title, language and links. The text of a PDF is not read, which saves most of the time. */
export function readDocumentLinks(bytes: Uint8Array, contentType: string, url: string): Promise<DocumentAnswer> {
  return readFrom({ bytes, contentType, url, linksOnly: true });
}

async function readFrom(request: DocumentRequest): Promise<DocumentAnswer> {
  if (request.bytes.byteLength > LIMITS.documentBytes) return { reason: 'too-large' };
  if (request.bytes.byteLength === 0) return { reason: 'not-a-document' };
  thread ??= new DocumentThread();
  return thread.read(request);
}

/** Waits for the document that is being read and ends the thread. The next `readDocument` starts another one. */
export async function closeDocuments(): Promise<void> {
  const closing = thread;
  thread = null;
  await closing?.close();
}
