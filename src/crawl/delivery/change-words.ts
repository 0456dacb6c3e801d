/** Describes a delivered change in words, for the readers of feeds and chats. */
import type { ToldDifference } from '../../change/stored-difference.ts';
import { groupedDigits } from '../../core/grouped-digits.ts';
import { REASONS } from '../../core/reasons.ts';
import type { ChangeKind } from '../../store/contract.ts';
import type { DeliveredChange } from './delivered-change.ts';

export const KIND_WORDS: Readonly<Record<ChangeKind, string>> = {
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

/** "the same edit on 926 pages"; '' for a change of its own. */
function editText({ edit }: DeliveredChange): string {
  return edit === null ? '' : `the same edit on ${groupedDigits(edit.pages)} pages`;
}

/** "Changed", or "Changed on 926 pages". */
export function kindWordsOf({ kind, edit }: DeliveredChange): string {
  return edit === null ? KIND_WORDS[kind] : `${KIND_WORDS[kind]} on ${groupedDigits(edit.pages)} pages`;
}

export function wordsOf(delivered: DeliveredChange): string {
  const { kind, reason, change, shownOn, edit } = delivered;
  if (edit !== null) {
    const some = edit.examples.slice(0, MAX_PAGES).join(' ');
    const what = change === null ? [] : differenceWords(change);
    return [`It is ${editText(delivered)}, such as ${some}`, ...what].join(' ');
  }
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

/** "text, links, +3 −1 words", or why a page is gone; '' if there is nothing to add to the kind of the change. */
export function shortWordsOf(delivered: DeliveredChange): string {
  const { kind, reason, change } = delivered;
  if (delivered.edit !== null) {
    const { edit: _, ...one } = delivered;
    return [editText(delivered), shortWordsOf({ ...one, edit: null })].filter((words) => words !== '').join(', ');
  }
  if (kind === 'gone') return reason === null ? '' : (REASONS[reason] ?? reason);
  if (change === null) return '';
  const { kinds, wordsAdded, wordsRemoved } = change;
  return [...kinds, ...(wordsAdded + wordsRemoved === 0 ? [] : [`+${wordsAdded} −${wordsRemoved} words`])].join(', ');
}
