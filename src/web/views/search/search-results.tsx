/** The results of a search. The words of the query are marked. */
import type { SearchAnswer } from '../../../serve/contract/search.ts';
import { useCopy } from '../../api/session.ts';
import { pagePath } from '../../routing/paths.ts';
import { Badge } from '../../ui/badge.tsx';
import { Foreign, OutsideLink, plain, UrlText } from '../../ui/foreign-text.tsx';
import { Ago } from '../../ui/time.tsx';

type Result = SearchAnswer['results'][number];

export function SearchResults({ answer }: { readonly answer: SearchAnswer }) {
  const { copy } = useCopy();
  const firstPartial = answer.results.findIndex(({ hasAll }) => !hasAll);
  return (
    <ol class="results">
      {answer.results.map((result, at) => (
        <li key={result.url} class="result">
          {at === firstPartial && at > 0 && <p class="result-divider">Pages with only some of the words</p>}
          <h2>
            <a href={pagePath(copy, result.url, { tab: 'reading' })}>
              {result.title === '' ? <UrlText url={result.url} /> : <Foreign text={result.title} />}
            </a>
          </h2>
          <p class="result-url">
            <OutsideLink url={result.url} />
            {result.fileType !== '' && result.fileType !== 'html' && <Badge tone="info">{result.fileType}</Badge>}
            <span class="muted">
              <Ago at={result.fetchedAt} />
            </span>
          </p>
          <Snippet result={result} />
        </li>
      ))}
    </ol>
  );
}

function Snippet({ result: { snippet, marks } }: { readonly result: Result }) {
  const parts = [];
  let from = 0;
  for (const mark of marks) {
    if (mark.from < from || mark.to > snippet.length) continue;
    parts.push(
      plain(snippet.slice(from, mark.from)),
      <mark key={mark.from}>{plain(snippet.slice(mark.from, mark.to))}</mark>,
    );
    from = mark.to;
  }
  parts.push(plain(snippet.slice(from)));
  return (
    <p class="snippet">
      <bdi dir="auto">{parts}</bdi>
    </p>
  );
}
