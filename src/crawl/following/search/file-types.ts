/** The file type of a response, as `filetype:` of a query compares it. In: bytes, media type and URL. Out: its name. */
import { pathOf } from '../../../url/host.ts';

const TYPES_OF_TEXT: Readonly<Record<string, 'txt' | 'md' | 'csv'>> = {
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/x-markdown': 'md',
  'text/csv': 'csv',
};
export type TextType = 'txt' | 'md' | 'csv';

/** Servers send these as `text/plain` as well. */
const MARKDOWN_NAME = /\.(?:md|markdown)$/i;

const NAMES_IN_ZIP: readonly (readonly [name: string, type: string])[] = [
  ['word/document', 'docx'],
  ['META-INF/container.xml', 'epub'],
  ['META-INF/manifest.xml', 'odt'],
];

/** Null for a text that is no page for people, such as a script. */
export function textType(mediaType: string, url: string): TextType | null {
  const type = TYPES_OF_TEXT[mediaType] ?? null;
  return type === 'txt' && MARKDOWN_NAME.test(pathOf(url).split('?', 1)[0]!) ? 'md' : type;
}

/** The type of a document that was read (documents/may-be-document.ts). */
export function documentType(body: Buffer, mediaType: string, url: string): string {
  if (body.subarray(0, 2).toString('latin1') === 'PK') {
    return NAMES_IN_ZIP.find(([name]) => body.includes(name))?.[1] ?? 'zip';
  }
  if (body.subarray(0, 5).toString('latin1') === '{\\rtf') return 'rtf';
  const isText = mediaType.startsWith('text/') && !body.subarray(0, 1_024).includes('%PDF-');
  return isText ? (textType(mediaType, url) ?? 'txt') : 'pdf';
}
