/**
 * The URLs of a srcset (HTML standard 4.8.4.2.2). A URL may contain commas, as
 * `data:` URLs do, but may not end with one.
 */
import { isWhite } from './scan-tag.ts';

export function splitSrcset(srcset: string, maxUrls: number): string[] {
  const urls: string[] = [];
  const length = srcset.length;
  let at = 0;
  while (urls.length < maxUrls) {
    while (at < length && (isWhite(srcset.charCodeAt(at)) || srcset.charCodeAt(at) === COMMA)) at++;
    if (at >= length) break;
    const start = at;
    while (at < length && !isWhite(srcset.charCodeAt(at))) at++;
    let end = at;
    while (end > start && srcset.charCodeAt(end - 1) === COMMA) end--;
    urls.push(srcset.slice(start, end));
    // A URL that ends with commas has no descriptors. Otherwise the next comma
    // outside parentheses ends the descriptors.
    if (end === at) at = afterDescriptors(srcset, at);
  }
  return urls;
}

const COMMA = 44;
const OPEN = 40;
const CLOSE = 41;

function afterDescriptors(srcset: string, from: number): number {
  let inParentheses = false;
  for (let at = from; at < srcset.length; at++) {
    const code = srcset.charCodeAt(at);
    if (inParentheses) inParentheses = code !== CLOSE;
    else if (code === OPEN) inParentheses = true;
    else if (code === COMMA) return at + 1;
  }
  return srcset.length;
}
