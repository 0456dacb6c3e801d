/**
 * Reads a PDF document with pdf.js. In: its bytes. Out: the text of its pages, its information and its links. Text
 * needs no fonts, no canvas and no images, so none of these is loaded. If the CPU time runs out between two pages, the
 * result is the beginning of the document.
 */
import { AnnotationType, getDocument } from 'unpdf/pdfjs';
import { LIMITS, UnreadableDocument } from '../document-content.ts';
import type { DocumentDraft } from '../document-draft.ts';
import { type TextItem, textOfItems } from './page-text.ts';

type PdfDocument = Awaited<ReturnType<typeof getDocument>['promise']>;

export async function readPdf(bytes: Buffer, draft: DocumentDraft): Promise<void> {
  const began = process.threadCpuUsage();
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
    await readPages(document, draft, began);
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

async function readPages(document: PdfDocument, draft: DocumentDraft, began: NodeJS.CpuUsage): Promise<void> {
  const isLate = (): boolean => {
    const { user, system } = process.threadCpuUsage(began);
    return (user + system) / 1_000 > LIMITS.partialCpuMs;
  };
  const last = Math.min(document.numPages, LIMITS.pages);
  let readable = 0;
  let number = 1;
  for (; number <= last && !draft.isFull && !isLate(); number++) {
    if (number % LINK_PAGES === 1) await readLinks(document, number, draft);
    if (draft.linksOnly) number = Math.min(last, number + LINK_PAGES - 1);
    else if (await readText(document, number, draft)) readable++;
    else draft.isPartial = true;
  }
  if (number <= document.numPages) draft.isPartial = true;
  if (readable === 0 && !draft.linksOnly) throw new UnreadableDocument('damaged');
}

/** A page that cannot be read is left out. The other pages of a broken document are often intact. */
async function readText(document: PdfDocument, number: number, draft: DocumentDraft): Promise<boolean> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    draft.appendLines(textOfItems(items.filter((item): item is typeof item & TextItem => 'str' in item)));
    page.cleanup();
    return true;
  } catch {
    return false;
  }
}

/** The links of this many pages are read together. */
const LINK_PAGES = 32;
const LINK = new Set([AnnotationType.LINK]);

/**
 * Reads the links of the next pages. `getAnnotations` of a page would read its text once more for each call, to know
 * the text under the links.
 */
async function readLinks(document: PdfDocument, first: number, draft: DocumentDraft): Promise<void> {
  // The work of each call grows with the declared number of pages.
  if (document.numPages > LIMITS.pages) return;
  const wanted = Array.from({ length: LINK_PAGES }, (_, at) => first - 1 + at);
  try {
    for (const link of await linksOf(document, wanted)) draft.link(link);
  } catch {
    // One of the pages is broken.
    draft.isPartial = true;
    for (const page of wanted) for (const link of await linksOf(document, [page]).catch(() => [])) draft.link(link);
  }
}

/** `pages` counts from 0. */
async function linksOf(document: PdfDocument, pages: readonly number[]): Promise<(string | undefined)[]> {
  const others = new Set(Array.from({ length: document.numPages }, (_, page) => page));
  for (const page of pages) others.delete(page);
  const found = (await document.getAnnotationsByType(LINK, others)) as Annotation[] | null;
  // The pages are read at the same time.
  const inOrder = (found ?? []).sort((a, b) => a.pageIndex - b.pageIndex);
  return inOrder.map(({ url, unsafeUrl }) => url ?? unsafeUrl);
}

interface Annotation {
  readonly pageIndex: number;
  readonly url?: string;
  readonly unsafeUrl?: string;
}
