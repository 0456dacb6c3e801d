/**
 * Describes the story of a URL in sentences; `again` names the crawl in the suggested next command. Text from the web
 * is made safe for a terminal.
 */

import { count, percent, plural, safeText, timeText, why } from '../../core/text/readable.ts';
import { cut } from '../../core/text/truncate-text.ts';
import { verdictOn } from '../../crawl/watchers/trust-rule.ts';
import { CANONICAL_VERDICTS, type ParameterLesson, type UrlRecord } from '../../store/contract.ts';
import type { PageTemplate } from '../page-template.ts';
import type { UrlFacts } from '../url-facts.ts';
import { evidenceText, lossSentences, visitSentences } from './visit-sentences.ts';

export function sentences(story: UrlFacts, again: string, nowMs: number): string[] {
  const { record } = story;
  if (record === null) return [story.url, ...unknownSentences(story), ...robotsSentence(story)];
  return [
    record.url,
    ...stateSentences(record),
    ...lossSentences(story, again),
    ...topicSentence(record),
    ...redirectSentences(story),
    ...(story.instead === null ? [] : [`Instead, this URL is fetched: ${story.instead}`]),
    ...story.lessons.map(lessonSentence),
    ...budgetSentences(story),
    ...waySentences(story),
    ...robotsSentence(story),
    ...hostSentence(story, nowMs),
    ...notFoundSentence(story),
    ...watcherSentences(story),
    ...visitSentences(story),
    ...mirrorSentences(story),
    ...archiveSentences(record, again),
    ...damageSentences(story),
  ];
}

const MOST_BLOCKS_SHOWN = 6;
const MOST_BLOCK_CHARS = 40;

export function templateSentences(template: PageTemplate | null): string[] {
  if (template === null) return [];
  const { words, templateWords, templateBlocks, examples } = template;
  if (templateBlocks === 0)
    return [`Own content: all ${plural(words, 'word')}; no part of the text is known as template.`];
  const shown = examples.slice(0, MOST_BLOCKS_SHOWN).map((text) => `"${safeText(cut(text, MOST_BLOCK_CHARS))}"`);
  const more = templateBlocks - shown.length;
  return [
    `Own content: ${count(words - templateWords)} of ${plural(words, 'word')}. The rest is template, in ${plural(templateBlocks, 'block')}:`,
    `  ${shown.join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`,
  ];
}

export function unknownSentences({ keptOutBy, instead, lessons }: UrlFacts): string[] {
  if (keptOutBy === null) return ['This crawl does not know the URL: it was not found on any page so far.'];
  const lines = [`This crawl does not know the URL and would not fetch it: ${why(keptOutBy)}.`];
  const isVariant = keptOutBy === 'trap-session-id' || keptOutBy === 'ignored-parameter';
  if (instead !== null && isVariant) lines.push(`Instead, this URL would be fetched: ${instead}`);
  if (keptOutBy === 'ignored-parameter') lines.push(...lessons.map(lessonSentence));
  return lines;
}

/** The evidence for an ignored parameter, or the page that refuted the lesson. */
function lessonSentence({ host, space, name, ...lesson }: ParameterLesson): string {
  const parameter = `The parameter ${safeText(name)} of ${host}${safeText(space)}`;
  const evidence = `${count(lesson.pairs)} pairs of ${count(lesson.pages)} pages were the same with and without it`;
  if (lesson.verdict === 'ignored') {
    return `${parameter} does not change the content: ${evidence}, and ${count(lesson.audits)} later checks found the same.`;
  }
  return `${parameter} seemed not to change the content (${evidence}), but ${lesson.contradictedBy} showed that it does. It is no longer ignored.`;
}

/** Only where the budget of the path pattern matters: the URL is left out for it, or others are. */
function budgetSentences({ record, budget }: UrlFacts): string[] {
  if (budget === null || budget.leftOut === 0) return [];
  const { pattern, answered, productive, leftOut, barren } = budget;
  const brought = `${count(productive)} of ${plural(answered, 'answer')} brought something new`;
  const lines = [`Its path pattern is ${safeText(pattern)}: ${brought}. Left out: ${plural(leftOut, 'URL')}.`];
  if (record!.reason !== 'trap-pattern-budget') return lines;
  const places = `all ${plural(budget.budget, 'place')} of its budget (--pattern-budget)`;
  lines.push(
    barren >= budget.budget
      ? `The pattern has ended: pages without anything new have used up ${places}.`
      : `The URL waits for a place: ${places} are taken. A place is free again when a page brings something new.`,
  );
  return lines;
}

