/**
 * Whether something changed (P14). The codes of the papers miss changes; 128-bit hashes do not: of the raw bytes, of the tags with
 * their attributes, of the text, and of each image. They are what must be kept of a version to judge the next one.
 *
 * Always: what is hashed can be read in one way only. Every name, value and text goes in with its length, every node with its
 * level, and the place of each text is told with the tags. SHA-256, cut to 128 bits: nobody can make two pages meet on purpose.
 */
import { hash } from 'node:crypto';
import type { PageOutline } from '../core/page-outline.ts';
import type { ChangeVerdict, PageVersion } from './page-change.ts';

/** Hexadecimal digits of 128 bits. */
const HASH_DIGITS = 32;

export interface VersionHashes {
  readonly bytes: string;
  /** Null where there is no outline. */
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

/** The images that both versions have, with other bytes. One that was fetched only once says nothing; that it came or went, the tags say. */
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
