/** How a URL stands with the watcher of its host, in a sentence or two. */
import { verdictOn } from '../crawl/source-trust.ts';
import type { UrlStory } from '../crawl/url-story.ts';
import { evidenceText } from './evidence-text.ts';
import { timeText } from './readable.ts';

const VERDICTS = {
  believed: 'which is believed',
  'not-believed': 'which is not believed',
  unproven: 'which has yet to prove true',
} as const;

const MARKS = {
  untold: 'It does not tell of this URL, which goes by the ordinary schedule.',
  changed: 'It says that this page has changed; the next refresh looks at it.',
  gone: 'It says that this page was deleted; the next refresh looks at it or drops it.',
  unseen:
    'What it said of this page was not enough for a while, and nobody has looked since; it goes by the ordinary schedule until then.',
} as const;

export function watcherSentences({ watcher }: UrlStory): string[] {
  if (watcher === null) return [];
  const { record, mark } = watcher;
  const read = `last read ${timeText(record.readAtMs)}`;
  const from = record.cursor === null ? ', and to be read from its beginning' : '';
  const line = `Its host has a watcher, ${VERDICTS[verdictOn(record)]}: ${evidenceText(record, 'it was', 'it')} (${read}${from}).`;
  return mark === null ? [line] : [line, MARKS[mark]];
}
