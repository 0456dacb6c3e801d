/**
 * Reads an ODT document (OASIS OpenDocument 1.3). In: its ZIP file. Out: its text, metadata and links. Notes come
 * after the text. Comments and the deleted text of tracked changes are left out.
 */
import { UnreadableDocument } from '../document-content.ts';
import type { DocumentDraft } from '../document-draft.ts';
import type { ZipFile } from '../zip/read-zip.ts';
import { scanMarkup } from '../zip/scan-markup.ts';
import { readFields } from './docx.ts';

const SKIPPED = new Set([
  'annotation',
  'note-citation',
  'tracked-changes',
  'automatic-styles',
  'font-face-decls',
  'scripts',
]);
const MAX_SPACES = 100;

export function isOdt(zip: ZipFile): boolean {
  return zip.has('content.xml') && zip.has('META-INF/manifest.xml');
}

export function readOdt(zip: ZipFile, draft: DocumentDraft): void {
  readMetadata(zip, draft);
  const xml = zip.text('content.xml');
  // An encrypted document has readable metadata. Its manifest says that the content is encrypted (part 2, 3.16).
  if (zip.text('META-INF/manifest.xml')?.includes('encryption-data')) throw new UnreadableDocument('encrypted');
  if (xml === null) throw new UnreadableDocument('damaged');
  let skipped = 0;
  const notes: string[] = [];
  let notesOpen = 0;
  const append = (text: string): void => {
    if (notesOpen === 0) draft.append(text);
    else if (!draft.isFull) notes.push(text);
  };
  scanMarkup(xml, {
    open(name, attribute) {
      if (SKIPPED.has(name)) skipped++;
      if (skipped > 0) return;
      if (name === 'note-body') notesOpen++;
      else if (name === 's') append(' '.repeat(Math.min(MAX_SPACES, Number(attribute('c')) || 1)));
      else if (name === 'tab') append('\t');
      else if (name === 'line-break') append('\n');
      else if (name === 'a') draft.link(attribute('href'));
    },
    close(name) {
      if (SKIPPED.has(name) && skipped > 0) skipped--;
      else if (name === 'note-body' && notesOpen > 0) notesOpen--;
      else if (name !== 'p' && name !== 'h') return;
      else if (notesOpen > 0) notes.push('\n');
      else draft.endParagraph();
    },
    text(text) {
      if (skipped === 0) append(text);
    },
  });
  draft.endParagraph();
  for (const note of notes.join('').split('\n')) {
    draft.append(note);
    draft.endParagraph();
  }
}

function readMetadata(zip: ZipFile, draft: DocumentDraft): void {
  const xml = zip.text('meta.xml');
  const fields = readFields(xml, ['title', 'initial-creator', 'creator', 'language']);
  draft.describe('title', fields.get('title'));
  draft.describe('author', fields.get('initial-creator'));
  draft.describe('author', fields.get('creator'));
  draft.describe('language', fields.get('language'));
  scanMarkup(xml ?? '', {
    open(name, attribute) {
      if (name !== 'document-statistic') return;
      const pages = Number(attribute('page-count'));
      if (Number.isSafeInteger(pages) && pages > 0) draft.pages = pages;
    },
  });
  readDefaultLanguage(zip, draft);
}

/** The language of the default paragraph style, from `fo:language` and `fo:country`. */
function readDefaultLanguage(zip: ZipFile, draft: DocumentDraft): void {
  if (draft.language !== null) return;
  scanMarkup(zip.text('styles.xml') ?? '', {
    open(name, attribute) {
      if (name !== 'text-properties' || draft.language !== null) return;
      const [language, country] = [attribute('language'), attribute('country')];
      if (language === null || language === 'zxx' || language === 'none') return;
      draft.describe('language', country === null || country === 'none' ? language : `${language}-${country}`);
    },
  });
}
