/**
 * Describes the visits to a URL: how often it was visited and changed, what a refresh noted, what failed, and what
 * comes next. Text from the web is made safe for a terminal.
 */
import type { ImageChange } from '../../change/image/compare-pictures.ts';
import { count, percent, plural, safeText, spanText, timeText, why } from '../../core/text/readable.ts';
import { verdictOn } from '../../crawl/watchers/trust-rule.ts';
import type { SourceRecord } from '../../store/contract.ts';
import { MOST_COUNTED, type PageHabits } from '../page-habits.ts';
import type { Noted } from '../read-history.ts';
import type { CopyFacts, UrlFacts } from '../url-facts.ts';

const DAY_MS = 86_400_000;

/** For a URL that had a page: since when the page is gone, and how to see its versions. */
export function lossSentences({ url, looks: { goneAtMs, lastContent } }: UrlFacts, again: string): string[] {
  if (goneAtMs === null) return [];
  const found = `The visit on ${timeText(goneAtMs)} found that the page no longer exists.`;
  if (lastContent === null) return [found];
  const at = new Date(lastContent.fetchedAtMs).toISOString();
  return [
    `${found} The archive still has its versions.`,
    `To list them: orbweaver history ${url} ${again}`,
    `To print the last version: orbweaver show ${url} --at ${at} ${again}`,
  ];
}

export function visitSentences({ record, looks }: UrlFacts): string[] {
  const { habits, chance } = looks;
  if (record === null || habits === null) return [];
  const lines = [looksSentence(habits)];
  if (record.trouble !== null) lines.push(troubleSentence(record.trouble, habits.failures, habits.notBeforeMs));
  if (record.orphanedAtMs !== null) {
    const then = looks.copy === null ? ' It is kept and still visited.' : '';
    lines.push(`Since ${timeText(record.orphanedAtMs)} no page in the copy links to it.${then}`);
  }
  if (looks.copy !== null) lines.push(copySentence(looks.copy));
  if (habits.claimedMs > 0) lines.push(...claimSentences(looks));
  if (chance !== null) lines.push(`Estimated chance of a change since the last visit: ${percent(chance)}.`);
  return lines;
}

function copySentence({ of, checkedAtMs, isLeftOut, isRetired }: CopyFacts): string {
  const found = `On ${timeText(checkedAtMs)}, at its last visit, it was a copy of ${safeText(of)}.`;
  if (isRetired) return `${found} It is not visited any more, because no page links to it.`;
  return isLeftOut
    ? `${found} It was not visited since, because that page is visited; each refresh checks one copy in 64.`
    : `${found} That page cannot stand for it now, so the next refresh visits it.`;
}

function troubleSentence(
  trouble: NonNullable<UrlFacts['record']>['trouble'],
  failures: number,
  notBeforeMs: number,
): string {
  const times = failures > 1 ? `, for the ${ordinal(failures)} time in a row` : '';
  const isMissing = trouble === 'not-found' || trouble === 'gone';
  const then = isMissing
    ? 'The copy keeps its page; if the next visit fails in the same way, the page is gone.'
    : 'The copy keeps its page.';
  const again = notBeforeMs > 0 ? ` It is tried again after ${timeText(notBeforeMs)}.` : '';
  return `But the last visit failed${times}: ${why(trouble!)}. ${then}${again}`;
}

/** 2 → `2nd`. */
function ordinal(number: number): string {
  const ending = ['th', 'st', 'nd', 'rd'][number % 100 > 10 && number % 100 < 14 ? 0 : number % 10] ?? 'th';
  return `${count(number)}${ending}`;
}

function claimSentences({ habits, source }: UrlFacts['looks']): string[] {
  const { claimedMs, isClaimed } = habits!;
  const news = isClaimed ? ', which was not known at the last visit' : '';
  const said = `A sitemap or feed says that it changed on ${timeText(claimedMs)}${news}.`;
  if (source === null) return [said, `${VERDICTS.unproven}.`];
  return [said, `${VERDICTS[verdictOn(source)]}: ${evidenceText(source)}.`];
}

