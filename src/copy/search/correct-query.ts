/**
 * "Did you mean": corrects the words of a query (E12). In: the query as it was typed, and its words. Out: the whole
 * query with corrected words, or null. Operators, phrases and filters stay as they were typed.
 */
import { analyzeText } from '../../search/analysis/analyze.ts';
import type { ParsedQuery, QueryWord } from '../../search/query/parse-query.ts';
import type { Suggestion } from '../../search/spelling/spelling.ts';

type Suggest = (words: readonly string[]) => Suggestion | null;

export function correctQuery(text: string, { words }: Pick<ParsedQuery, 'words'>, suggest: Suggest): string | null {
  let corrected = text;
  for (const group of neighbours(text, words).toReversed()) {
    const suggestion = suggest(group.map((word) => termOf(word.text)));
    for (const { first, count, words: better } of suggestion?.corrections.toReversed() ?? []) {
      const [from, to] = [group[first]!.start, group[first + count - 1]!.end];
      corrected = corrected.slice(0, from) + better.join(' ') + corrected.slice(to);
    }
  }
  return corrected === text ? null : corrected;
}

/** Words with nothing but spaces between them. Two of them may be one word. Exact words are meant as they are. */
function neighbours(text: string, words: readonly QueryWord[]): QueryWord[][] {
  const groups: QueryWord[][] = [];
  let end = -1;
  for (const word of words) {
    if (text[word.start] === '=') continue;
    const follows = end >= 0 && text.slice(end, word.start).trim() === '';
    if (follows) groups.at(-1)!.push(word);
    else groups.push([word]);
    end = word.end;
  }
  return groups;
}

/** The word as the index has it. A compound word has several terms and is not corrected. */
function termOf(word: string): string {
  const terms: string[] = [];
  analyzeText(word, 0, (term) => void terms.push(term));
  return terms.length === 1 ? terms[0]! : word;
}
