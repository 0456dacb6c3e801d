/**
 * Rewrites the body of a response for a mirror, by its media type: pages, XML documents and style sheets. All other
 * bodies, scripts too, stay as they are.
 *
 * What always holds: a body keeps its bytes between the rewritten references. Only a body in an encoding that does not
 * extend ASCII (UTF-16, UTF-32, ISO-2022-JP) becomes UTF-8 with a byte order mark.
 */
import { isAscii } from 'node:buffer';
import { resolverFor } from '../../../crawl/links/link-forms.ts';
import { decodeBody } from '../../../page/encoding/charset.ts';
import { charsetOfContentType, encodingOfLabel } from '../../../page/encoding/labels.ts';
import { decodeLegacy } from '../../../page/encoding/legacy-codec.ts';
import { prescanMeta, prescanXmlDeclaration } from '../../../page/encoding/prescan.ts';
import { parsePage } from '../../../page/page.ts';
import { emptyPage } from '../../../page/parsed-page.ts';
import type { FileLinks, ResponseToRender } from '../../files/file-form.ts';
import { rewriteAs } from '../../files/media-types.ts';
import { ByteEdits } from './byte-edits.ts';
import { baseOf, type DocumentPlace } from './find-target.ts';
import { editCss } from './rewrite-css.ts';
import { rewriteHtml } from './rewrite-html.ts';

type ToRewrite = Omit<ResponseToRender, 'capture'>;

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const NOT_ASCII_BASED = /^(?:utf-16|utf-32|iso-2022-jp|replacement)/;
/** Names of encodings that browsers do not know. */
const NO_LABEL = /^(?:ibm855|utf-32)/;
const MAX_URL_CHARS = 65_536;

export interface RewrittenBody {
  readonly bytes: Buffer;
  /** The name of its charset; '' for a body that was not rewritten. */
  readonly charset: string;
}

export function rewriteBody(given: ToRewrite, links: FileLinks): Buffer {
  return rewriteWithCharset(given, links).bytes;
}

export function rewriteWithCharset(given: ToRewrite, links: FileLinks): RewrittenBody {
  const syntax = rewriteAs(given.type);
  if (syntax === 'nothing') return { bytes: given.body, charset: '' };
  if (syntax === 'css') return rewriteStyleSheet(given, links);
  const { url, path } = given;
  // The header of a response may have no type, but the type that was found by its first bytes counts.
  const contentType = given.contentType === '' ? given.type : given.contentType;
  const kind = syntax === 'html' ? 'html' : 'xml';
  const { bytes, charset } = asciiBased(given.body, contentType, kind);
  const page = syntax === 'xml' ? emptyPage('other', charset) : parsePage(bytes, contentType, url, NO_LINKS);
  const resolve = resolverFor({ ...page, kind: 'html', charset }, url, links.normalizer, MAX_URL_CHARS);
  const place: DocumentPlace = { path, url, base: baseOf(page.base, url), charset, resolve, pathOf: links.pathOf };
  const isStatic = links.isStatic === true;
  const declare = isStatic ? null : charsetToDeclare(bytes, charset, contentType);
  return { bytes: rewriteHtml({ bytes, place, syntax, declare, isStatic }, links.counts), charset };
}

const NO_LINKS = { wantText: false, wantAnchors: false, maxLinks: 0 };

function rewriteStyleSheet(given: ToRewrite, links: FileLinks): RewrittenBody {
  const { url, path, contentType } = given;
  const written = /^@charset "([^"]{1,40})";/.exec(given.body.toString('latin1', 0, 60))?.[1] ?? null;
  const declared = encodingOfLabel(charsetOfContentType(contentType)) ?? encodingOfLabel(written);
  const type = declared === null ? 'text/css' : `text/css; charset=${declared}`;
  const { bytes, charset } = asciiBased(given.body, type, 'text');
  const resolve = links.normalizer.resolver(url);
  const place: DocumentPlace = { path, url, base: url, charset: 'utf-8', resolve, pathOf: links.pathOf };
  const edits = new ByteEdits();
  const decode = (chars: string) => decodeAs(Buffer.from(chars, 'latin1'), charset);
  editCss({ chars: bytes.toString('latin1'), decode }, place, links.counts, (from, to, text) =>
    edits.replace(from, to, text),
  );
  // A file has no header, and a browser takes the charset of the page then.
  const needsRule = declared !== null && written === null && !bytes.subarray(0, 3).equals(MARK) && !isAscii(bytes);
  if (needsRule) edits.replace(0, 0, `@charset "${charset}";`);
  return { bytes: edits.apply(bytes), charset };
}

function decodeAs(bytes: Buffer, charset: string): string {
  return charset === 'utf-8' || charset === '' ? bytes.toString() : decodeLegacy(bytes, charset);
}

/** The body in an encoding that extends ASCII, and the name of the encoding. */
function asciiBased(body: Buffer, contentType: string, kind: 'html' | 'xml' | 'text') {
  const { text, charset } = decodeBody(body, contentType, kind);
  if (!NOT_ASCII_BASED.test(charset)) return { bytes: body, charset };
  return { bytes: Buffer.concat([MARK, Buffer.from(text)]), charset: 'utf-8' };
}

/** A file has no header: the charset of the header, or the one that was found, is written into the page. */
function charsetToDeclare(bytes: Buffer, charset: string, contentType: string): string | null {
  if (bytes.subarray(0, 3).equals(MARK) || NO_LABEL.test(charset) || charset === '') return null;
  if ((prescanMeta(bytes) ?? prescanXmlDeclaration(bytes)) === charset) return null;
  const isDeclared = encodingOfLabel(charsetOfContentType(contentType)) !== null;
  return isDeclared || !isAscii(bytes) ? charset : null;
}