export function stateSentences(record: UrlRecord): string[] {
  const { state, reason, failures } = record;
  const because = reason === null ? '' : `: ${why(reason)}`;
  const inARow = failures > 1 ? ` It failed ${count(failures)} times in a row.` : '';
  switch (state) {
    case 'waiting':
      return [waitingSentence(record)];
    case 'fetched':
      return [
        `Fetched${answer(record)}.`,
        ...pageSentence(record),
        ...(reason === null ? [] : [`Note${because}.`]),
        ...canonicalSentence(record),
        ...nearSentence(record),
      ];
    case 'duplicate':
      return [
        `Fetched${answer(record)}, and found to be a duplicate${because}.`,
        ...pageSentence(record),
        ...canonicalSentence(record),
        ...(record.duplicateOf === null ? [] : [`It is a duplicate of ${record.duplicateOf}`]),
      ];
    case 'redirect':
      return [`Redirected${answer(record)}${because}.`];
    case 'failed':
      return [`Failed${answer(record)}${because}.${inARow}`];
    case 'skipped':
      return [`${reason === 'no-sitemap' ? `Tried${answer(record)}` : 'Not fetched'}${because}.`];
    case 'gone':
      return [`Gone${because}.`];
  }
}

function waitingSentence({ reason, failures, dueAtMs, capture }: UrlRecord): string {
  // A URL whose response was lost or damaged is fetched once more.
  if (failures === 0 && capture !== null) return 'Waiting for its turn to be fetched again.';
  if (failures === 0) return 'Waiting for its turn; it has not been fetched yet.';
  const times = failures === 1 ? 'once' : `${count(failures)} times in a row`;
  const again =
    dueAtMs === null ? 'It is tried again at its next turn.' : `It is tried again after ${timeText(dueAtMs)}.`;
  return `Waiting, because it failed ${times}${reason === null ? '' : `: ${why(reason)}`}. ${again}`;
}

/** ` on 2025-11-15 09:46:40 UTC with status 200 (text/html)`. */
function answer({ capture }: UrlRecord): string {
  if (capture === null) return '';
  const type = capture.contentType === '' ? '' : ` (${safeText(capture.contentType)})`;
  return ` on ${timeText(capture.fetchedAtMs)} with status ${capture.status}${type}`;
}

function pageSentence({ title, language, bytes, outlinks }: UrlRecord): string[] {
  const named = safeText(title) === '' ? 'no title' : `the title "${safeText(title)}"`;
  const spoken = language === '' ? '' : `, and its language is ${safeText(language)}`;
  return [`The page has ${named}. It has ${plural(bytes, 'byte')} and ${plural(outlinks, 'link')}${spoken}.`];
}

/** Only for a crawl with a topic: the relevance of the page, or the estimate for a URL that was not fetched. */
function topicSentence({ relevance, state }: UrlRecord): string[] {
  if (relevance === null) return [];
  const what = state === 'fetched' || state === 'duplicate' ? 'relevance' : 'expected relevance';
  return [`Its ${what} to the topic is ${relevance.toFixed(2)} of 1.`];
}

function nearSentence({ nearDuplicateOf, similarity }: UrlRecord): string[] {
  if (nearDuplicateOf === null || similarity === null) return [];
  return [`It has ${percent(similarity)} of its text in common with ${nearDuplicateOf}`];
}

/** Only if the page names a canonical URL that it does not follow. */
function canonicalSentence({ canonical, canonicalVerdict }: UrlRecord): string[] {
  if (canonicalVerdict === null || canonicalVerdict === 'believed') return [];
  const why = CANONICAL_VERDICTS[canonicalVerdict];
  return [`It names ${canonical} as its canonical URL. This does not count: ${why}.`];
}

function redirectSentences({ redirects, redirectsLoop }: UrlFacts): string[] {
  const last = redirects.at(-1);
  if (last === undefined) return [];
  const steps = redirects.map(({ url }) => `  → ${url}`);
  const end = redirectsLoop
    ? 'The redirects form a loop.'
    : `The last target is ${last.state}${last.reason === null ? '' : `: ${why(last.reason)}`}.`;
  return ['It redirects to:', ...steps, end];
}

function waySentences({ record, via, isSeed }: UrlFacts): string[] {
  const { depth, original } = record!;
  const written = original === null ? '' : ` It was written as ${safeText(original)}`;
  if (via.length === 0 && record!.reason === 'no-sitemap') return [];
  if (via.length === 0 && depth === 0 && !isSeed) return [`It is a sitemap that robots.txt names.${written}`];
  if (via.length === 0) return [depth === 0 ? `It is a seed.${written}` : `It is ${links(depth)} away from the seeds.`];
  return [`It is ${links(depth)} away from the seeds, found through:`, ...via.map((url) => `  ${url}`)].concat(
    written === '' ? [] : [written.trim()],
  );
}

