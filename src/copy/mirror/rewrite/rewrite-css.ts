/**
 * Rewrites the URLs of a style sheet. A URL that the mirror does not have becomes an empty `data:` URL, whose fragment
 * tells the original URL: nothing is requested, and nothing is shown, as if the file did not exist.
 */
import { scanCss } from '../../../page/references/css.ts';
import type { ReferenceCounts } from '../../files/file-form.ts';
import { type DocumentPlace, findTarget } from './find-target.ts';

export interface CssText {
  /** One character per byte, or decoded text. */
  readonly chars: string;
  /** Decodes a part of the text. */
  readonly decode: (chars: string) => string;
}

export type Replace = (from: number, to: number, text: string) => void;

export function editCss({ chars, decode }: CssText, place: DocumentPlace, counts: ReferenceCounts, replace: Replace) {
  scanCss(chars, (found, use, from, to) => {
    const written = chars.slice(from, to);
    const url = isAscii(written) ? found : urlIn(decode(written));
    // A fragment alone names an element of the document that uses the style sheet (CSS Values 4, 4.5.4).
    if (url === null || url.trim().startsWith('#')) return;
    const target = findTarget(url, place);
    if (target === null) return;
    if (target.isLocal) counts.rewritten++;
    else counts.leftOut++;
    const empty = use === 'import' ? 'data:text/css,' : 'data:,';
    replace(from, to, quoteCss(target.isLocal ? target.href : `${empty}#${target.href}`));
  });
}

/** Rewrites decoded text. Returns the same text if nothing changed. */
export function rewriteCssText(css: string, place: DocumentPlace, counts: ReferenceCounts): string {
  let text = '';
  let at = 0;
  editCss({ chars: css, decode: (chars) => chars }, place, counts, (from, to, replacement) => {
    text += css.slice(at, from) + replacement;
    at = to;
  });
  return text + css.slice(at);
}

/** The URL of a string with its quotes, or of the content of `url()`. */
function urlIn(written: string): string | null {
  let url: string | null = null;
  scanCss(`a{b:url(${written})}`, (found) => {
    url ??= found;
  });
  return url;
}

/** A `<` could end the `<style>` around the URL. */
function quoteCss(url: string): string {
  return `"${url.replace(/["\\]/g, '\\$&').replaceAll('<', '\\3c ')}"`;
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}
