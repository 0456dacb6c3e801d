/** What the results have in common. A click narrows the query by one word, and the query shows it. */
import { withQuery } from '../../routing/location.ts';
import { plain } from '../../ui/foreign-text.tsx';
import { formatCount, formatName } from '../../ui/format.ts';

const MAX_VALUES = 8;
/** Facets whose name is not that of the operator (docs/search-query.md). */
const OPERATORS: Readonly<Record<string, string>> = { language: 'lang', host: 'site', fileType: 'filetype' };

interface Props {
  readonly facets: Readonly<Record<string, readonly { readonly value: string; readonly pages: number }[]>>;
  readonly q: string;
}

export function Facets({ facets, q }: Props) {
  const shown = Object.entries(facets).filter(([, values]) => values.length > 0);
  if (shown.length === 0) return null;
  return (
    <nav class="facets" aria-label="Narrow the results">
      {shown.map(([name, values]) => (
        <div key={name}>
          <h2>{formatName(name)}</h2>
          <ul>
            {values.slice(0, MAX_VALUES).map(({ value, pages }) => {
              const word = wordFor(name, value);
              const isUsed = q.split(/\s+/).includes(word);
              const next = isUsed ? q.replace(word, '').trim() : `${q.trim()} ${word}`;
              return (
                <li key={value}>
                  <a href={withQuery({ q: next, offset: '' })} aria-current={isUsed ? 'true' : undefined}>
                    <bdi>{plain(value)}</bdi>
                  </a>
                  <span class="muted numbers">{formatCount(pages)}</span>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </nav>
  );
}

export function wordFor(facet: string, value: string): string {
  const operator = OPERATORS[facet] ?? facet;
  return `${operator}:${/\s/.test(value) ? `"${value.replaceAll('"', '')}"` : value}`;
}