const VERDICTS = {
  believed: 'The sitemaps and feeds of its host are trusted',
  'not-believed': 'The sitemaps and feeds of its host are not trusted',
  unproven: 'It is not known yet whether the sitemaps and feeds of its host can be trusted',
} as const;

/**
 * Says how often a change source or a watcher was right: `1 of 40 visits to unreported pages found a change, and 11 of
 * 12 visits to reported pages did`.
 */
export function evidenceText(evidence: Omit<SourceRecord, 'hostId' | 'host'>): string {
  const { confirmed, falseAlarms, missed, quiet } = evidence;
  const unreported = `${count(missed)} of ${count(missed + quiet)} visits to unreported pages found a change`;
  return `${unreported}, and ${count(confirmed)} of ${count(confirmed + falseAlarms)} visits to reported pages did`;
}

/** `Visited 14 times, last on 2026-06-01 08:00:00 UTC; 3 changes, about one every 2 days.` */
export function looksSentence(habits: PageHabits): string {
  const { looks, lastAtMs, noise } = habits;
  const times = looks === 1 ? `once, on ${timeText(lastAtMs)}` : `${count(looks)} times, last on ${timeText(lastAtMs)}`;
  const onlyNoise = noise === 0 ? '' : `; ${plural(noise, 'visit')} found only noise`;
  return `Visited ${times}${looks === 1 ? '' : `; ${changesText(habits)}${onlyNoise}`}.`;
}

function changesText({ changes, changesADay, lastAtMs, sinceMs }: PageHabits): string {
  if (changes === 0) return `no change seen in ${spanText(lastAtMs - sinceMs)}`;
  const most = changes === MOST_COUNTED ? ' or more' : '';
  const number = `${count(changes)}${most} ${changes === 1 ? 'change' : 'changes'}`;
  if (changesADay === 0) return number;
  return changesADay === Number.POSITIVE_INFINITY
    ? `${number}, one at each visit since the first`
    : `${number}, about one every ${spanText(DAY_MS / changesADay)}`;
}

/** `own content: text, links; small; at main > p:3 and 2 more places; ignored noise: counter`. */
export function notedText({ kind, reason, level, part, pages, difference }: Noted): string {
  if (kind === 'orphaned') return 'no page links to it any more';
  if (reason !== null) return why(reason);
  const what = level === null ? '' : part === null ? level : `${part} ${level}`;
  const shared = pages === 1 ? '' : `the same edit on ${count(pages)} pages`;
  if (difference === null) return [what, shared].filter((text) => text !== '').join('; ');
  const { kinds, band, regions, noise, isCut, isPartMissing } = difference;
  if (isCut) return why('cpu-budget');
  const [first, ...others] = regions;
  const more = others.length === 0 ? '' : ` and ${plural(others.length, 'more place')}`;
  const parts = [
    isPartMissing ? 'nothing on the page matches --only-in' : '',
    `${what === '' ? '' : `${what}: `}${kinds.join(', ')}`,
    shared,
    band === 'none' || band === 'no-text' ? '' : band,
    first === undefined ? '' : `at ${first.path}${more}`,
    noise.length === 0 ? '' : `${kind === 'noise' ? 'only' : 'ignored'} noise: ${noise.join(', ')}`,
  ];
  return safeText(parts.filter((part) => part !== '').join('; '));
}

/** For example `looks the same, 640 × 480 → 320 × 240 pixels`. */
export function imageText({ looksSame, width, height }: ImageChange): string {
  const looks = looksSame === null ? 'cannot be compared' : looksSame ? 'looks the same' : 'looks different';
  const [before, after] = [pixelsText(width.before, height.before), pixelsText(width.after, height.after)];
  const sizes = before === after ? after : `${before} → ${after}`;
  return `${looks}, ${sizes} pixels`;
}

function pixelsText(width: number | null, height: number | null): string {
  return width === null || height === null ? 'unknown' : `${count(width)} × ${count(height)}`;
}
