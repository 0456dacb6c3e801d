/** What the results have in common. A click narrows the query by one word, and the query shows it. */
import { withQuery } from '../../routing/location.ts';
import { plain } from '../../ui/foreign-text.tsx';
import { formatCount } from '../../ui/format.ts';

const MAX_VALUES = 8;
/** The heading of each facet, and the filter of the query language that narrows by it (docs/search-query.md). */
const FACETS: Readonly<Record<string, { readonly label: string; readonly filter: string }>> = {
  host: { label: 'Site', filter: 'site' },
  fileType: { label: 'File type', filter: 'filetype' },
  language: { label: 'Language', filter: 'lang' },
  year: { label: 'Fetched in', filter: 'date' },
};

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
          <h2>{FACETS[name]?.label ?? name}</h2>
          <ul>
            {values.slice(0, MAX_VALUES).map(({ value, pages }) => {
              const word = wordFor(name, value);
              const isUsed = q.split(/\s+/).includes(word);
              const next = isUsed ? q.replace(word, '').trim() : `${q.trim()} ${word}`;
              return (
                <li key={value}>
                  <a href={withQuery({ q: next, offset: '' })} aria-current={isUsed ? 'true' : undefined}>
                    <bdi>{plain(shownValue(value))}</bdi>
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

/** The filter for sites takes a host without its scheme. */
function shownValue(value: string): string {
  return value.replace(/^https?:\/\//, '');
}

export function wordFor(facet: string, value: string): string {
  const shown = shownValue(value);
  return `${FACETS[facet]?.filter ?? facet}:${/\s/.test(shown) ? `"${shown.replaceAll('"', '')}"` : shown}`;
}
