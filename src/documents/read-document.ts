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
  // A copy, because the buffer moves to the thread and the caller still needs its own.
  return thread.read({ bytes: new Uint8Array(bytes).buffer, contentType, url });
}

const ZIP = Buffer.from('PK\u0003\u0004');
const RTF = Buffer.from('{\\rtf');
const PDF = Buffer.from('%PDF-');
/** A PDF may begin with other bytes, which viewers skip. */
const PDF_WITHIN = 1_024;

/** Whether the first bytes are those of a PDF, a zip file or RTF. Only `readDocument` says whether it is a document. */
export function mayBeDocument(bytes: Buffer): boolean {
  const first = bytes.subarray(0, PDF_WITHIN);
  return first.subarray(0, 4).equals(ZIP) || first.subarray(0, 5).equals(RTF) || first.includes(PDF);
}

/** Waits for the document that is being read and ends the thread. The next `readDocument` starts another one. */
export async function closeDocuments(): Promise<void> {
  const closing = thread;
  thread = null;
  await closing?.close();
}
