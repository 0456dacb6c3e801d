/** The content of a document, the reasons why it has none, and the limits of the reading. */

export interface DocumentContent {
  /** The text in reading order. Paragraphs and lines end with a line break, pages with a form feed. */
  readonly text: string;
  readonly title: string | null;
  readonly author: string | null;
  /** The declared language as the document writes it, for example `de-DE`. */
  readonly language: string | null;
  /** Absolute http and https URLs in the order of the document, each once. */
  readonly links: readonly string[];
  /** Number of pages of the document, if the format has pages and says how many. */
  readonly pages: number | null;
  /** True if a limit ended the reading early. The text is then the beginning of the document. */
  readonly isPartial: boolean;
}

export const DOCUMENT_FAILURES = [
  'too-large',
  'too-slow',
  'too-much-memory',
  'encrypted',
  'damaged',
  'not-a-document',
] as const;
export type DocumentFailure = (typeof DOCUMENT_FAILURES)[number];

/** A reader throws it to end with a reason. It never leaves the folder. */
export class UnreadableDocument extends Error {
  readonly reason: DocumentFailure;

  constructor(reason: DocumentFailure) {
    super(reason);
    this.reason = reason;
  }
}

export const LIMITS = {
  documentBytes: 50 * 1024 * 1024,
  /** The thread is terminated after this CPU time. Together with the start of another thread it is below 3 s. */
  cpuMs: 1_700,
  /** A reader that can return the beginning of a document stops after this CPU time. */
  partialCpuMs: 1_200,
  /** The thread is terminated after this time, even if it only waits. */
  elapsedMs: 60_000,
  /** JavaScript heap and buffers of the thread together. A buffer doubles while it grows, so this is half of 300 MB. */
  memoryBytes: 150 * 1024 * 1024,
  pages: 5_000,
  textChars: 10_000_000,
  links: 10_000,
  fieldChars: 1_000,
  zipEntries: 10_000,
  zipEntryBytes: 32 * 1024 * 1024,
  zipBytes: 64 * 1024 * 1024,
  /** XML of real documents is compressed to a fifth or a tenth, seldom to a fiftieth. */
  zipRatio: 200,
  /** Smaller entries may have a higher ratio. */
  zipRatioFromBytes: 1024 * 1024,
} as const;
