/**
 * The file of a URL in an export. In: a URL in normal form and its media type. Out: a path below the folder of the
 * export, with `/` between its parts.
 *
 * What always holds: the path is relative, has no `.` or `..`, no part begins with a dot, and every part is a legal
 * name on Linux, macOS and Windows. The same URL and type always give the same path. Two URLs may give the same path;
 * file-plan.ts decides then.
 */
import { hash } from 'node:crypto';
import { decodeUri } from '../../core/decode-uri.ts';
import { authorityOf, pathEnd, pathStart } from '../../url/host.ts';
import { splitName } from './media-types.ts';

/** Windows allows 260 characters with the folder of the user. */
const MAX_PATH_BYTES = 180;
const MAX_PART_BYTES = 80;
const MAX_LISTED_CHARS = 1_000;
const HASH_DIGITS = 8;
const LONG_PATHS = 'long-paths';
/** Device names of Windows, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
/** Characters that some file system or shell refuses, and those that have a meaning in a URL. */
const UNSAFE = /[<>:"/\\|?*#%&;`$'\p{C}\p{Zl}\p{Zp}]/gu;

/** Files of the export itself, beside the folders of the hosts. */
export const INDEX_FILE = 'index.html';
export const INDEX_TABLE = 'index.csv';
export const MARKER_FILE = 'orbweaver-export.json';
export const LIST_FILE = 'orbweaver-export-files.txt';
const OWN_FILES: readonly string[] = [INDEX_FILE, INDEX_TABLE, MARKER_FILE, LIST_FILE];

export interface ProposedFile {
  /** The folder, with `/` at its end. */
  readonly folder: string;
  /** The name without the extension. */
  readonly stem: string;
  /** With its dot; '' for none. */
  readonly extension: string;
  /** Whether the name alone does not tell the URL: it has a query, or characters were replaced. */
  readonly needsHash: boolean;
}

export function proposeFile(url: string, mediaType: string): ProposedFile {
  const start = pathStart(url);
  const end = pathEnd(url, start);
  const written = url.slice(start + 1, end).split('/');
  const last = written.pop()!;
  const name = last === '' ? 'index' : last;
  const parts = written.filter((part) => part !== '').map((part) => safePart(part, MAX_PART_BYTES));
  const split = splitName(name, mediaType);
  const stem = safePart(split.stem, MAX_PART_BYTES);
  const extension = split.extension === '' ? '' : `.${split.extension}`;
  const folder = [hostFolder(url), ...parts.map(({ text }) => text), ''].join('/');
  const isLong = Buffer.byteLength(folder) + Buffer.byteLength(stem.text) > MAX_PATH_BYTES;
  const isLossy = [stem, ...parts].some((part) => part.isLossy) || parts.length < written.length;
  const rest = { stem: stem.text, extension, needsHash: isLossy || isLong || end < url.length };
  // Paths that are too long end in one folder of their host.
  return isLong ? { ...rest, folder: `${hostFolder(url)}/${LONG_PATHS}/` } : { ...rest, folder };
}

/** The path of a proposed file. `digits` is the number of digits of the hash in its name; 0 for none. */
export function pathOfFile({ folder, stem, extension }: ProposedFile, url: string, digits: number): string {
  const mark = digits === 0 ? '' : `-${hash('sha256', url).slice(0, digits)}`;
  return `${folder}${guarded(`${stem}${mark}${extension}`)}`;
}

/** The numbers of hash digits that are tried, until the path is free. */
export function digitsToTry({ needsHash }: ProposedFile): readonly number[] {
  return needsHash ? [HASH_DIGITS, 24, 64] : [0, HASH_DIGITS, 24, 64];
}

/** Paths with the same folded form are one file on some file system. */
export function foldPath(path: string): string {
  return path.normalize('NFC').toLowerCase().toUpperCase().toLowerCase();
}

/** Every folder that a file lies in: `a/b/` gives `a` and `a/b`. */
export function foldersOf(folder: string): string[] {
  const parts = folder.slice(0, -1).split('/');
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

/** Whether a path is one that this file could have made. A list of files on a disk may have been changed. */
export function isExportPath(path: string): boolean {
  const parts = path.split('/');
  return parts.length > 1 && path.length < MAX_LISTED_CHARS && parts.every((part) => part === cleanPart(part));
}

/** The relative URL that leads from one file of the export to another. */
export function relativeUrl(from: string, to: string): string {
  const [source, target] = [from.split('/'), to.split('/')];
  let same = 0;
  while (same < source.length - 1 && same < target.length - 1 && source[same] === target[same]) same++;
  const up = '../'.repeat(source.length - 1 - same);
  return up + target.slice(same).map(encodeURIComponent).join('/');
}

/** A port is written with a plus, as wget does where a colon is not allowed. */
export function hostFolder(url: string): string {
  const written = authorityOf(url)
    .replace(/:(\d+)$/, '+$1')
    .replaceAll(':', '-')
    .replace(/[[\]]/g, '_');
  const { text } = safePart(written, MAX_PART_BYTES);
  return OWN_FILES.includes(text.toLowerCase()) ? `_${text}` : text;
}

interface SafePart {
  readonly text: string;
  readonly isLossy: boolean;
}

/** A part of the path of a URL as a legal name. */
function safePart(written: string, maxBytes: number): SafePart {
  const text = decodeUri(written);
  const clean = cleanPart(text ?? written);
  const isLossy = clean !== text;
  if (Buffer.byteLength(clean) <= maxBytes) return { text: clean, isLossy };
  const mark = `-${hash('sha256', written).slice(0, HASH_DIGITS)}`;
  return { text: cutToBytes(clean, maxBytes - mark.length) + mark, isLossy: true };
}

function cleanPart(text: string): string {
  return guarded(text.normalize('NFC').replace(UNSAFE, '_').replace(/^[ .]/, '_').replace(/[ .]$/, '_'));
}

function guarded(name: string): string {
  return DEVICE.test(name) ? `_${name}` : name === '' ? '_' : name;
}

function cutToBytes(text: string, most: number): string {
  let cut = '';
  let bytes = 0;
  for (const character of text.slice(0, most)) {
    bytes += Buffer.byteLength(character);
    if (bytes > most) break;
    cut += character;
  }
  return cut;
}
