/**
 * Takes words apart that no page has as a whole. In: a compiled query. Out: the query with the parts of these words.
 *
 * Somebody types `unittest.TestCase.assertGreater`, and the page has `assertGreater` under the heading `TestCase`. In
 * scripts without spaces, a whole sentence is one word. A number alone says nothing, so `C++20` becomes `C++`. A word
 * with `=` or with a field, and a phrase, stay whole. Words under NOT, OR and NEAR do, too.
 */
import type { Compiled, CompiledWords } from './compiled-query.ts';
import type { PageMatcher } from './match-pages.ts';

const HAS_LETTER = /\p{L}/u;

type WordOf = (term: string) => CompiledWords;

export function loosen(query: Compiled, matcher: PageMatcher, wordOf: WordOf): Compiled {
  switch (query.kind) {
    case 'words': {
      const parts = partsOf(query, matcher, wordOf);
      return parts === null ? query : { kind: 'plain', required: [], optional: parts };
    }
    case 'plain': {
      const optional = query.optional.flatMap((one) => {
        return one.kind === 'words' ? (partsOf(one, matcher, wordOf) ?? one) : one;
      });
      return { ...query, optional };
    }
    case 'and':
      return { kind: 'and', operands: query.operands.map((one) => loosen(one, matcher, wordOf)) };
    default:
      return query;
  }
}

/** Null if the word has no parts, has a field, is meant exactly, or is on a page. */
function partsOf(words: CompiledWords, matcher: PageMatcher, wordOf: WordOf): CompiledWords[] | null {
  const { field } = words;
  const parts = words.parts.filter((part) => HAS_LETTER.test(part));
  if (words.parts.length < 2 || parts.length === 0 || field !== 'any') return null;
  const isFound = matcher.index.segments.some((live) => !matcher.match(words, live).isEmpty);
  return isFound ? null : parts.map(wordOf);
}