function links(depth: number): string {
  return depth === 1 ? 'one link' : `${count(depth)} links`;
}

function robotsSentence({ robots, host }: UrlFacts): string[] {
  const copy = host?.robots ?? null;
  if (copy === null || robots.state === 'not-asked') {
    return host === null ? [] : ['The robots.txt of its host was not requested.'];
  }
  const read = `(read ${timeText(copy.fetchedAtMs)})`;
  const { failingSinceMs } = copy;
  const because = host!.trouble === null ? '' : `: ${why(host!.trouble)}`;
  if (robots.state === 'none' && failingSinceMs !== undefined) {
    const since = `has not been readable since ${timeText(failingSinceMs)}${because}`;
    return [`The robots.txt of its host ${since}. After 30 days everything counts as allowed (RFC 9309, 2.3.1.4).`];
  }
  if (robots.state === 'none') return [`Its host has no robots.txt ${read}: everything is allowed.`];
  if (robots.state === 'unreachable') {
    return [`The robots.txt of its host could not be read ${read}${because}. Until it can, no page may be fetched.`];
  }
  return [`The robots.txt of its host ${robots.refusal === null ? 'allows' : 'disallows'} it ${read}.`];
}

function hostSentence({ record, host }: UrlFacts, nowMs: number): string[] {
  if (record!.state !== 'waiting' || host === null || host.manners.blockedUntilMs <= nowMs) return [];
  const because = host.trouble === null ? '' : `: ${why(host.trouble)}`;
  return [`No request is sent to its host until ${timeText(host.manners.blockedUntilMs)}${because}.`];
}

const NOT_FOUND = {
  error: 'an error, as it should',
  shell: 'the same as for its main page, which says nothing about other pages',
  page: 'a page',
  redirect: 'a redirect',
} as const;

/** The answer of the host for a path that does not exist. Absent if the host was not asked. */
function notFoundSentence({ host }: UrlFacts): string[] {
  if (!host?.notFound) return [];
  const { kind, probe, askedAtMs } = host.notFound;
  return [
    `Its host was asked for ${probe} on ${timeText(askedAtMs)}, which does not exist. It answered with ${NOT_FOUND[kind]}.`,
  ];
}

function mirrorSentences({ record, mirrors }: UrlFacts): string[] {
  return mirrors.map(({ host, of, same, different }) => {
    const paths = `${count(same)} of ${count(same + different)} compared paths have the same page`;
    return host === record!.host
      ? `Its host is a mirror of ${of}: ${paths}.`
      : `${host} is a mirror of its host: ${paths}.`;
  });
}

const MOST_DAMAGES_SHOWN = 5;

function damageSentences({ damaged }: UrlFacts): string[] {
  const shown = damaged.slice(0, MOST_DAMAGES_SHOWN).map(({ fetchedAtMs, damage }) => {
    const found = `found by verify on ${timeText(damage!.foundAtMs)}`;
    return `The response of ${timeText(fetchedAtMs)} is damaged in the archive (${safeText(damage!.problem)}), ${found}.`;
  });
  const more = damaged.length - shown.length;
  return [...shown, ...(more > 0 ? [`${count(more)} older responses are damaged too.`] : [])];
}

function archiveSentences({ url, capture, state }: UrlRecord, again: string): string[] {
  // The last response of a page that is gone is the error, which is no page to print.
  if (capture === null || state === 'gone') return [];
  const kind = capture.revisit ? ' (a revisit record: the same bytes were archived before)' : '';
  const place = `In the archive: ${capture.file}, ${capture.length} bytes from offset ${capture.offset}${kind}.`;
  return [place, `To print it: orbweaver show ${url} ${again}`];
}

/** Describes in one or two sentences what the watcher of the host says about a URL. */
const VERDICTS = {
  believed: 'which is trusted',
  'not-believed': 'which is not trusted',
  unproven: 'which has not proved correct yet',
} as const;

const MARKS = {
  untold: 'Its reports do not cover this URL, which follows the ordinary schedule.',
  changed: 'It reported that this page has changed; the next refresh visits the page.',
  gone: 'It reported that this page was deleted; the next refresh visits or drops the page.',
  unseen: 'Its reports were unreliable for a while. The page follows the ordinary schedule until its next visit.',
} as const;

function watcherSentences({ watcher }: UrlFacts): string[] {
  if (watcher === null) return [];
  const { record, mark } = watcher;
  const read = `last read ${timeText(record.readAtMs)}`;
  const from = record.cursor === null ? ', and must be read from its beginning' : '';
  const line = `Its host has a watcher, ${VERDICTS[verdictOn(record)]}: ${evidenceText(record)} (${read}${from}).`;
  return mark === null ? [line] : [line, MARKS[mark]];
}
