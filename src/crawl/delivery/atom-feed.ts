/**
 * The newest changes as an Atom 1.0 feed (RFC 4287). In: changes, newest first. Out: the text of
 * the file; equal changes give equal text. What always holds: the file is well-formed XML, and the
 * text of a page appears in it only as text.
 */
import { hash } from 'node:crypto';
import type { ToldDifference } from '../../change/stored-difference.ts';
import { VERSION } from '../../core/options/options.ts';
import { REASONS } from '../../core/reasons.ts';
import { cut } from '../../core/text/truncate-text.ts';
import type { ChangeKind } from '../../store/contract.ts';
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
    `    <title>${xmlText(`${KIND_WORDS[kind]}: ${name}`, MAX_TITLE_CHARS)}</title>`,
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

/** Describes a change in words, for the readers of the feed. */
const KIND_WORDS: Readonly<Record<ChangeKind, string>> = {
  new: 'New',
  changed: 'Changed',
  noise: 'Noise',
  moved: 'Moved',
  gone: 'Gone',
  returned: 'Back',
  orphaned: 'Orphaned',
};

const KIND_SENTENCES: Readonly<Record<ChangeKind, string>> = {
  new: 'The page is new.',
  changed: 'The page has changed.',
  noise: 'The page has changed, but no reader would notice.',
  moved: 'The page has moved: its URL redirects to another URL.',
  gone: 'The page is gone',
  returned: 'The page was gone and is back.',
  orphaned: 'No page links to this page any more.',
};

const MAX_REGIONS = 3;
const MAX_PAGES = 3;

export function wordsOf({ kind, reason, change, shownOn }: DeliveredChange): string {
  const first = kind === 'gone' ? `${KIND_SENTENCES.gone}${because(reason)}.` : KIND_SENTENCES[kind];
  const places = shownOn.length === 0 ? [] : [`Shown on: ${shownOn.slice(0, MAX_PAGES).join(' ')}`];
  return change === null ? first : [first, ...differenceWords(change), ...places].join(' ');
}

function because(reason: DeliveredChange['reason']): string {
  const why = reason === null ? undefined : REASONS[reason];
  return why === undefined ? '' : `: ${why}`;
}

function differenceWords({ kinds, shared, wordsAdded, wordsRemoved, regions, image }: ToldDifference): string[] {
  const sentences: string[] = [];
  if (kinds.length > 0) sentences.push(`What changed: ${kinds.join(', ')}.`);
  if (wordsAdded + wordsRemoved > 0) {
    // Rounded down: only an equal text is 100 %.
    const percent = Math.floor(shared * 100);
    sentences.push(`Words: ${wordsAdded} added, ${wordsRemoved} removed; ${percent} % of the text is the same.`);
  }
  const paths = regions.map(({ path }) => path);
  if (paths.length > 0) {
    const more = paths.length > MAX_REGIONS ? ` and ${paths.length - MAX_REGIONS} more` : '';
    sentences.push(`Where: ${paths.slice(0, MAX_REGIONS).join('; ')}${more}.`);
  }
  if (image?.looksSame === true) sentences.push('The image looks the same.');
  if (image?.looksSame === false) sentences.push('The image looks different.');
  return sentences;
}
