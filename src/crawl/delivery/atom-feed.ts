/**
 * The newest changes as an Atom 1.0 feed (RFC 4287). In: told changes, newest first. Out: the text of the file, the same for
 * the same changes. What always holds: whatever a page wrote, the file is well-formed XML and holds it as text.
 */
import { hash } from 'node:crypto';
import { VERSION } from '../../core/options.ts';
import { KIND_WORDS, wordsOf } from './change-words.ts';
import { cut } from './cut.ts';
import type { CopyIdentity } from './listener.ts';
import { isoTime, type ToldChange } from './told-change.ts';

const MAX_TITLE_CHARS = 200;
const MAX_SUMMARY_CHARS = 2_000;

export function atomFeed(copy: CopyIdentity, newestFirst: readonly ToldChange[]): string {
  // Without a change there is still a time, and it must not differ from run to run.
  const updated = newestFirst[0]?.at ?? isoTime(copy.sinceMs);
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `  <id>urn:uuid:${copy.uuid}</id>`,
    '  <title>Changes</title>',
    `  <updated>${updated}</updated>`,
    '  <author><name>Orbweaver</name></author>',
    `  <generator version="${VERSION}">Orbweaver</generator>`,
    ...newestFirst.map((change) => entry(copy, change)),
    '</feed>',
    '',
  ].join('\n');
}

function entry(copy: CopyIdentity, change: ToldChange): string {
  const { url, kind, at, title } = change;
  const name = title.trim() === '' ? url : title;
  return [
    '  <entry>',
    `    <id>urn:uuid:${entryUuid(copy.uuid, change.seq)}</id>`,
    `    <title>${xmlText(`${KIND_WORDS[kind]}: ${name}`, MAX_TITLE_CHARS)}</title>`,
    `    <updated>${at}</updated>`,
    `    <link rel="alternate" href="${xmlText(url, url.length)}"/>`,
    `    <category term="${kind}"/>`,
    `    <summary>${xmlText(wordsOf(change), MAX_SUMMARY_CHARS)}</summary>`,
    '  </entry>',
  ].join('\n');
}

/** Of the copy and the number of the change, which is never given twice (RFC 9562 §5.8: a UUID of one's own making). */
function entryUuid(copy: string, seq: number): string {
  const digits = hash('sha256', `${copy} ${seq}`, 'hex');
  const variant = ((Number.parseInt(digits[16]!, 16) & 3) | 8).toString(16);
  const [a, b, c] = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(13, 16)];
  return `${a}-${b}-8${c}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

/** What XML 1.0 §2.2 has no place for, or advises against: controls, halves of characters, and non-characters. */
const NOT_XML = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** On one line; for elements and attributes alike. */
export function xmlText(text: string, maxChars: number): string {
  const clean = text.replace(/[\t\n\r]+/g, ' ').replace(NOT_XML, '');
  return cut(clean, maxChars).replace(/[&<>"']/g, (sign) => ESCAPES[sign]!);
}
