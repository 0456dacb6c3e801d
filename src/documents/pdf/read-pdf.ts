/**
 * Reads a PDF document with pdf.js. In: its bytes. Out: the text of its pages, its information and its links. Text
 * needs no fonts, no canvas and no images, so none of these is loaded. If the CPU time runs out between two pages, the
 * result is the beginning of the document.
 */
import { getDocument } from 'unpdf/pdfjs';
import { LIMITS, UnreadableDocument } from '../document-content.ts';
import type { DocumentDraft } from '../document-draft.ts';
import { type TextItem, textOfItems } from './page-text.ts';

type PdfDocument = Awaited<ReturnType<typeof getDocument>['promise']>;

export async function readPdf(bytes: Buffer, draft: DocumentDraft): Promise<void> {
  const task = getDocument({
    data: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    // Errors only. The thread drops these too.
    verbosity: 0,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    enableXfa: false,
  });
  try {
    const document = await task.promise;
    await readInformation(document, draft);
    await readPages(document, draft);
  } catch (error) {
    if (error instanceof UnreadableDocument) throw error;
    throw new UnreadableDocument((error as Error | null)?.name === 'PasswordException' ? 'encrypted' : 'damaged');
  } finally {
    await task.destroy().catch(() => {});
  }
}

async function readInformation(document: PdfDocument, draft: DocumentDraft): Promise<void> {
  draft.pages = document.numPages;
  const found = await document.getMetadata().catch(() => null);
  if (found === null) return;
  const info = found.info as Record<string, unknown>;
  // The metadata packet is missing in most documents, although its type says otherwise.
  const packet = found.metadata as { get(name: string): unknown } | null;
  draft.describe('title', info.Title);
  draft.describe('title', packet?.get('dc:title'));
  draft.describe('author', info.Author);
  const creators = packet?.get('dc:creator');
  draft.describe('author', Array.isArray(creators) ? creators.join(', ') : creators);
  draft.describe('language', info.Language);
}

async function readPages(document: PdfDocument, draft: DocumentDraft): Promise<void> {
  const began = process.threadCpuUsage();
  let readable = 0;
  for (let number = 1; number <= document.numPages; number++) {
    const { user, system } = process.threadCpuUsage(began);
    if (number > LIMITS.pages || draft.isFull || (user + system) / 1_000 > LIMITS.partialCpuMs) {
      draft.isPartial = true;
      break;
    }
    if (await readPage(document, number, draft)) readable++;
    else draft.isPartial = true;
  }
  if (readable === 0) throw new UnreadableDocument('damaged');
}

/** A page that cannot be read is left out. The other pages of a broken document are often intact. */
async function readPage(document: PdfDocument, number: number, draft: DocumentDraft): Promise<boolean> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    draft.appendLines(textOfItems(items.filter((item): item is typeof item & TextItem => 'str' in item)));
    const annotations = (await page.getAnnotations()) as { url?: string; unsafeUrl?: string }[];
    for (const { url, unsafeUrl } of annotations) draft.link(url ?? unsafeUrl);
    page.cleanup();
    return true;
  } catch {
    return false;
  }
}
