/** What is said above a diff, and instead of one. Text that came from the web is made safe for a terminal. */
import type { PageDiff } from '../crawl/read-diff.ts';
import type { VersionFacts } from '../crawl/read-version.ts';
import { imageText } from './image-sentences.ts';
import { count, safeText, sizeText, timeText } from './readable.ts';

/** The two contents and how much changed; the URL is said by the caller. */
export function diffHeading(page: PageDiff): string[] {
  const { from, to, diff } = page;
  const versions = from === null ? [] : [`from ${versionText(from)}`, `to   ${versionText(to)}`];
  const titles =
    from === null || from.title === to.title ? [] : [`title "${safeText(from.title)}" → "${safeText(to.title)}"`];
  const counts =
    diff === null || isEmpty(page) ? [] : [`${words(diff.wordsAdded)} added, ${count(diff.wordsRemoved)} removed`];
  return [...versions, ...titles, ...counts, ...insteadOfDiff(page)];
}

/** Why there is nothing to show; nothing where there is. */
export function insteadOfDiff(page: PageDiff): string[] {
  const { from, to, diff, of, image } = page;
  if (from === null) return [`The copy has no content before that of ${timeText(to.fetchedAtMs)} to compare it with.`];
  if (from.digest === to.digest) return ['Both are the same content.'];
  const digests = [digestText('from', from), digestText('to', to)];
  if (image !== null) return [`The image ${imageText(image)}.`, ...digests];
  if (diff === null) return ['These are no texts to compare.', ...digests];
  if (!isEmpty(page)) return [];
  return of === 'text' && /html/.test(to.contentType)
    ? ['The text is the same, only the markup changed: --html-source shows how.']
    : ['The text is the same, only its bytes differ.'];
}

function isEmpty({ diff }: PageDiff): boolean {
  return diff?.regions.every(({ kind }) => kind === 'same') === true;
}

function versionText({ fetchedAtMs, bytes, contentType }: VersionFacts): string {
  return `${timeText(fetchedAtMs)}, ${safeText(contentType) || 'of no type'}, ${sizeText(bytes)}`;
}

function digestText(side: string, { digest }: VersionFacts): string {
  return `${side.padEnd(4)} ${digest}`;
}

function words(number: number): string {
  return `${count(number)} ${number === 1 ? 'word' : 'words'}`;
}
