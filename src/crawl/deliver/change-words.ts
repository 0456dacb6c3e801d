/** A change in words, for people who read the feed. */
import { REASONS } from '../../core/reasons.ts';
import type { ChangeKind } from '../../store/contract.ts';
import type { ToldChange } from './told-change.ts';
import type { ToldDifference } from './told-difference.ts';

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
  noise: 'The page has changed in nothing that a reader would notice.',
  moved: 'The page has moved: it now leads elsewhere.',
  gone: 'The page is gone',
  returned: 'The page was gone and is back.',
  orphaned: 'No page links to it any more.',
};

const MAX_REGIONS = 3;
const MAX_PAGES = 3;

export function wordsOf({ kind, reason, change, shownOn }: ToldChange): string {
  const first = kind === 'gone' ? `${KIND_SENTENCES.gone}${because(reason)}.` : KIND_SENTENCES[kind];
  const places = shownOn.length === 0 ? [] : [`Shown on: ${shownOn.slice(0, MAX_PAGES).join(' ')}`];
  return change === null ? first : [first, ...differenceWords(change), ...places].join(' ');
}

function because(reason: ToldChange['reason']): string {
  const why = reason === null ? undefined : REASONS[reason];
  return why === undefined ? '' : `: ${why}`;
}

function differenceWords({ kinds, shared, wordsAdded, wordsRemoved, regions, image }: ToldDifference): string[] {
  const sentences: string[] = [];
  if (kinds.length > 0) sentences.push(`What changed: ${kinds.join(', ')}.`);
  if (wordsAdded + wordsRemoved > 0) {
    // Rounded down: only what is the same is 100 %.
    const percent = Math.floor(shared * 100);
    sentences.push(`Words: ${wordsAdded} came, ${wordsRemoved} went; ${percent} % of the text is as before.`);
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
