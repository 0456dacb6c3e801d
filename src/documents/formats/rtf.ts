/**
 * Reads an RTF document (RTF 1.9.1). In: its bytes as Latin-1. Out: its text, title, author and the targets of its
 * links. One pass with a stack of groups; the stack has a limit, so nesting costs nothing.
 */
import { UnreadableDocument } from '../document-content.ts';
import type { DocumentDraft } from '../document-draft.ts';

/** Groups whose content is not text of the document. */
const SKIPPED = new Set(
  (
    'fonttbl colortbl stylesheet listtable listoverridetable revtbl rsidtbl pict object objdata themedata datastore ' +
    'colorschememapping latentstyles header headerl headerr headerf footer footerl footerr footerf generator xmlnstbl ' +
    'filetbl fldinst info private mmathPr wgrffmtfilter pgdsctbl nonesttables'
  ).split(' '),
);
const FIELDS = new Set(['title', 'author']);
const SYMBOLS: Readonly<Record<string, string>> = {
  tab: '\t',
  line: '\n',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  cell: '\t',
  nestcell: '\t',
};
const PARAGRAPH_ENDS = new Set(['par', 'row', 'sect', 'page']);
const MAX_DEPTH = 1_000;
const NOTE = 'footnote';
const MAX_SKIPPED_AFTER_UNICODE = 8;
/** A backslash with a word and a number, with two hexadecimal digits, or with a symbol; a brace; or text. */
const TOKEN = /\\(?:([a-z]{1,32})(-?\d{1,10})? ?|'([0-9a-f]{2})|([^a-z]))|([{}])|([^\\{}\r\n]+)/gi;
const LINK = /HYPERLINK\s+"([^"]*)"/;

interface Group {
  /** The field or instruction that the text of the group belongs to, '' for the document, null if it is skipped. */
  target: string | null;
  skippedAfterUnicode: number;
}

export function isRtf(bytes: Buffer): boolean {
  return bytes.subarray(0, 5).toString('latin1') === '{\\rtf';
}

export function readRtf(rtf: string, draft: DocumentDraft): void {
  const groups: Group[] = [{ target: '', skippedAfterUnicode: 1 }];
  const fields = new Map<string, string>();
  /** Notes come after the text. */
  const notes: string[] = [];
  let tooDeep = 0;
  let bytes: number[] = [];
  let decoder = new TextDecoder('windows-1252');
  let skip = 0;
  const put = (text: string): void => {
    const { target } = groups.at(-1) as Group;
    if (target === '') draft.append(text);
    else if (target === NOTE) {
      if (!draft.isFull) notes.push(text);
    } else if (target !== null) fields.set(target, ((fields.get(target) ?? '') + text).slice(0, 4_000));
  };
  /** Bytes are collected first, because a character of an East Asian code page has two. */
  const flush = (): void => {
    if (bytes.length > 0) put(decoder.decode(Uint8Array.from(bytes)));
    bytes = [];
  };

  for (const [, word, number, hex, symbol, brace, text] of rtf.matchAll(TOKEN)) {
    if (draft.isFull) break;
    if (hex !== undefined) {
      if (skip > 0) skip--;
      else bytes.push(Number.parseInt(hex, 16));
      continue;
    }
    flush();
    const group = groups.at(-1) as Group;
    if (brace === '{') {
      if (groups.length < MAX_DEPTH) groups.push({ ...group });
      else tooDeep++;
    } else if (brace === '}') {
      if (tooDeep > 0) tooDeep--;
      else if (groups.length > 1) {
        const { target } = groups.pop() as Group;
        if (target === NOTE) notes.push(groups.at(-1)?.target === NOTE ? '' : '\n');
        else if (target === 'fldinst') {
          draft.link(LINK.exec(fields.get('fldinst') ?? '')?.[1]);
          fields.delete('fldinst');
        }
      }
    } else if (text !== undefined) {
      const shown = text.slice(skip);
      skip = Math.max(0, skip - text.length);
      put(shown);
    } else if (symbol !== undefined) {
      if (symbol === '*') group.target = null;
      else if (symbol === '~') put('\u00a0');
      else if (symbol === '_') put('-');
      else if (symbol === '\\' || symbol === '{' || symbol === '}') put(symbol);
    } else if (word === 'u') {
      put(String.fromCharCode(Number(number) & 0xffff));
      skip = group.skippedAfterUnicode;
    } else if (word === 'uc') {
      group.skippedAfterUnicode = Math.min(MAX_SKIPPED_AFTER_UNICODE, Math.max(0, Number(number)));
    } else if (word === 'ansicpg') decoder = decoderOf(Number(number)) ?? decoder;
    else if (word === 'fldinst') group.target = 'fldinst';
    else if (word === NOTE) group.target = NOTE;
    else if (FIELDS.has(word as string) && group.target === null) group.target = word as string;
    else if (SKIPPED.has(word as string)) group.target = null;
    // The row of a nested table ends in a group of its properties.
    else if (word === 'nestrow') draft.endParagraph();
    else if (PARAGRAPH_ENDS.has(word as string)) {
      if (group.target === '') draft.endParagraph();
      else if (group.target === NOTE) notes.push('\n');
    } else if (word !== undefined && SYMBOLS[word] !== undefined) put(SYMBOLS[word]);
  }
  flush();
  draft.endParagraph();
  for (const note of notes.join('').split('\n')) {
    draft.append(note);
    draft.endParagraph();
  }
  draft.describe('title', fields.get('title'));
  draft.describe('author', fields.get('author'));
  if (groups.length > 1) draft.isPartial = true;
  if (!rtf.includes('}') && rtf.length < 64) throw new UnreadableDocument('damaged');
}

function decoderOf(codePage: number): InstanceType<typeof TextDecoder> | null {
  const labels: Readonly<Record<number, string>> = { 932: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5' };
  try {
    return new TextDecoder(labels[codePage] ?? `windows-${codePage}`);
  } catch {
    return null;
  }
}
