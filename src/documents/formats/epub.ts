/**
 * Reads an EPUB book (EPUB 3.3, also EPUB 2). In: its ZIP file. Out: the text of the chapters in the order of the
 * spine, the metadata of the package and the links to the web.
 */
import { posix } from 'node:path';
import { UnreadableDocument } from '../document-content.ts';
import type { DocumentDraft } from '../document-draft.ts';
import type { ZipFile } from '../zip/read-zip.ts';
import { scanMarkup } from '../zip/scan-markup.ts';
import { readFields } from './docx.ts';

const CONTAINER = 'META-INF/container.xml';
const SKIPPED = new Set(['head', 'script', 'style', 'svg']);
/** Elements inside a line. All others end the paragraph. */
const INLINE = new Set(
  'a abbr b bdi bdo cite code data dfn em font i kbd mark q s samp small span strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

export function isEpub(zip: ZipFile): boolean {
  return zip.has(CONTAINER);
}

export function readEpub(zip: ZipFile, draft: DocumentDraft): void {
  // Fonts may be obfuscated in a book that anybody can read, so only the chapters say whether they are encrypted.
  const encrypted = encryptedFiles(zip);
  const packagePath = rootFile(zip);
  const xml = packagePath === null ? null : zip.text(packagePath);
  if (packagePath === null || xml === null) throw new UnreadableDocument('damaged');
  const fields = readFields(xml, ['title', 'creator', 'language']);
  draft.describe('title', fields.get('title'));
  draft.describe('author', fields.get('creator'));
  draft.describe('language', fields.get('language'));
  let readable = 0;
  for (const href of chaptersOf(xml)) {
    if (draft.isFull) break;
    const path = posix.join(posix.dirname(packagePath), href);
    if (encrypted.has(path)) throw new UnreadableDocument('encrypted');
    const chapter = zip.text(path);
    if (chapter === null) continue;
    readChapter(chapter, draft);
    readable++;
  }
  if (readable === 0) throw new UnreadableDocument('damaged');
}

function rootFile(zip: ZipFile): string | null {
  let path: string | null = null;
  scanMarkup(zip.text(CONTAINER) ?? '', {
    open(name, attribute) {
      if (name === 'rootfile') path ??= attribute('full-path');
    },
  });
  return path;
}

function encryptedFiles(zip: ZipFile): Set<string> {
  const files = new Set<string>();
  scanMarkup(zip.text('META-INF/encryption.xml') ?? '', {
    open(name, attribute) {
      if (name === 'CipherReference') files.add(attribute('URI') ?? '');
    },
  });
  return files;
}

/** The files of the spine in reading order, each once. */
function chaptersOf(xml: string): Set<string> {
  const files = new Map<string, string>();
  const ids: string[] = [];
  scanMarkup(xml, {
    open(name, attribute) {
      if (name === 'item') files.set(attribute('id') ?? '', attribute('href') ?? '');
      else if (name === 'itemref') ids.push(attribute('idref') ?? '');
    },
  });
  const chapters = new Set<string>();
  for (const id of ids) {
    const href = files.get(id);
    if (href !== undefined) chapters.add(decodePath(href));
  }
  return chapters;
}

function decodePath(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

function readChapter(xhtml: string, draft: DocumentDraft): void {
  let skipped = 0;
  scanMarkup(xhtml, {
    open(name, attribute) {
      if (SKIPPED.has(name)) skipped++;
      if (!INLINE.has(name)) draft.endParagraph();
      const href = name === 'a' ? attribute('href') : null;
      // A relative reference points into the book.
      if (href !== null && URL.canParse(href)) draft.link(href);
    },
    close(name) {
      if (SKIPPED.has(name) && skipped > 0) skipped--;
      if (!INLINE.has(name)) draft.endParagraph();
    },
    text(text) {
      if (skipped === 0) draft.append(text);
    },
  });
}
