import { asPlain } from '../../change/diff/as-terminal.ts';
import { hunksOf } from '../../change/diff/hunks.ts';
import { type PageDiff, readDiff } from '../../copy/read-diff.ts';
import { requireUrl, URL_ARGUMENT, withoutPage } from './find-page.ts';
import { COUNT, counted, MAYBE_COUNT, MAYBE_TEXT, readingTool, TEXT, ToolRefusal } from './tool.ts';
import { partOf, url, visible } from './web-text.ts';

const CONTEXT_LINES = 2;

export const pageDiffTool = readingTool({
  name: 'page_diff',
  title: 'What changed on a page',
  about:
    'Compares the readable text of two versions of a page: the last two that differ, or the versions at two times. ' +
    'Removed words are written [-so-], added words {+so+}. Long differences come in parts.',
  onlyReads: true,
  table: {
    url: URL_ARGUMENT,
    from: { kind: 'time', about: 'older version: the newest at or before this time', of: 'end' },
    to: { kind: 'time', about: 'newer version: the newest at or before this time (default: now)', of: 'end' },
    offset: { kind: 'count', about: 'first character to return', least: 0, most: 100_000_000, usual: 0 },
    max_chars: { kind: 'count', about: 'most characters to return', least: 500, most: 50_000, usual: 12_000 },
  },
  facts: {
    differs: { type: 'boolean' },
    fromFetchedAt: MAYBE_TEXT,
    toFetchedAt: TEXT,
    wordsAdded: MAYBE_COUNT,
    wordsRemoved: MAYBE_COUNT,
    totalChars: COUNT,
    nextOffset: MAYBE_COUNT,
  },
  web: { url: TEXT, difference: TEXT },
  async run({ store, place }, { url: asked, from: fromMs, to: toMs, offset, max_chars }) {
    if (fromMs !== null && toMs !== null && fromMs > toMs) {
      throw new ToolRefusal('ERR_BAD_OPTION', 'from is after to; the older time comes first.');
    }
    const record = await requireUrl(store, asked);
    const page = await readDiff(store, place, record.url, { fromMs, toMs, of: 'text' });
    if (page === null) {
      if (fromMs === null && toMs === null) throw withoutPage(record);
      throw new ToolRefusal(
        'ERR_NOT_IN_COPY',
        'The copy has no version of this page from that time. Use a later time.',
      );
    }
    const { from, to, diff, words } = page;
    const hunks = diff === null ? [] : hunksOf(diff, CONTEXT_LINES);
    const whole = visible(asPlain(hunks));
    const { text, end } = partOf(whole, offset, max_chars);
    const nextOffset = end < whole.length ? end : null;
    const [fromFetchedAt, toFetchedAt] = [from, to].map(
      (version) => version && new Date(version.fetchedAtMs).toISOString(),
    );
    const differs = from !== null && from.digest !== to.digest;
    const facts = {
      ...{ differs, fromFetchedAt: fromFetchedAt ?? null, toFetchedAt },
      wordsAdded: words?.wordsAdded ?? null,
      wordsRemoved: words?.wordsRemoved ?? null,
      ...{ totalChars: whole.length, nextOffset },
    };
    return {
      facts,
      says: [
        from === null
          ? `The copy has only one version of this page, from ${toFetchedAt}.`
          : `From ${fromFetchedAt} to ${toFetchedAt}: ${comparison(page, whole)}`,
        ...(nextOffset === null ? [] : [`The difference goes on: call page_diff again with offset ${nextOffset}.`]),
      ],
      web: { url: url(record.url), difference: text },
      webText: text,
    };
  },
});

function comparison({ diff, words }: PageDiff, shown: string): string {
  if (diff === null) return 'there is no text to compare.';
  if (shown === '') return 'the readable text is the same.';
  return `${counted(words?.wordsAdded ?? 0, 'word')} added, ${words?.wordsRemoved ?? 0} removed.`;
}
