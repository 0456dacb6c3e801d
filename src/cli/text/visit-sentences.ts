/** Describes the visits to a URL after its first fetch: how often it changes, what failed, and what comes next. */

import type { UrlFacts } from '../../copy/url-facts.ts';
import { verdictOn } from '../../crawl/watchers/source-trust.ts';
import type { SourceRecord } from '../../store/contract.ts';
import { looksSentence } from './look-sentences.ts';
import { count, percent, timeText, why } from './readable.ts';

/** For a URL that had a page: since when the page is gone, and how to see its versions. */
export function lossSentences({ url, looks: { goneAtMs, lastContent } }: UrlFacts, again: string): string[] {
  if (goneAtMs === null) return [];
  const found = `The look on ${timeText(goneAtMs)} found that it has no page any more.`;
  if (lastContent === null) return [found];
  const at = new Date(lastContent.fetchedAtMs).toISOString();
  return [
    `${found} The archive still has its versions.`,
    `To list them: orbweaver history ${url} ${again}`,
    `To print the last: orbweaver show ${url} --at ${at} ${again}`,
  ];
}

export function visitSentences({ record, looks }: UrlFacts): string[] {
  const { habits, chance } = looks;
  if (record === null || habits === null) return [];
  const lines = [looksSentence(habits)];
  if (record.trouble !== null) lines.push(troubleSentence(record.trouble, habits.failures, habits.notBeforeMs));
  if (record.orphanedAtMs !== null) {
    lines.push(
      `Since ${timeText(record.orphanedAtMs)} nothing in the copy leads to it any more. It is kept, and looked at.`,
    );
  }
  if (habits.claimedMs > 0) lines.push(...claimSentences(looks));
  if (chance !== null)
    lines.push(`It has changed since with a chance of ${percent(chance)}, as far as a refresh can tell.`);
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
    ? 'The copy keeps it; if the next look finds the same, it is gone.'
    : 'The copy keeps its page.';
  const again = notBeforeMs > 0 ? ` It is tried again after ${timeText(notBeforeMs)}.` : '';
  return `But the last look failed${times}: ${why(trouble!)}. ${then}${again}`;
}

/** 2 → `2nd`. */
function ordinal(number: number): string {
  const ending = ['th', 'st', 'nd', 'rd'][number % 100 > 10 && number % 100 < 14 ? 0 : number % 10] ?? 'th';
  return `${count(number)}${ending}`;
}

function claimSentences({ habits, source }: UrlFacts['looks']): string[] {
  const { claimedMs, isClaimed } = habits!;
  const news = isClaimed ? ', which is later than the last look knew' : '';
  const said = `A sitemap or feed says that it changed on ${timeText(claimedMs)}${news}.`;
  if (source === null) return [said, 'Whether that can be believed is not known yet.'];
  return [said, `${VERDICTS[verdictOn(source)]}: ${evidenceText(source)}.`];
}

const VERDICTS = {
  believed: 'What they say of its host is believed',
  'not-believed': 'What they say of its host is not believed',
  unproven: 'Whether that can be believed is not known yet',
} as const;

/* Says how often change sources and watchers were right. */

/** `of 40 looks at pages they were silent about 1 found a change, of 12 at pages they named 11 did`. */
export function evidenceText(
  { confirmed, falseAlarms, missed, quiet }: Omit<SourceRecord, 'hostId' | 'host'>,
  theyWere = 'they were',
  they = 'they',
): string {
  const silent = `of ${count(missed + quiet)} looks at pages ${theyWere} silent about ${count(missed)} found a change`;
  return `${silent}, of ${count(confirmed + falseAlarms)} at pages ${they} named ${count(confirmed)} did`;
}
