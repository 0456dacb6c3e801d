/** Describes the visits to a URL after its first fetch: how often it changes, what failed, and what comes next. */

import type { UrlFacts } from '../../copy/url-facts.ts';
import { verdictOn } from '../../crawl/watchers/source-trust.ts';
import type { SourceRecord } from '../../store/contract.ts';
import { looksSentence } from './look-sentences.ts';
import { count, percent, timeText, why } from './readable.ts';

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
    lines.push(`Since ${timeText(record.orphanedAtMs)} no page in the copy links to it. It is kept and still visited.`);
  }
  if (habits.claimedMs > 0) lines.push(...claimSentences(looks));
  if (chance !== null) lines.push(`Estimated chance of a change since the last visit: ${percent(chance)}.`);
  return lines;
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

/* Says how often change sources and watchers were right. */

/** `1 of 40 visits to unreported pages found a change, and 11 of 12 visits to reported pages did`. */
export function evidenceText(evidence: Omit<SourceRecord, 'hostId' | 'host'>): string {
  const { confirmed, falseAlarms, missed, quiet } = evidence;
  const unreported = `${count(missed)} of ${count(missed + quiet)} visits to unreported pages found a change`;
  return `${unreported}, and ${count(confirmed)} of ${count(confirmed + falseAlarms)} visits to reported pages did`;
}
