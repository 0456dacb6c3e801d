/**
 * Reads one document, whatever its format. In: the bytes, the content type and the URL. Out: its content, or a reason.
 * The bytes decide about the format, because servers often declare the wrong type; only plain text has no mark of its
 * own. Runs in the document thread, which bounds time and memory.
 */
import { UnreadableDocument } from '../document-content.ts';
import { DocumentDraft } from '../document-draft.ts';
import { isDocx, readDocx } from '../formats/docx.ts';
import { isEpub, readEpub } from '../formats/epub.ts';
import { isOdt, readOdt } from '../formats/odt.ts';
import { readPlainText } from '../formats/plain-text.ts';
import { isRtf, readRtf } from '../formats/rtf.ts';
import { isZip, ZipFile } from '../zip/read-zip.ts';
import type { DocumentAnswer, DocumentJob } from './document-job.ts';

/** Programs write formats with a password into this container (MS-CFB 2.2). Old formats of Office use it too. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');
/** Readers accept a header within the first 1,024 bytes (ISO 32000-1, annex H.3, note 13). */
const PDF_HEADER_BYTES = 1_024;

export async function readJob({ bytes, contentType, url, linksOnly }: DocumentJob): Promise<DocumentAnswer> {
  const draft = new DocumentDraft(url, linksOnly);
  try {
    const separator = await readFormat(Buffer.from(bytes), contentType.toLowerCase(), draft);
    return draft.content(separator);
  } catch (error) {
    if (error instanceof UnreadableDocument) return { reason: error.reason };
    // The readers expect every kind of damage. An error that they do not know is damage too.
    return { reason: 'damaged' };
  }
}

/** Returns what separates the parts of the text: pages are separated by form feeds. */
async function readFormat(bytes: Buffer, contentType: string, draft: DocumentDraft): Promise<string> {
  if (bytes.subarray(0, PDF_HEADER_BYTES).includes('%PDF-')) {
    // Loaded when the first PDF arrives, because pdf.js is large.
    const { readPdf } = await import('../pdf/read-pdf.ts');
    await readPdf(bytes, draft);
    return '\n\f';
  }
  if (isZip(bytes)) readZip(new ZipFile(bytes), draft);
  else if (isRtf(bytes)) readRtf(bytes.toString('latin1'), draft);
  else if (bytes.subarray(0, 8).equals(COMPOUND_FILE) && bytes.includes(ENCRYPTED_PACKAGE)) {
    throw new UnreadableDocument('encrypted');
  } else if (contentType.trimStart().startsWith('text/plain')) {
    readPlainText(bytes, /charset="?([\w-]+)/.exec(contentType)?.[1] ?? null, draft);
  } else throw new UnreadableDocument('not-a-document');
  return '\n';
}

function readZip(zip: ZipFile, draft: DocumentDraft): void {
  if (isDocx(zip)) readDocx(zip, draft);
  else if (isEpub(zip)) readEpub(zip, draft);
  else if (isOdt(zip)) readOdt(zip, draft);
  else throw new UnreadableDocument('not-a-document');
}
