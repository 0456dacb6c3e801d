/** Describes the result of a refresh: how it ended, what it found, what failed and why, and the first changes. */

import { readDifference } from '../../change/stored-difference.ts';
import { REASONS, type Reason } from '../../core/reasons.ts';
import { columns, count, percent, plural, safeText, sizeText, timeText } from '../../core/text/readable.ts';
import type { RefreshSummary } from '../../crawl/refresh.ts';
import type { LeaselessHost } from '../../crawl/watchers/watcher-summary.ts';
import type { ChangeEntry } from '../../store/contract.ts';
import { hostSentences } from './trouble-sentences.ts';

export const MOST_CHANGES_SHOWN = 10;
const MOST_EDITS_SHOWN = 5;
const MOST_EXAMPLES_SHOWN = 2;

/** `listed`: the changes to list one by one (list-changes.ts). */
export function refreshSentences(summary: RefreshSummary, listed: readonly ChangeEntry[], again: string): string[] {
  return [
    `${headline(summary)} in ${summary.seconds.toFixed(1)} s: ${findings(summary).join(', ')}`,
    ...editLines(summary),
    ...changeLines(listed),
    ...watcherSentences(summary),
    ...copySentence(summary),
    costs(summary),
    ...troubles(summary),
    ...unansweredHosts(summary),
    ...(summary.dropped > 0
      ? [`${plural(summary.dropped, 'old version')} dropped, ${sizeText(summary.bytesFreed)} of disk freed`]
      : []),
    ...sampleSentence(summary, again),
    ...(summary.changed > 0 ? [`Look at it: orbweaver diff <url> ${again}    orbweaver history <url> ${again}`] : []),
  ];
}

function sampleSentence({ sample }: RefreshSummary, again: string): string[] {
  if (sample === null || sample.damaged === 0) return [];
  const some = `${count(sample.damaged)} of ${count(sample.checked)} randomly checked responses`;
  return [`The archive is damaged: ${some}. Check the whole archive: orbweaver verify ${again}`];
}

function headline({ ending, left, failed, setAside, requests, unchanged, changed, noise }: RefreshSummary): string {
  if (ending === 'interrupted') return 'Interrupted, all saved';
  if (ending === 'failed') return 'Failed: no page answered, and the copy keeps its pages;';
  if (failed + setAside > 0 && unchanged + changed + noise === 0) return 'Not up to date';
  if (left > 0) return ending === 'limit' ? 'Stopped at a limit' : 'Not complete';
  if (failed + setAside > 0) return 'Up to date, except for failed pages';
  return requests === 0 ? 'Nothing to do' : 'Up to date';
}

function findings(summary: RefreshSummary): string[] {
  const {
    changed,
    changedBy,
    undescribed,
    noise,
    unchanged,
    reread,
    moved,
    gone,
    missing,
    returned,
    failed,
    refused,
    left,
  } = summary;
  // Kinds of a part of the changes would look like the kinds of all.
  const counted = undescribed === 0 ? Object.entries(changedBy) : [];
  const kinds = counted.map(([kind, pages]) => `${kind} ${count(pages)}`);
  const some = (number: number, words: string): string[] => (number === 0 ? [] : [`${count(number)} ${words}`]);
  return [
    `${count(summary.new)} new`,
    `${count(changed)} changed${kinds.length === 0 ? '' : ` (${kinds.join(', ')})`}`,
    ...some(noise, `changed only in noise${levelsOfNoise(summary)}`),
    `${count(unchanged)} unchanged${reread === 0 ? '' : ` (${count(reread)} of them parsed again for their images)`}`,
    ...some(moved, 'moved'),
    ...some(gone, 'gone'),
    ...some(returned, 'returned'),
    ...some(missing, 'missing (404 for the first time)'),
    ...some(failed - missing, 'failing'),
    ...some(refused, 'refused'),
    ...some(left, 'left for a later refresh'),
  ];
}

/** With `--level content`, changes of the layout are among the noise. */
function levelsOfNoise({ noise, layout, hidden }: RefreshSummary): string {
  return layout === 0 || noise !== layout + hidden ? '' : ` (layout ${count(layout)}, hidden ${count(hidden)})`;
}

function editLines({ edits }: RefreshSummary): string[] {
  const others = edits.slice(MOST_EDITS_SHOWN);
  const pages = others.reduce((sum, edit) => sum + edit.pages, 0);
  const more =
    others.length === 0 ? [] : [`  and ${plural(others.length, 'more edit')} of this kind on ${count(pages)} pages`];
  return [...edits.slice(0, MOST_EDITS_SHOWN).map(editLine), ...more];
}

/** "the same edit on 926 pages (content, template), e.g. URL, URL" */
function editLine({ pages, level, part, examples }: RefreshSummary['edits'][number]): string {
  const what = [level, part === 'template' ? part : null].filter((word) => word !== null).join(', ');
  const some = examples.slice(0, MOST_EXAMPLES_SHOWN).map(safeText).join(', ');
  return `  the same edit on ${plural(pages, 'page')}${what === '' ? '' : ` (${what})`}, e.g. ${some}`;
}

