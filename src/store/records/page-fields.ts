/**
 * Fields of a page in the form that every engine stores: the links as one list, the validators, the sketch as bytes.
 */
import { encodeLinkList, type LinkList, linkValue } from '../../graph/link-list.ts';
import type { UrlResult } from '../contract.ts';

/** A longer validator is not stored; the next request is then sent without it. */
const MAX_VALIDATOR_CHARS = 512;

export function linksOf({ knownLinks, foundAttributes }: UrlResult, found: readonly number[]): LinkList {
  return encodeLinkList(
    knownLinks,
    found.map((id, i) => linkValue(id, foundAttributes[i]!)),
  );
}

export function validator(text: string | undefined): string | null {
  return text === undefined || text === '' || text.length > MAX_VALIDATOR_CHARS ? null : text;
}

export function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
