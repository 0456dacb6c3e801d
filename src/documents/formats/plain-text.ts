/** Reads plain text. In: the bytes and the declared charset. Out: the text with its own line breaks. */
import { UnreadableDocument } from '../document-content.ts';
import type { DocumentDraft } from '../document-draft.ts';

/** This many bytes show whether a file is text. */
const SAMPLE_BYTES = 4_096;

export function readPlainText(bytes: Buffer, charset: string | null, draft: DocumentDraft): void {
  const text = decode(bytes, charset);
  // A text has no NUL. A binary file with the wrong type has many.
  if (text.slice(0, SAMPLE_BYTES).includes('\0')) throw new UnreadableDocument('not-a-document');
  draft.appendLines(text.replace(/\r\n?/g, '\n').trimEnd());
}

function decode(bytes: Buffer, charset: string | null): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  for (const label of [charset ?? 'utf-8', 'utf-8']) {
    try {
      return new TextDecoder(label, { fatal: true }).decode(bytes);
    } catch {
      // The charset is unknown or wrong.
    }
  }
  return new TextDecoder('windows-1252').decode(bytes);
}
