/** The advanced search (E10): a form that writes the query, and shows it. */
import type { ComponentChildren } from 'preact';
import type { Query } from '../../../serve/contract/routes.ts';
import { useCopy } from '../../api/session.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { navigate, usePlace, withQuery } from '../../routing/location.ts';
import { viewPath } from '../../routing/paths.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/fields.tsx';
import { Head } from '../../ui/toolbar.tsx';

type Advanced = Query<'buildQuery'>;
type Name = keyof Advanced;

const TEXTS: readonly (readonly [Name, string, string])[] = [
  ['allWords', 'All these words', ''],
  ['exactPhrase', 'This exact phrase', ''],
  ['anyWord', 'Any of these words', ''],
  ['noneOfWords', 'None of these words', ''],
  ['site', 'Site or domain', 'For example docs.example.org or example.org/manual/'],
  ['fileType', 'File format', 'For example html or pdf'],
  ['language', 'Language', 'For example en'],
  ['date', 'Fetched', 'For example 2026-01-01..2026-03-31 or ..2026-03-31'],
  ['changed', 'Changed', 'A time in the same form'],
];
const NAMES: readonly Name[] = [...TEXTS.map(([name]) => name), 'where'];

export function AdvancedView() {
  const { copy } = useCopy();
  const { query } = usePlace();
  const given = Object.fromEntries(
    NAMES.map((name) => [name, query.get(name)]).filter(([, value]) => value),
  ) as Advanced;
  const isEmpty = Object.keys(given).length === 0;
  const built = useAnswer('buildQuery', isEmpty ? null : {}, given);
  const limit = query.get('limit') ?? '10';
  const q = isEmpty ? '' : (built.data?.q ?? '');
  const set = (name: string, value: string): void => navigate(withQuery({ [name]: value }), { replace: true });
  const submit = (event: Event): void => {
    event.preventDefault();
    if (q !== '') navigate(viewPath(copy, 'search', { q, limit: limit === '10' ? undefined : limit }));
  };
  return (
    <>
      <p class="crumbs">
        <a href={viewPath(copy, 'search')}>Search</a>
      </p>
      <Head title="Advanced search" />
      <form class="advanced" onSubmit={submit}>
        <div class="advanced-fields">
          {TEXTS.map(([name, label, hint]) => (
            <Field key={name} id={name} label={label} {...(hint && { hint })}>
              <input
                class="input"
                type="text"
                id={name}
                aria-describedby={hint ? `${name}-hint` : undefined}
                value={query.get(name) ?? ''}
                onInput={(event) => set(name, event.currentTarget.value)}
              />
            </Field>
          ))}
          <Choices
            id="where"
            label="Place in the page"
            value={given.where ?? 'any'}
            onChange={(to) => set('where', to)}
          >
            <option value="any">anywhere</option>
            <option value="title">title</option>
            <option value="url">URL</option>
            <option value="anchor">text of links to the page</option>
          </Choices>
          <Choices id="limit" label="Results per page" value={limit} onChange={(to) => set('limit', to)}>
            {['10', '20', '50', '100'].map((size) => (
              <option key={size} value={size}>
                {size}
              </option>
            ))}
          </Choices>
        </div>
        <div class="built">
          <h2>The query</h2>
          <p class="built-query" role="status">
            {built.error && !isEmpty ? (
              <span class="bad">{built.error.message}</span>
            ) : q === '' ? (
              <span class="muted">Fill in a field, and the query appears here.</span>
            ) : (
              <code>{q}</code>
            )}
          </p>
          <Button type="submit" kind="primary" icon="search" isDisabled={q === ''}>
            Search
          </Button>
        </div>
      </form>
    </>
  );
}

interface ChoicesProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly children: ComponentChildren;
}

function Choices({ id, label, value, onChange, children }: ChoicesProps) {
  return (
    <Field id={id} label={label}>
      <select class="input" id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {children}
      </select>
    </Field>
  );
}
