/**
 * What a chat message says about a batch of changes, before it gets the form of a service. In: a batch. Out: a heading
 * and one line per change, as plain text on one line each. Equal batches give equal messages.
 */
import { groupedDigits } from '../../../core/grouped-digits.ts';
import { safeText } from '../../../core/safe-text.ts';
import { cut } from '../../../core/text/truncate-text.ts';
import { KIND_WORDS, shortWordsOf } from '../change-words.ts';
import type { DeliveredChange } from '../delivered-change.ts';
import type { ChangeBatch } from '../listener.ts';

export interface ChatMessage {
  readonly heading: string;
  readonly lines: readonly ChatLine[];
  /** Says how many changes have no line; '' if all have one. */
  readonly rest: string;
}

export interface ChatLine {
  /** Such as "Changed". */
  readonly kind: string;
  readonly title: string;
  readonly url: string;
  /** Such as "text, +3 −1 words"; '' if there is nothing to say. */
  readonly details: string;
}

/** Further changes of a batch are only counted, because a chat message is read at a glance. */
export const MAX_LINES = 15;
const MAX_TITLE_CHARS = 120;
const MAX_DETAIL_CHARS = 160;
/** A longer URL is no link that a person follows. It stays in the change log. */
const MAX_URL_CHARS = 1_000;

export function chatMessage({ changes }: Pick<ChangeBatch, 'changes'>): ChatMessage {
  const rest = changes.length - MAX_LINES;
  // An edit of many pages comes before the changes of single pages.
  const inOrder = [...changes.filter(({ edit }) => edit !== null), ...changes.filter(({ edit }) => edit === null)];
  return {
    heading: headingOf(changes),
    lines: inOrder.slice(0, MAX_LINES).map(lineOf),
    rest: rest > 0 ? `and ${groupedDigits(rest)} more` : '',
  };
}

/** "3 changed, 1 new on www.example.com" */
function headingOf(changes: readonly DeliveredChange[]): string {
  const counts = new Map<string, number>();
  const hosts = new Set<string>();
  for (const { kind, url, edit } of changes) {
    const word = KIND_WORDS[kind].toLowerCase();
    counts.set(word, (counts.get(word) ?? 0) + (edit?.pages ?? 1));
    hosts.add(URL.parse(url)?.host ?? '');
  }
  const [host = ''] = hosts;
  const where = hosts.size === 1 ? safeText(host) : `${groupedDigits(hosts.size)} sites`;
  return `${Array.from(counts, ([word, count]) => `${groupedDigits(count)} ${word}`).join(', ')} on ${where}`;
}

function lineOf(change: DeliveredChange): ChatLine {
  const title = safeText(change.title);
  const path = safeText(change.url.replace(/^https?:\/\//, ''));
  return {
    kind: KIND_WORDS[change.kind],
    title: cut(title === '' ? path : title, MAX_TITLE_CHARS),
    url: change.url.length > MAX_URL_CHARS ? '' : change.url,
    details: cut(safeText(shortWordsOf(change)), MAX_DETAIL_CHARS),
  };
}
