/**
 * Reads documents that are not web pages: PDF, DOCX, ODT, EPUB, RTF and plain text. In: the bytes, the content type and
 * the URL. Out: text, title, author, language, links and number of pages, or one reason from a closed list. Invariants:
 * it never throws because of a document, it uses at most 3 s of CPU time and about 300 MB for one, and everything runs
 * in one thread of its own, which is reused.
 */
import { LIMITS } from './document-content.ts';
import type { DocumentAnswer } from './thread/document-job.ts';
import { DocumentThread } from './thread/document-thread.ts';

let thread: DocumentThread | null = null;

export async function readDocument(bytes: Uint8Array, contentType: string, url: string): Promise<DocumentAnswer> {
  if (bytes.byteLength > LIMITS.documentBytes) return { reason: 'too-large' };
  if (bytes.byteLength === 0) return { reason: 'not-a-document' };
  thread ??= new DocumentThread();
  return thread.read({ bytes, contentType, url });
}

/** Waits for the document that is being read and ends the thread. The next `readDocument` starts another one. */
export async function closeDocuments(): Promise<void> {
  const closing = thread;
  thread = null;
  await closing?.close();
}
