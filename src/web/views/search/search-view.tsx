/** Searches the copy while the user types. The query, the page and the facets are in the address. */
import { useEffect, useState } from 'preact/hooks';
import { useCopy } from '../../api/session.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { navigate, usePlace, withQuery } from '../../routing/location.ts';
import { viewPath } from '../../routing/paths.ts';
import { Command } from '../../ui/button.tsx';
import { Select } from '../../ui/fields.tsx';
import { Foreign } from '../../ui/foreign-text.tsx';
import { formatCount } from '../../ui/format.ts';
import { Empty, ErrorNote, Skeleton } from '../../ui/states.tsx';
import { Pager, useHeading } from '../../ui/toolbar.tsx';
import { Facets } from './facets.tsx';
import { SearchBox } from './search-box.tsx';
import { SearchResults } from './search-results.tsx';

const TYPING_MS = 150;
const SIZES = ['10', '20', '50', '100'];

export function SearchView() {
  const { copy } = useCopy();
  const { query } = usePlace();
  const heading = useHeading();
  const q = query.get('q') ?? '';
  const offset = Number(query.get('offset')) || 0;
  const size = SIZES.find((each) => each === query.get('limit')) ?? '10';
  const perHost = Number(query.get('perHost')) || undefined;
  const noindex = query.get('noindex') === 'true';
  const [typed, setTyped] = useState(q);
  useEffect(() => setTyped(q), [q]);

  // While a person types, the address follows; the history gets one entry, not one for each letter.
  useEffect(() => {
    if (typed === q) return;
    const timer = setTimeout(() => navigate(withQuery({ q: typed, offset: '' }), { replace: true }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, q]);

  const found = useAnswer('search', q.trim() === '' ? null : { copy }, {
    q,
    offset,
    limit: Number(size),
    facets: true,
    ...(perHost !== undefined && { perHost }),
    ...(noindex && { noindex: true }),
  });
  const answer = q.trim() === '' ? undefined : found.data;
  const facets = answer?.facets;

  return (
    <>
      <h1 class="sr-only" ref={heading} tabIndex={-1}>
        Search
      </h1>
      <div class="search-head">
        <SearchBox
          value={typed}
          onChange={setTyped}
          onSubmit={(text) => navigate(withQuery({ q: text, offset: '' }))}
        />
        <a href={viewPath(copy, 'search/advanced', { allWords: q })}>Advanced search</a>
      </div>
      <p class="search-count numbers" role="status">
        {answer && (
          <>
            {answer.total === 0
              ? 'No results'
              : `${formatCount(answer.total)} ${answer.total === 1 ? 'result' : 'results'}`}
            <span class="muted">
              {' '}
              in {formatCount(answer.indexed)} pages, {answer.milliseconds.toFixed(0)} ms
            </span>
          </>
        )}
      </p>
      {found.error && q.trim() !== '' && <ErrorNote error={found.error} onRetry={found.reload} />}
      {answer === undefined && found.isLoading && <Skeleton />}
      {q.trim() === '' && <Hints />}
      {answer && (
        <div class={`search-columns${found.isOld ? ' is-old' : ''}`}>
          {facets && <Facets facets={facets} q={q} />}
          <div class="search-main">
            {answer.didYouMean !== null && (
              <p class="did-you-mean">
                Did you mean{' '}
                <a href={withQuery({ q: answer.didYouMean, offset: '' })}>
                  <Foreign text={answer.didYouMean} />
                </a>
                ?
              </p>
            )}
            {answer.notes.map((note) => (
              <p key={note} class="note note-info">
                <Foreign text={note} />
              </p>
            ))}
            {answer.results.length === 0 ? (
              <Empty title="No page of the copy has these words">
                <p>Use fewer words, or join them with OR. A quoted phrase must be in the page as it is.</p>
              </Empty>
            ) : (
              <>
                <SearchResults answer={answer} />
                <Pager
                  from={offset}
                  shown={answer.results.length}
                  total={answer.total}
                  size={Number(size)}
                  what="results"
                  hrefOf={(at) => withQuery({ offset: at === 0 ? '' : String(at) })}
                />
                <Select
                  label="Results per page"
                  value={size}
                  choices={SIZES.map((value) => ({ value, label: `${value} per page` }))}
                  onChange={(value) => navigate(withQuery({ limit: value === '10' ? '' : value, offset: '' }))}
                />
              </>
            )}
          </div>
        </div>
      )}
    </>
  );
}

const EXAMPLES = [
  ['"exact phrase"', 'the words in this order'],
  ['cat OR dog', 'one of them, or both'],
  ['cat -dog', 'without a word'],
  ['cat NEAR dog', 'close to each other'],
  ['title:cat', 'in the title'],
  ['site:docs.example.org cat', 'only this site'],
] as const;

function Hints() {
  return (
    <div class="hints">
      <p class="empty-title">Write words, and results appear while you type.</p>
      <dl class="facts">
        {EXAMPLES.map(([query, about]) => (
          <>
            <dt key={query}>
              <code>{query}</code>
            </dt>
            <dd>{about}</dd>
          </>
        ))}
      </dl>
      <p class="muted">The same on the command line:</p>
      <Command text="orbweaver search 'cat OR dog'" />
    </div>
  );
}
