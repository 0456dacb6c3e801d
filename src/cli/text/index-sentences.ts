/** Sentences about the search index. */

import { count, plural, sizeText, timeText } from '../../core/text/readable.ts';
import type { UnreadSummary } from '../../crawl/following/search/index-notes.ts';
import type { IndexStatus } from '../../crawl/following/search/index-status.ts';

const MOST_BEHIND = 10_000;

export function indexLines(status: IndexStatus | null, again: string): string[] {
  if (status === null) return [`No search index. To make it: orbweaver index ${again}`];
  const { pages, bytes, behind, at, unread } = status;
  const number = behind >= MOST_BEHIND ? `${count(MOST_BEHIND)} or more URLs` : plural(behind, 'URL');
  const end = behind === 0 ? 'up to date' : `${number} behind; to catch up: orbweaver index ${again}`;
  return [
    `Search index: ${plural(pages, 'page')}, ${sizeText(bytes)}, written ${timeText(Date.parse(at))}, ${end}.`,
    ...unreadLines(unread),
  ];
}

/** Names the archive files with most of the pages that could not be read. */
export function unreadLines({ pages, files }: UnreadSummary): string[] {
  if (pages === 0) return [];
  return [
    `${plural(pages, 'page')} could not be read for the search index; orbweaver index tries them again:`,
    ...files.map(({ file, pages: some, problem }) => `  ${file || 'no archive file'}: ${count(some)} (${problem})`),
  ];
}
