/**
 * The newest changes as an Atom 1.0 feed (RFC 4287). In: changes, newest first. Out: the text of
 * the file; equal changes give equal text. What always holds: the file is well-formed XML, and the
 * text of a page appears in it only as text.
 */
import { hash } from 'node:crypto';
import { VERSION } from '../../core/options/options.ts';
import { cut } from '../../core/text/truncate-text.ts';
import { kindWordsOf, wordsOf } from './change-words.ts';
import { type DeliveredChange, isoTime } from './delivered-change.ts';
import type { CopyIdentity } from './listener.ts';

const MAX_TITLE_CHARS = 200;
const MAX_SUMMARY_CHARS = 2_000;

export function atomFeed(copy: CopyIdentity, newestFirst: readonly DeliveredChange[]): string {
  // A feed without changes also needs a time, and it must be the same in every run.
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

function entry(copy: CopyIdentity, change: DeliveredChange): string {
  const { url, kind, at, title } = change;
  const name = title.trim() === '' ? url : title;
  return [
    '  <entry>',
    `    <id>urn:uuid:${entryUuid(copy.uuid, change.seq)}</id>`,
    `    <title>${xmlText(`${kindWordsOf(change)}: ${name}`, MAX_TITLE_CHARS)}</title>`,
    `    <updated>${at}</updated>`,
    `    <link rel="alternate" href="${xmlText(url, url.length)}"/>`,
    `    <category term="${kind}"/>`,
    `    <summary>${xmlText(wordsOf(change), MAX_SUMMARY_CHARS)}</summary>`,
    '  </entry>',
  ].join('\n');
}

/** A custom UUID (RFC 9562 §5.8) from the copy and the number of the change, which is never used twice. */
function entryUuid(copy: string, seq: number): string {
  const digits = hash('sha256', `${copy} ${seq}`, 'hex');
  const variant = ((Number.parseInt(digits[16]!, 16) & 3) | 8).toString(16);
  const [a, b, c] = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(13, 16)];
  return `${a}-${b}-8${c}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

/** Characters that XML 1.0 §2.2 forbids or discourages: control characters, lone surrogates and non-characters. */
const NOT_XML = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text to one line, for elements and attributes. */
export function xmlText(text: string, maxChars: number): string {
  const clean = text.replace(/[\t\n\r]+/g, ' ').replace(NOT_XML, '');
  return cut(clean, maxChars).replace(/[&<>"']/g, (sign) => ESCAPES[sign]!);
}