function changeLines(changes: readonly ChangeEntry[]): string[] {
  const shown = changes.slice(0, MOST_CHANGES_SHOWN).map(({ kind, url, change }) => {
    const difference = change === null ? null : readDifference(change);
    const words = difference === null ? 0 : difference.wordsAdded + difference.wordsRemoved;
    const what = difference === null ? '' : difference.kinds.join(', ');
    const much = words === 0 ? '' : `, +${count(difference!.wordsAdded)} −${count(difference!.wordsRemoved)} words`;
    return [`  ${kind}`, safeText(url), what + much];
  });
  const more = changes.length - shown.length;
  return [...columns(shown), ...(more > 0 ? [`  and ${count(more)} more`] : [])];
}

function copySentence({ copies: { leftOut, checked, different } }: RefreshSummary): string[] {
  if (leftOut + checked === 0) return [];
  const still = checked === 1 ? 'it is still a copy' : 'all are still copies';
  const found = different === 0 ? still : `${count(different)} ${different === 1 ? 'differs' : 'differ'} now`;
  if (leftOut === 0) return [`${copiesText(checked)} of other pages checked, ${found}`];
  const checks = checked === 0 ? '' : `; ${copiesText(checked)} checked, ${found}`;
  return [`${copiesText(leftOut)} of other pages not visited${checks}`];
}

function copiesText(copies: number): string {
  return copies === 1 ? '1 copy' : `${count(copies)} copies`;
}

function watcherSentences({ watchers }: RefreshSummary): string[] {
  return watchers.flatMap((watcher) => {
    const line = watcherSentence(watcher);
    return watcher.lease === 'refused' && watcher.stance !== 'held' ? [leaselessSentence(watcher), line] : [line];
  });
}

function watcherSentence(watcher: RefreshSummary['watchers'][number]): string {
  const { stance, told, checked, missed, falseAlarms, dropped, fault } = watcher;
  const host = safeText(watcher.host);
  if (stance === 'held') return heldSentence(watcher);
  if (stance === 'failed') return `${host} has a watcher, but its report was not used: ${fault}`;
  const word = `${host} has a watcher: ${plural(told, 'change')} reported, ${plural(checked, 'page')} checked`;
  const wrong = [
    ...(missed > 0 ? [plural(missed, 'unreported change')] : []),
    ...(falseAlarms > 0 ? [plural(falseAlarms, 'false alarm')] : []),
  ];
  const verdict = wrong.length === 0 ? 'all correct' : wrong.join(', ');
  const what = dropped > 0 ? `; ${plural(dropped, 'page')} dropped because of its report` : '';
  const led = stance === 'doubted' ? '; it was not trusted this time, so the ordinary schedule applied' : '';
  return `${word}, ${verdict}${what}${led}`;
}

function heldSentence({ host, heldBy, heldUntil }: RefreshSummary['watchers'][number]): string {
  const who = safeText(heldBy ?? '');
  const until = heldUntil === null ? '' : ` until ${timeText(Date.parse(heldUntil))}`;
  const what =
    who === '' ? `${safeText(host)} asks crawlers to keep away` : `${who} holds the lease of ${safeText(host)}`;
  return `${what}${until}; this host was left out`;
}

function costs({ requests, bytes, fullCrawlBytes }: RefreshSummary): string {
  const share = fullCrawlBytes === 0 ? 1 : bytes / fullCrawlBytes;
  const full = `a full crawl would have been about ${sizeText(fullCrawlBytes)}`;
  return `${plural(requests, 'request')} and ${sizeText(bytes)} of pages; ${full}${share < 1 ? ` (this was ${percent(share)} of it)` : ''}`;
}

function troubles({ troubles: reasons, setAside }: RefreshSummary): string[] {
  const lines = Object.entries(reasons).map(([reason, pages]) => {
    const why = REASONS[reason as Reason] ?? reason;
    return `${plural(pages, 'page')} failed and ${pages === 1 ? 'was' : 'were'} kept: ${why} [${reason}]`;
  });
  const waiting = `${count(setAside)} pages that failed before were not visited, because it is too early to try them again`;
  return setAside > 0 ? [...lines, waiting] : lines;
}

/** Pages of these hosts were left, because the hosts gave no answer. */
function unansweredHosts({ hostTroubles, left, failed, setAside }: RefreshSummary): string[] {
  if (hostTroubles.length === 0 || left + failed + setAside === 0) return [];
  return ['Hosts that gave no answer at the last request:', ...hostSentences(hostTroubles, true)];
}

/** The sentence of `crawl` and `refresh` about a host whose watcher lease another crawler held for too long. */
export function leaselessSentence({ host, heldBy, heldUntil, waitedSeconds }: LeaselessHost): string {
  const until = heldUntil === null ? '' : ` until ${timeText(Date.parse(heldUntil))}`;
  const who = heldBy ? `Another crawler, ${safeText(heldBy)}, holds` : 'The watcher gives nobody';
  const waited = waitedSeconds > 0 ? `waited ${waitedSeconds} s, then ` : '';
  return `${who} the lease of ${safeText(host)}${until}: ${waited}continued without it`;
}
