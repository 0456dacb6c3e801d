/**
 * Decides by hashes whether something changed (P14). The codes of the papers miss changes; 128-bit hashes do not. There
 * is a hash of the raw bytes, of the tags with their attributes, of the text, and of each image. These hashes of a
 * version must be kept in order to judge the next version.
 *
 * What always holds: the hashed data is unambiguous. Every name, value and text is hashed with its length, every node
 * with its level, and the position of each text is hashed with the tags. The hash is SHA-256, cut to 128 bits, so
 * nobody can construct two different pages with the same hash.
 */
import { hash } from 'node:crypto';
import type { PageOutline } from '../core/page/page-outline.ts';
import type { ChangeVerdict, PageVersion } from './page-change.ts';

/** Hexadecimal digits of 128 bits. */
const HASH_DIGITS = 32;

export interface VersionHashes {
  readonly bytes: string;
  /** Null if there is no outline. */
  readonly tags: string | null;
  readonly text: string | null;
  readonly images: ReadonlyMap<string, string>;
}

const NO_IMAGES: ReadonlyMap<string, string> = new Map();

export function hashesOf({ bytes, outline, images }: PageVersion): VersionHashes {
  return {
    bytes: hash128(bytes),
    tags: outline === null ? null : hashTags(outline),
    text: outline === null ? null : hashText(outline),
    images: images ?? NO_IMAGES,
  };
}

export function decideChange(before: VersionHashes, after: VersionHashes): ChangeVerdict {
  if (changedImages(before.images, after.images).length > 0) return 'changed';
  if (before.bytes === after.bytes) return 'identical';
  if (before.tags === null || after.tags === null) return 'changed';
  return before.tags === after.tags && before.text === after.text ? 'noise' : 'changed';
}

/**
 * The images that both versions have with different bytes. An image that was fetched only once tells nothing; the tags
 * tell whether an image was added or removed.
 */
export function changedImages(before = NO_IMAGES, after = NO_IMAGES): string[] {
  const changed: string[] = [];
  for (const [url, was] of before) {
    const is = after.get(url);
    if (is !== undefined && is !== was) changed.push(url);
  }
  return changed;
}

export function hash128(content: Buffer | string): string {
  return hash('sha256', content).slice(0, HASH_DIGITS);
}

export function hashTags({ nodes }: PageOutline): string {
  let tags = '';
  for (const { kind, level, name, attributes } of nodes) {
    if (kind === 'element') {
      tags += `${level}<${name.length}:${name}`;
      for (const part of attributes) tags += ` ${part.length}:${part}`;
    } else if (kind === 'text') tags += `${level};`;
  }
  return hash128(tags);
}

export function hashText({ nodes }: PageOutline): string {
  let all = '';
  for (const { kind, text } of nodes) if (kind === 'text') all += `${text.length}:${text}`;
  return hash128(all);
}
