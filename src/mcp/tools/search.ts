import { CopySearcher } from '../../copy/search/search-copy.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { COUNT, counted, listOf, MAYBE_COUNT, MAYBE_TEXT, readingTool, TEXT, ToolRefusal } from './tool.ts';
import { fitting, line, title, url } from './web-text.ts';

const MOST_CHARS = 40_000;
const MOST_SNIPPET_CHARS = 700;
const MOST_NOTES = 10;

export const searchTool = readingTool({
  name: 'search',
  title: 'Search the copy',
  about:
    'Searches the text of all pages of the local copy. Pages with all words come first. Operators: "exact phrase", ' +
    '-without, +must, OR, NEAR/5, prefix*, and the filters site:example.com intitle:word inurl:word filetype:pdf ' +
    'lang:de date:2026. Returns title, URL and the passage that matches. Then use read_page with the URL.',
  onlyReads: true,
  table: {
    query: { kind: 'text', about: 'words to search for', most: 1_000, isRequired: true },
    limit: { kind: 'count', about: 'number of results', least: 1, most: 20, usual: 8 },
    offset: { kind: 'count', about: 'leave out so many results', least: 0, most: 10_000, usual: 0 },
  },
  facts: { total: COUNT, nextOffset: MAYBE_COUNT },
  web: {
    results: listOf({ url: TEXT, title: TEXT, passage: TEXT, language: TEXT, fileType: TEXT, fetchedAt: TEXT }),
    didYouMean: MAYBE_TEXT,
    notes: { type: 'array', items: TEXT },
  },
  async run({ store, place }, { query, limit, offset }) {
    const searcher = openSearcher(store, place);
    try {
      const wanted = { perHost: null, withNoindex: false, withFacets: false, explains: false, withFeedback: false };
      const {
        total,
        results: found,
        didYouMean,
        notes,
      } = await searcher.search({ text: query, limit, offset, ...wanted });
      const results = fitting(
        found.map((result) => ({
          url: url(result.url),
          title: title(result.title),
          passage: line(result.snippet, MOST_SNIPPET_CHARS),
          language: result.language,
          fileType: result.fileType,
          fetchedAt: new Date(result.fetchedAtMs).toISOString(),
        })),
        MOST_CHARS,
      );
      const end = offset + results.length;
      const nextOffset = results.length > 0 && end < total ? end : null;
      const suggestion = didYouMean === null ? null : line(didYouMean, 1_000);
      const notesShown = notes.slice(0, MOST_NOTES).map(({ message }) => line(message, 300));
      return {
        facts: { total, nextOffset },
        says: [
          results.length === 0
            ? `${total === 0 ? 'No page matches' : `Found ${counted(total, 'page')}, but none after offset ${offset}`}. Use fewer or other words.`
            : `Found ${counted(total, 'page')}; these are ${offset + 1} to ${end}. Read one with read_page.`,
          ...(nextOffset === null ? [] : [`More results: the same query with offset ${nextOffset}.`]),
        ],
        web: { results, didYouMean: suggestion, notes: notesShown },
        webText: [
          ...notesShown,
          ...(suggestion === null ? [] : [`Did you mean: ${suggestion}`]),
          ...results.map(
            ({ url, title, passage, fetchedAt }, at) =>
              `${offset + at + 1}. ${title}\n   ${url}\n   ${passage}\n   (fetched ${fetchedAt.slice(0, 10)})`,
          ),
        ].join('\n'),
      };
    } finally {
      searcher.close();
    }
  },
});

/** The message of the error has the path of the folder, which is no business of a model. */
function openSearcher(...[store, place]: ConstructorParameters<typeof CopySearcher>): CopySearcher {
  try {
    return new CopySearcher(store, place);
  } catch (error) {
    if (!(error instanceof OrbweaverError) || error.code !== 'ERR_NO_INDEX') throw error;
    throw new ToolRefusal(
      'ERR_NO_INDEX',
      'This copy has no search index. Its owner can make one with "orbweaver index". Until then, use list_sites and page_links to find pages.',
    );
  }
}
