/**
 * Reads a DOCX document (ECMA-376). In: its ZIP file. Out: the text of the body, the footnotes and the endnotes, the
 * core properties and the links. Deleted text of tracked changes is left out.
 */
import { UnreadableDocument } from '../document-content.ts';
import type { DocumentDraft } from '../document-draft.ts';
import type { ZipFile } from '../zip/read-zip.ts';
import { scanMarkup } from '../zip/scan-markup.ts';

const BODY = 'word/document.xml';
const NOTES = ['word/footnotes.xml', 'word/endnotes.xml'];
const FIELD_LINK = /HYPERLINK\s+"([^"]*)"/;

export function isDocx(zip: ZipFile): boolean {
  return zip.has(bodyOf(zip));
}

/** Some programs give the body another name. The relations of the package have it (part 2, 9.3). */
function bodyOf(zip: ZipFile): string {
  let body = BODY;
  scanMarkup(zip.has(BODY) ? '' : (zip.text('_rels/.rels') ?? ''), {
    open(name, attribute) {
      if (name !== 'Relationship' || attribute('Type')?.endsWith('/officeDocument') !== true) return;
      const target = attribute('Target')?.replace(/^\//, '') ?? '';
      if (target.startsWith('word/')) body = target;
    },
  });
  return body;
}

export function readDocx(zip: ZipFile, draft: DocumentDraft): void {
  readProperties(zip, draft);
  const body = bodyOf(zip);
  if (!zip.has(body)) throw new UnreadableDocument('damaged');
  for (const part of [body, ...NOTES]) readPart(zip, part, draft);
  readDefaultLanguage(zip, draft);
}

function readPart(zip: ZipFile, part: string, draft: DocumentDraft): void {
  const xml = zip.text(part);
  if (xml === null) return;
  const targets = readTargets(zip, part.replace('word/', 'word/_rels/').concat('.rels'));
  let isText = false;
  let instruction: string | null = null;
  /** A large first letter is a paragraph of its own, before the rest of its word. */
  let isDropCap = false;
  // Old programs read the fallback instead of the element before it, so it repeats the text.
  let fallbacks = 0;
  scanMarkup(xml, {
    open(name, attribute) {
      if (name === 'Fallback') fallbacks++;
      if (fallbacks > 0) return;
      if (name === 't') isText = true;
      else if (name === 'tab') draft.append('\t');
      else if (name === 'br' || name === 'cr') draft.append('\n');
      else if (name === 'noBreakHyphen') draft.append('-');
      else if (name === 'hyperlink') draft.link(targets.get(attribute('id') ?? ''));
      else if (name === 'instrText') instruction = '';
      else if (name === 'framePr') isDropCap = ['drop', 'margin'].includes(attribute('dropCap') ?? '');
    },
    close(name) {
      if (name === 'Fallback' && fallbacks > 0) fallbacks--;
      else if (name === 't') isText = false;
      else if (name === 'p') {
        if (!isDropCap) draft.endParagraph();
        isDropCap = false;
      } else if (name === 'tc') draft.append('\t');
      else if (name === 'instrText') {
        draft.link(FIELD_LINK.exec(instruction ?? '')?.[1]);
        instruction = null;
      }
    },
    text(text) {
      if (instruction !== null) instruction = (instruction + text).slice(0, 4_000);
      else if (isText && fallbacks === 0) draft.append(text);
    },
  });
  draft.endParagraph();
}

/** The external targets of a part by their id. */
function readTargets(zip: ZipFile, part: string): Map<string, string> {
  const targets = new Map<string, string>();
  scanMarkup(zip.text(part) ?? '', {
    open(name, attribute) {
      if (name !== 'Relationship' || attribute('TargetMode') !== 'External') return;
      targets.set(attribute('Id') ?? '', attribute('Target') ?? '');
    },
  });
  return targets;
}

function readProperties(zip: ZipFile, draft: DocumentDraft): void {
  const core = readFields(zip.text('docProps/core.xml'), ['title', 'creator', 'language']);
  draft.describe('title', core.get('title'));
  draft.describe('author', core.get('creator'));
  draft.describe('language', core.get('language'));
  const pages = Number(readFields(zip.text('docProps/app.xml'), ['Pages']).get('Pages'));
  if (Number.isSafeInteger(pages) && pages > 0) draft.pages = pages;
}

/** The language of the default style. Word writes it into every document. */
function readDefaultLanguage(zip: ZipFile, draft: DocumentDraft): void {
  let isDefault = false;
  scanMarkup(draft.language === null ? (zip.text('word/styles.xml') ?? '') : '', {
    open(name, attribute) {
      if (name === 'docDefaults') isDefault = true;
      if (name === 'lang' && isDefault) draft.describe('language', attribute('val'));
    },
    close(name) {
      if (name === 'docDefaults') isDefault = false;
    },
  });
}

/** The text of the first element of each name. */
export function readFields(xml: string | null, names: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>();
  let open: string | null = null;
  scanMarkup(xml ?? '', {
    open(name) {
      open = names.includes(name) && !fields.has(name) ? name : null;
    },
    close() {
      open = null;
    },
    text(text) {
      if (open !== null) fields.set(open, (fields.get(open) ?? '') + text);
    },
  });
  return fields;
}
