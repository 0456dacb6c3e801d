/** The messages between a program and the thread that reads documents. */
import type { DocumentContent, DocumentFailure } from '../document-content.ts';

export interface DocumentRequest {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly url: string;
  /** The text of a PDF is left out, which saves most of the time. */
  readonly linksOnly: boolean;
}

export interface DocumentJob extends Omit<DocumentRequest, 'bytes'> {
  /** It moves to the thread. */
  readonly bytes: ArrayBuffer;
}

export type DocumentAnswer = DocumentContent | { readonly reason: DocumentFailure };
