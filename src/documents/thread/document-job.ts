/** The messages between a program and the thread that reads documents. */
import type { DocumentContent, DocumentFailure } from '../document-content.ts';

export interface DocumentJob {
  readonly bytes: ArrayBuffer;
  readonly contentType: string;
  readonly url: string;
}

export type DocumentAnswer = DocumentContent | { readonly reason: DocumentFailure };
