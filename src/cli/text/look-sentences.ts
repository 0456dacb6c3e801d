/** Describes how often a page was visited and what changed. Text from the web is made safe for a terminal. */
import { MOST_COUNTED, type PageHabits } from '../../copy/page-habits.ts';
import type { Noted } from '../../copy/read-history.ts';
import { count, safeText, spanText, timeText, why } from './readable.ts';

const DAY_MS = 86_400_000;

/** `Visited 14 times, last on 2026-06-01 08:00:00 UTC; 3 changes, about one every 2 days.` */
export function looksSentence(habits: PageHabits): string {
  const { looks, lastAtMs, noise } = habits;
  const times = looks === 1 ? `once, on ${timeText(lastAtMs)}` : `${count(looks)} times, last on ${timeText(lastAtMs)}`;
  const onlyNoise = noise === 0 ? '' : `; ${count(noise)} ${noise === 1 ? 'visit' : 'visits'} found only noise`;
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

/** `text, links; small; at main > p:3 and 2 more places; ignored noise: counter`. */
export function notedText({ kind, reason, difference }: Noted): string {
  if (kind === 'orphaned') return 'no page links to it any more';
  if (reason !== null) return why(reason);
  if (difference === null) return '';
  const { kinds, band, regions, noise, isCut } = difference;
  if (isCut) return why('cpu-budget');
  const [first, ...others] = regions;
  const more =
    others.length === 0 ? '' : ` and ${count(others.length)} more ${others.length === 1 ? 'place' : 'places'}`;
  const parts = [
    kinds.join(', '),
    band === 'none' || band === 'no-text' ? '' : band,
    first === undefined ? '' : `at ${first.path}${more}`,
    noise.length === 0 ? '' : `${kind === 'noise' ? 'only' : 'ignored'} noise: ${noise.join(', ')}`,
  ];
  return safeText(parts.filter((part) => part !== '').join('; '));
}
