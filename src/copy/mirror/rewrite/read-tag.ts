/**
 * Reads the attributes of a tag with their places in the document, by the tokenizer states of the HTML standard
 * (13.2.5.32–40). html/read-attributes.ts reads the same for the stages of a crawl, which need no places.
 */
import { isWhite } from '../../../page/html/scan-tag.ts';

export interface Attribute {
  /** In lower case. */
  readonly name: string;
  readonly nameFrom: number;
  readonly nameTo: number;
  /** The value without its quotes. */
  readonly from: number;
  readonly to: number;
  /** The value with its quotes; equal to `nameTo` twice if the attribute has no value. */
  readonly outerFrom: number;
  readonly outerTo: number;
}

export interface Tag {
  readonly attributes: readonly Attribute[];
  readonly isSelfClosing: boolean;
  /** The position after its `>`. */
  readonly after: number;
}

/** Attributes beyond this number are skipped. The policy in the page still holds for their URLs. */
export const MAX_ATTRIBUTES = 1_000;

/** `from` is the end of the tag's name. Null if the document ends before the tag does; then it is no tag. */
export function readTag(chars: string, from: number): Tag | null {
  const attributes: Attribute[] = [];
  const { length } = chars;
  for (let at = from; ; ) {
    while (at < length && isBetween(chars.charCodeAt(at))) at++;
    if (at >= length) return null;
    if (chars.charCodeAt(at) === GREATER) {
      const isSelfClosing = at > from && chars.charCodeAt(at - 1) === SLASH;
      return { attributes, isSelfClosing, after: at + 1 };
    }
    const nameFrom = at++;
    while (at < length && !endsName(chars.charCodeAt(at))) at++;
    const nameTo = at;
    while (at < length && isWhite(chars.charCodeAt(at))) at++;
    let [outerFrom, outerTo, valueFrom, valueTo] = [nameTo, nameTo, nameTo, nameTo];
    if (chars.charCodeAt(at) === EQUALS) {
      do at++;
      while (at < length && isWhite(chars.charCodeAt(at)));
      outerFrom = valueFrom = at;
      const quote = chars[at];
      if (quote === '"' || quote === "'") {
        const end = chars.indexOf(quote, at + 1);
        if (end < 0) return null;
        [valueFrom, valueTo, at] = [at + 1, end, end + 1];
      } else {
        while (at < length && chars.charCodeAt(at) !== GREATER && !isWhite(chars.charCodeAt(at))) at++;
        valueTo = at;
      }
      outerTo = at;
    } else at = nameTo;
    if (attributes.length < MAX_ATTRIBUTES) {
      const name = chars.slice(nameFrom, nameTo).toLowerCase();
      attributes.push({ name, nameFrom, nameTo, from: valueFrom, to: valueTo, outerFrom, outerTo });
    }
  }
}

const SLASH = 47;
const EQUALS = 61;
const GREATER = 62;

function isBetween(code: number): boolean {
  return code === SLASH || isWhite(code);
}

function endsName(code: number): boolean {
  return code === SLASH || code === EQUALS || code === GREATER || isWhite(code);
}
